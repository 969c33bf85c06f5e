local head, owed = unpack(KEYS)
local thread, owner = unpack(ARGV)
-- The parent of a process that died says so: its lease ends now. Answers 1 when that owner still held the thread.

if redis.call('HGET', head, 'owner') ~= owner then return 0 end
redis.call('HSET', head, 'dead', owner, 'lease', 0)
redis.call('ZADD', owed, now_ms(), thread)
return 1
