local head, order, mail, due, rest, stops, letters, said, owed, admission, outcome = unpack(KEYS)
local thread, ts, run, ending, keep_s, burnt_ms = unpack(ARGV)
-- Somebody deleted a message. While it is not yet a run's input it is withdrawn, with `ending` as its run's outcome.
-- run: the one the caller believes it leads to, '' for none. burnt_ms: for how long it cannot be taken in after this
-- if it never was, 0 for not at all.
-- Answers {'WITHDRAWN'|'OPEN'|'OVER'|'UNKNOWN'|'AGAIN', run}: OPEN where its run is open or parked, AGAIN where it
-- leads to another run than the caller believed.

local known = redis.call('HGET', said, ts)
if not known then
  if tonumber(burnt_ms) > 0 then redis.call('SET', admission, 'deleted - -', 'PX', burnt_ms, 'NX') end
  return { 'UNKNOWN', '' }
end
local leads_to = string.match(known, '^%S+')
if leads_to ~= run then return { 'AGAIN', leads_to } end
if redis.call('ZREM', order, ts) == 1 then
  redis.call('HDEL', mail, ts)
  redis.call('SET', outcome, ending, 'EX', keep_s)
  local held = redis.call('HMGET', head, 'owner', 'lease')
  if not (held[1] and held[1] ~= '' and tonumber(held[2]) > now_ms()) then
    owe(owed, thread, head, order, due, rest, stops, letters, 0)
  end
  return { 'WITHDRAWN', run }
end
if redis.call('HGET', head, 'run') == run or redis.call('HEXISTS', rest, 'parked:' .. run) == 1 or
  redis.call('HEXISTS', rest, 'resume:' .. run) == 1 then
  return { 'OPEN', run }
end
return { 'OVER', run }
