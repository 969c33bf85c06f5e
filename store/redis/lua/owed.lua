-- Shared part: the inventory's index. A thread is looked at when its score (ms) has passed. One in which only a
-- person can move something is looked at once a day, in case it has expired.
local DAY = 86400000

-- Recompute one thread's entry after its owner let go of it, looking again in `delay` ms where work is due.
local function owe(owed, thread, order, due, rest, stops, delay)
  if redis.call('ZCARD', order) > 0 or redis.call('HLEN', due) > 0 or redis.call('HLEN', stops) > 0 then
    redis.call('ZADD', owed, now_ms() + delay, thread)
    return 'due'
  elseif redis.call('HLEN', rest) > 0 then
    redis.call('ZADD', owed, now_ms() + DAY, thread)
    return 'rests'
  end
  redis.call('ZREM', owed, thread)
  return 'clear'
end
