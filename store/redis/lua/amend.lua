local head, mail, said, news = unpack(KEYS)
local ts, score, json, field, item = unpack(ARGV)
-- Somebody edited a message that was taken in. While it is not yet a run's input it is taken as it now stands;
-- after that the change is news to the thread, in place of any older one about the same message.
-- json: the input as edited, '' where the caller found none to edit. field, item: the news.
-- Answers 'AMENDED', 'NEWS', 'KNOWN' (this edit or a later one came before), 'UNKNOWN' (no message of this thread) or
-- 'AGAIN' (the input came only now: ask once more).

local known = redis.call('HGET', said, ts)
if not known then return 'UNKNOWN' end
local run, edited = string.match(known, '^(%S+) (%d+)$')
if tonumber(score) <= tonumber(edited) then return 'KNOWN' end
local waits = redis.call('HEXISTS', mail, ts) == 1
if waits and json == '' then return 'AGAIN' end
redis.call('HSET', said, ts, run .. ' ' .. score)
if waits then
  redis.call('HSET', mail, ts, json)
  return 'AMENDED'
end
redis.call('HDEL', news, ts .. ':' .. edited)
redis.call('HSET', news, field, item)
local ttl = redis.call('PTTL', head)
if ttl >= 0 then redis.call('PEXPIRE', news, ttl) end
return 'NEWS'
