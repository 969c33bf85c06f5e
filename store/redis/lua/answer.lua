local head, waits, letters, votes, signals, owed, unseen, admission, muted = unpack(KEYS)
local thread, id, json, by, approves, admitted, ttl_ms, score = unpack(ARGV)
-- Somebody answers a wait. The first answer decides; where more than one have to approve, the vote that completes them,
-- or the first denial. approves: '1' for a vote in favour. admitted: what the message that is the answer leaves under
-- its admission key, '' for a click; such a message is none where the thread was muted when it was said.
-- Answers {'TAKEN'|'VOTED'|'KNOWN'|'ANSWERED'|'LATE'|'OVER'|'UNKNOWN'|'IGNORED', wait json, answer json or '', votes}.

local stands = redis.call('HMGET', waits, id, id .. '.wait', id .. '.answer')
if not stands[1] then return { 'UNKNOWN', '', '', 0 } end
if admitted ~= '' and redis.call('EXISTS', admission) == 1 then return { 'KNOWN', stands[2], '', 0 } end
if admitted ~= '' and is_muted(muted, score) then return { 'IGNORED', stands[2], '', 0 } end
local state, deadline, quorum = string.match(stands[1], '^(%S+) (%d+) (%d+)$')
if state ~= 'open' then return { string.upper(state), stands[2], stands[3] or '', 0 } end
if tonumber(deadline) > 0 and tonumber(deadline) <= now_ms() then return { 'LATE', stands[2], '', 0 } end
local count = 1
if approves == '1' and tonumber(quorum) > 1 then
  local new = redis.call('HSETNX', votes, id .. ' ' .. by, json)
  count = redis.call('HINCRBY', votes, id, new)
  if new == 0 then return { 'KNOWN', stands[2], '', count } end
  if count < tonumber(quorum) then return { 'VOTED', stands[2], '', count } end
end
redis.call('HSET', waits, id, 'answered ' .. deadline .. ' ' .. quorum, id .. '.answer', json)
redis.call('HSET', letters, 'answer:' .. id, json)
if admitted ~= '' then redis.call('SET', admission, admitted, 'PX', ttl_ms) end
redis.call('ZREM', unseen, id)
if not signal(head, signals, 'mail') then redis.call('ZADD', owed, now_ms(), thread) end
return { 'TAKEN', stands[2], json, count }
