local edits, held, paused = unpack(KEYS)
local most, reserved, urgent, member = unpack(ARGV)
-- Ask for one edit out of what Slack allows the whole workspace in any minute. Progress leaves `reserved` of them to
-- questions and final texts. Answers {ms to wait, or 0 when the edit is taken; runs at work}.

local now = now_ms()
local active = redis.call('HLEN', held)
local pause = tonumber(redis.call('PTTL', paused))
if pause > 0 then return { pause, active } end
redis.call('ZREMRANGEBYSCORE', edits, '-inf', now - 60000)
local limit = tonumber(most)
if urgent ~= '1' then limit = limit - tonumber(reserved) end
local taken = redis.call('ZCARD', edits)
if taken >= limit then
  local oldest = redis.call('ZRANGE', edits, taken - limit, taken - limit, 'WITHSCORES')
  return { math.max(1, tonumber(oldest[2]) + 60000 - now), active }
end
redis.call('ZADD', edits, now, member)
redis.call('PEXPIRE', edits, 60000)
return { 0, active }
