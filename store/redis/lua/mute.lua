local muted = unpack(KEYS)
local word, score, keep_ms = unpack(ARGV)
-- Mute a thread ('on') or unmute it ('off'): the latest word of people, by Slack's ts, holds, however often and in
-- which order they arrive. Answers 1 the first time this word is heard, 0 where it or a later one was heard before.

local since = string.match(redis.call('GET', muted) or '', '^%l+ (%d+)$')
if since and tonumber(since) >= tonumber(score) then return 0 end
redis.call('SET', muted, word .. ' ' .. score, 'PX', keep_ms)
return 1
