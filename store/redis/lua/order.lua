local head, rest, letters, signals, owed, outcome = unpack(KEYS)
local thread, run, json = unpack(ARGV)
-- Ask the owner of a thread to do something with a parked run. Anyone may call it.
-- Answers 'ORDERED', 'AGAIN' (an order of that run waits already), 'NOT_PARKED' or 'OVER' (it is settled).

if redis.call('EXISTS', outcome) == 1 then return 'OVER' end
if redis.call('HEXISTS', rest, 'parked:' .. run) == 0 then return 'NOT_PARKED' end
if redis.call('HSETNX', letters, 'order:' .. run, json) == 0 then return 'AGAIN' end
if not signal(head, signals, 'mail') then redis.call('ZADD', owed, now_ms(), thread) end
return 'ORDERED'
