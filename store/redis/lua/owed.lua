-- Shared part: the inventory's index. A thread is looked at when its score (ms) has passed. One in which only a
-- person can move something is looked at at its next deadline, or once a day, in case it has expired.
local DAY = 86400000

-- Whether a worker can do something in the thread. While its open run waits for people, messages stay behind it: then
-- only letters, stops of that run or of a parked one, and a moment that has come (`until`) stir it.
local function stirs(head, order, due, rest, stops, letters)
  if redis.call('HLEN', due) > 0 or redis.call('HLEN', letters) > 0 then return true end
  local held = redis.call('HMGET', head, 'waiting', 'run', 'until')
  if held[1] ~= '1' then return redis.call('ZCARD', order) > 0 or redis.call('HLEN', stops) > 0 end
  for _, run in ipairs(redis.call('HKEYS', stops)) do
    if run == held[2] then return true end
    if redis.call('HEXISTS', rest, 'parked:' .. run) + redis.call('HEXISTS', rest, 'resume:' .. run) > 0 then
      return true
    end
  end
  local moment = tonumber(held[3] or 0)
  return moment > 0 and moment <= now_ms()
end

-- Recompute one thread's entry after its owner let go of it, looking again in `delay` ms where work is due.
local function owe(owed, thread, head, order, due, rest, stops, letters, delay)
  if stirs(head, order, due, rest, stops, letters) then
    redis.call('ZADD', owed, now_ms() + delay, thread)
    return 'due'
  elseif redis.call('HLEN', rest) > 0 then
    local moment = tonumber(redis.call('HGET', head, 'until') or 0)
    local look = now_ms() + DAY
    if moment > 0 then look = math.min(look, moment) end
    redis.call('ZADD', owed, look, thread)
    return 'rests'
  end
  redis.call('ZREM', owed, thread)
  return 'clear'
end
