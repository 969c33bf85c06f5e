local head, stops, order, owed = unpack(KEYS)
local epoch, lease_ms, thread = unpack(ARGV)
-- Keep a lease alive. Answers the stops that wait, by run, and how many inputs wait. Refuses with STALE when it is not ours any more, also when it lapsed and nobody took it yet.

local no = refused(head, epoch)
if no then return no end
local now = now_ms()
redis.call('HSET', head, 'lease', now + lease_ms, 'renewed', now)
redis.call('ZADD', owed, now + lease_ms, thread)
return { redis.call('HGETALL', stops), redis.call('ZCARD', order) }
