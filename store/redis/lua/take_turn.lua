local taken, line, back, lane, paused, barred, probe, held = unpack(KEYS)
local most, per_ms, apart_ms, urgent, slack_ms, holder, member, probe_ms = unpack(ARGV)
-- Ask for one call out of what Slack allows a whole workspace. Whoever does not get it waits in one line with all
-- others, the earliest deadline first: its arrival plus `slack_ms` for every run at work. The lane lets one through
-- every `apart_ms`; an urgent one does not wait for the lane while the window of `per_ms` has room and nobody who is
-- due goes before it. Who does not come back in time loses its place. While Slack refuses our token, one call every
-- `probe_ms` tries whether it still does.
-- Answers {ms to wait, or 0 when the turn is taken; runs at work; 1 for a try}.

local GRACE, LATE = 20000, 1500
local now = now_ms()
local active = redis.call('HLEN', held)
local per, apart, limit = tonumber(per_ms), tonumber(apart_ms), tonumber(most)
redis.call('ZREMRANGEBYSCORE', taken, '-inf', now - per)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', back, '-inf', now - GRACE)) do
  redis.call('ZREM', line, gone)
  redis.call('ZREM', back, gone)
end

local deadline = now + tonumber(slack_ms) * math.max(1, active)
local known = redis.call('ZSCORE', line, holder)
if not known or deadline < tonumber(known) then redis.call('ZADD', line, deadline, holder) end

local trying = redis.call('EXISTS', barred) == 1
local wait = math.max(0, redis.call('PTTL', paused))
if trying then wait = math.max(wait, redis.call('PTTL', probe)) end
local rank = redis.call('ZRANK', line, holder)
local used = redis.call('ZCARD', taken)
local lane_wait = math.max(0, redis.call('PTTL', lane))
if used >= limit or wait > 0 or (urgent ~= '1' and lane_wait > 0) then
  wait = math.max(wait, 1, lane_wait + apart * rank)
else
  for _, other in ipairs(redis.call('ZRANGEBYSCORE', back, now - LATE, now)) do
    if (redis.call('ZRANK', line, other) or rank) < rank then wait = math.max(apart, 1) end
  end
end

if wait > 0 then
  local first = used - limit + rank
  if first >= 0 and used > 0 then
    first = math.min(first, used - 1)
    wait = math.max(wait, tonumber(redis.call('ZRANGE', taken, first, first, 'WITHSCORES')[2]) + per - now)
  end
  redis.call('ZADD', back, now + wait, holder)
  for _, key in ipairs({ line, back }) do redis.call('PEXPIRE', key, wait + 10 * GRACE) end
  return { wait, active, 0 }
end
redis.call('ZREM', line, holder)
redis.call('ZREM', back, holder)
redis.call('ZADD', taken, now, member)
redis.call('PEXPIRE', taken, per)
if apart > 0 and lane_wait == 0 then redis.call('SET', lane, holder, 'PX', apart) end
if trying then redis.call('SET', probe, holder, 'PX', probe_ms) end
return { 0, active, trying and 1 or 0 }
