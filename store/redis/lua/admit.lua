local admission, head, order, mail, askers, owed, teams, signals, said, muted, recent, from, mine = unpack(KEYS)
local fingerprint, run, thread, ts, score, json, author, condition, ttl_ms, team, keep_ms, standing = unpack(ARGV)
-- Take one input into a thread's mailbox, once. Anyone may call it.
-- condition: 'any'; 'asker': only where `author` started something in this thread before that ts; 'thread': only where
-- anybody did. Either of these only where the thread was not muted at that ts.
-- Answers {'NEW'|'SAME'|'CONFLICT'|'IGNORED', run, thread, 1 when it waits and others or an open run come first}.
-- Nothing but a mute's age is written unless it is NEW.
local RECENT, MINE = 172800000, 50

local function ours()
  if condition == 'any' then return true end
  if is_muted(muted, score) then
    redis.call('PEXPIRE', muted, keep_ms)
    return false
  end
  local since
  if condition == 'asker' then
    since = redis.call('ZSCORE', askers, author)
  else
    since = redis.call('ZRANGE', askers, 0, 0, 'WITHSCORES')[2]
  end
  return since and tonumber(since) < tonumber(score)
end

local open = redis.call('HGET', head, 'run')
open = open and open ~= ''
local stood = redis.call('GET', admission)
if stood then
  local found, first_run, first_thread = string.match(stood, '^(%S+) (%S+) (%S+)$')
  if found ~= fingerprint then return { 'CONFLICT', first_run, first_thread, 0 } end
  local place = redis.call('ZRANK', order, ts)
  return { 'SAME', first_run, first_thread, place and (open or place > 0) and 1 or 0 }
end
if not ours() then return { 'IGNORED', '', '', 0 } end
local waits = redis.call('ZCARD', order) > 0 or open
redis.call('SET', admission, fingerprint .. ' ' .. run .. ' ' .. thread, 'PX', ttl_ms)
redis.call('ZADD', order, score, ts)
redis.call('HSET', mail, ts, json)
redis.call('HSET', said, ts, standing)
local since = redis.call('ZSCORE', askers, author)
if not since or tonumber(since) > tonumber(score) then redis.call('ZADD', askers, score, author) end
redis.call('SADD', teams, team)
redis.call('ZADD', recent, now_ms(), thread)
redis.call('ZREMRANGEBYSCORE', recent, '-inf', now_ms() - RECENT)
redis.call('PEXPIRE', recent, RECENT)
redis.call('SET', from, thread .. ' ' .. author .. ' ' .. now_ms(), 'PX', keep_ms)
redis.call('ZADD', mine, now_ms(), run)
redis.call('ZREMRANGEBYRANK', mine, 0, -MINE - 1)
redis.call('PEXPIRE', mine, keep_ms)
if redis.call('PTTL', head) >= 0 then
  for _, key in ipairs({ head, order, mail, askers, said }) do redis.call('PERSIST', key) end
end
if not signal(head, signals, 'mail') then redis.call('ZADD', owed, now_ms(), thread) end
return { 'NEW', run, thread, waits and 1 or 0 }
