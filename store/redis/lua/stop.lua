local head, stops, signals, owed, outcome = unpack(KEYS)
local thread, run, json = unpack(ARGV)
-- Ask to stop a run, begun or not. Anyone may call it; the first of stop and settlement wins.
-- Answers 'STOPPING' (stored now), 'AGAIN' (it was asked before) or 'OVER' (the run is settled, or unknown here).

local known = redis.call('EXISTS', head) == 1 or redis.call('ZSCORE', owed, thread)
if redis.call('EXISTS', outcome) == 1 or not known then
  return 'OVER'
end
if redis.call('HSETNX', stops, run, json) == 0 then return 'AGAIN' end
if not signal(head, signals, 'stop') then redis.call('ZADD', owed, now_ms(), thread) end
return 'STOPPING'
