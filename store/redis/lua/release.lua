local head, order, mail, due, rest, log, stops, askers, said, news, letters, waits, votes, signals, owed, held = unpack(KEYS)
local epoch, thread, mode, delay_ms, keep_ms, counted = unpack(ARGV)
-- End a tenure. mode 'idle': only if nothing is left to do, in the same moment in which that is checked, else
-- {'WORK', inputs, due, rest, stops, news, letters, the store's time in ms}. mode 'owed': whatever is left stays owed and is looked at in delay_ms.
-- counted '1': this tenure counts as one that got nowhere. Finished threads start to expire here,
-- also those that still list an unknown effect.

local no = refused(head, epoch)
if no then return no end
if mode == 'idle' and stirs(head, order, due, rest, stops, letters) then
  local ids = redis.call('ZRANGE', order, 0, -1)
  local inputs = {}
  if #ids > 0 then inputs = redis.call('HMGET', mail, unpack(ids)) end
  return { 'WORK', inputs, redis.call('HGETALL', due), redis.call('HGETALL', rest),
    redis.call('HGETALL', stops), redis.call('HVALS', news), redis.call('HGETALL', letters), now_ms() }
end
local now = now_ms()
redis.call('HINCRBY', head, 'active', now - tonumber(redis.call('HGET', head, 'claimed')))
if counted == '1' then redis.call('HINCRBY', head, 'deaths', 1) end
signal(head, signals, 'over')
redis.call('HSET', head, 'owner', '', 'lease', 0, 'dead', '')
redis.call('HDEL', held, thread)
local left = owe(owed, thread, head, order, due, rest, stops, letters, tonumber(delay_ms))
local parked = false
for _, item in ipairs(redis.call('HKEYS', rest)) do
  if string.sub(item, 1, 8) ~= 'unknown:' then parked = true end
end
if left == 'clear' or (left == 'rests' and not parked) then
  for _, key in ipairs({ head, log, order, mail, due, rest, stops, askers, said, news, letters, waits, votes }) do
    redis.call('PEXPIRE', key, keep_ms)
  end
end
return { 'RELEASED', left }
