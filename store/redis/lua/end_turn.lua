local taken = unpack(KEYS)
local member, per_ms = unpack(ARGV)
-- A call that took its turn has been answered: it counts from now, for it cannot have reached Slack any later.

redis.call('ZADD', taken, 'XX', now_ms(), member)
redis.call('PEXPIRE', taken, per_ms)
return 1
