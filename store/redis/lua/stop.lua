local head, stops, signals, order, rest, said, owed, outcome, admission = unpack(KEYS)
local thread, run, json, admitted, ttl_ms = unpack(ARGV)
-- Ask to stop a run, begun or not. Anyone may call it; the first of stop and settlement wins.
-- admitted: what the message that asks for it leaves under its admission key, '' for a click.
-- Answers 'STOPPING' (stored now), 'AGAIN' (it was asked before), 'OVER' (the run is settled, or unknown here) or
-- 'KNOWN' (this very message came before).

local function is_open()
  if redis.call('EXISTS', outcome) == 1 then return false end
  if redis.call('HGET', head, 'run') == run or redis.call('HEXISTS', rest, 'parked:' .. run) == 1 then return true end
  for _, ts in ipairs(redis.call('ZRANGE', order, 0, -1)) do
    if string.match(redis.call('HGET', said, ts) or '', '^%S+') == run then return true end
  end
  return false
end

if admitted ~= '' and not redis.call('SET', admission, admitted, 'PX', ttl_ms, 'NX') then return 'KNOWN' end
if not is_open() then return 'OVER' end
if redis.call('HSETNX', stops, run, json) == 0 then return 'AGAIN' end
if not signal(head, signals, 'stop') then redis.call('ZADD', owed, now_ms(), thread) end
return 'STOPPING'
