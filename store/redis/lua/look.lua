local head, order, due, rest, stops, letters, owed = unpack(KEYS)
local thread, first_ms, most_ms = unpack(ARGV)
-- The sweep looks at one thread whose time has come. Answers 'RING' (somebody should try it; the next look is put
-- off, twice as long each time), 'HELD', 'RESTS' or 'CLEAR' (the index was wrong and is mended).

local now = now_ms()
local held = redis.call('HMGET', head, 'owner', 'lease', 'ring', 'dead')
if held[1] and held[1] ~= '' and held[4] ~= held[1] and tonumber(held[2]) > now then
  redis.call('ZADD', owed, held[2], thread)
  return 'HELD'
end
local orphaned = held[1] and held[1] ~= ''
if not orphaned then
  local left = owe(owed, thread, head, order, due, rest, stops, letters, 0)
  if left == 'rests' then return 'RESTS' end
  if left == 'clear' then return 'CLEAR' end
end
local delay = math.max(tonumber(first_ms), math.min(tonumber(most_ms), tonumber(held[3] or 0) * 2))
redis.call('HSET', head, 'ring', delay)
redis.call('ZADD', owed, now + delay, thread)
return 'RING'
