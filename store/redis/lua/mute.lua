local muted = unpack(KEYS)
local word, score, keep_ms = unpack(ARGV)
-- Mute a thread ('on') or unmute it ('off') from the ts of that word on. Each word is kept, so that a message which
-- arrives late is judged by what held when it was said. Answers 1 the first time this word is heard.
local MOST = 100

local new = redis.call('ZADD', muted, 'NX', score, word .. ' ' .. score)
redis.call('ZREMRANGEBYRANK', muted, 0, -MOST - 1)
redis.call('PEXPIRE', muted, keep_ms)
return new
