local head, waits, letters, signals, owed, unseen = unpack(KEYS)
local thread, id = unpack(ARGV)
-- Ask the owner of a thread to look after the card of an open wait. Answers 1 where it is open and not asked already.

redis.call('ZADD', unseen, 'XX', now_ms(), id)
local stands = redis.call('HGET', waits, id)
if not stands or string.sub(stands, 1, 5) ~= 'open ' then return 0 end
if redis.call('HSETNX', letters, 'again:' .. id, '1') == 0 then return 0 end
if not signal(head, signals, 'mail') then redis.call('ZADD', owed, now_ms(), thread) end
return 1
