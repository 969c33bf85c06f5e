local head, order, mail, due, rest, log, stops, askers, said, news, letters, waits, votes, owed, held, spent = unpack(KEYS)
local thread, owner, nonce, lease_ms = unpack(ARGV)
-- Take a thread, if nobody alive holds it: bump the epoch, remember the owner, count how the last tenure ended.
-- Answers {'HELD', owner, ms left} or
-- {'CLAIMED', epoch, log length, ended, head fields, inputs, due, rest, stops, micro-dollars today,
-- ms since the last take-over from an owner not known dead, or -1; news, letters, the store's time in ms}.
-- Sent twice by one owner (its answer was lost), the second answers as the first did.

local now = now_ms()
local was = redis.call('HMGET', head, 'epoch', 'owner', 'lease', 'dead', 'claimed', 'renewed', 'ended')
local ended = 'released'
if was[2] and was[2] ~= '' then
  local left = tonumber(was[3]) - now
  if was[2] == owner then
    ended = was[7]
  elseif was[4] == was[2] then
    ended = 'dead'
  elseif left > 0 then
    return { 'HELD', was[2], left }
  else
    ended = 'lapsed'
  end
end
if redis.call('PTTL', head) >= 0 then
  for _, key in ipairs({ head, order, mail, due, rest, log, stops, askers, said, news, letters, waits, votes }) do
    redis.call('PERSIST', key)
  end
end
local number = tonumber(string.match(was[1] or '0', '^%d+')) + 1
local epoch = string.format('%d.%s', number, nonce)
if ended ~= 'released' and was[2] ~= owner then
  redis.call('HINCRBY', head, 'deaths', 1)
  redis.call('HINCRBY', head, 'active', math.max(0, tonumber(was[6]) - tonumber(was[5])))
  if ended == 'lapsed' then redis.call('HSET', head, 'taken_over', now) end
end
local taken_over = redis.call('HGET', head, 'taken_over')
redis.call('HSET', head, 'epoch', epoch, 'owner', owner, 'lease', now + lease_ms, 'claimed', now, 'renewed', now,
  'dead', '', 'ended', ended, 'ring', 0)
redis.call('HSET', held, thread, owner)
redis.call('ZADD', owed, now + lease_ms, thread)
local ids = redis.call('ZRANGE', order, 0, -1)
local inputs = {}
if #ids > 0 then inputs = redis.call('HMGET', mail, unpack(ids)) end
return { 'CLAIMED', epoch, redis.call('LLEN', log), ended, redis.call('HGETALL', head), inputs,
  redis.call('HGETALL', due), redis.call('HGETALL', rest), redis.call('HGETALL', stops),
  redis.call('GET', spent) or '0', taken_over and now - tonumber(taken_over) or -1,
  redis.call('HVALS', news), redis.call('HGETALL', letters), now }
