local admission, head, order, mail, askers, owed, teams, signals = unpack(KEYS)
local fingerprint, run, thread, ts, score, json, author, condition, ttl_ms, team = unpack(ARGV)
-- Take one input into a thread's mailbox, once. Anyone may call it.
-- condition: 'any', or 'asker': only where `author` started something in this thread before.
-- Answers {'NEW'|'SAME'|'CONFLICT'|'IGNORED', run, thread}. Nothing is written unless it is NEW.

local stood = redis.call('GET', admission)
if stood then
  local found, first_run, first_thread = string.match(stood, '^(%S+) (%S+) (%S+)$')
  if found ~= fingerprint then return { 'CONFLICT', first_run, first_thread } end
  return { 'SAME', first_run, first_thread }
end
if condition == 'asker' and redis.call('SISMEMBER', askers, author) == 0 then
  return { 'IGNORED', '', '' }
end
redis.call('SET', admission, fingerprint .. ' ' .. run .. ' ' .. thread, 'PX', ttl_ms)
redis.call('ZADD', order, score, ts)
redis.call('HSET', mail, ts, json)
redis.call('SADD', askers, author)
redis.call('SADD', teams, team)
if redis.call('PTTL', head) >= 0 then
  for _, key in ipairs({ head, order, mail, askers }) do redis.call('PERSIST', key) end
end
if not signal(head, signals, 'mail') then redis.call('ZADD', owed, now_ms(), thread) end
return { 'NEW', run, thread }
