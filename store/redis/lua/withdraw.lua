local order, mail, head, owed, due, rest, stops, letters = unpack(KEYS)
local thread = unpack(ARGV)
-- Take every input that nobody took yet out of a thread's mailbox. Answers them, oldest first.

local ids = redis.call('ZRANGE', order, 0, -1)
if #ids == 0 then return {} end
local inputs = redis.call('HMGET', mail, unpack(ids))
redis.call('DEL', order, mail)
local held = redis.call('HMGET', head, 'owner', 'lease')
if not (held[1] and held[1] ~= '' and tonumber(held[2]) > now_ms()) then
  owe(owed, thread, head, order, due, rest, stops, letters, 0)
end
return inputs
