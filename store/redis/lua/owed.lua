-- Shared part: the inventory's index. A thread is looked at when its score (ms) has passed; RESTS is for threads
-- in which only a person can move something.
local RESTS = 9000000000000

-- Recompute one thread's entry after its owner let go of it, looking again in `delay` ms where work is due.
local function owe(owed, thread, order, due, rest, delay)
  if redis.call('ZCARD', order) > 0 or redis.call('HLEN', due) > 0 then
    redis.call('ZADD', owed, now_ms() + delay, thread)
    return 'due'
  elseif redis.call('HLEN', rest) > 0 then
    redis.call('ZADD', owed, RESTS, thread)
    return 'rests'
  end
  redis.call('ZREM', owed, thread)
  return 'clear'
end
