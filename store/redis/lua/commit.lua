local head, log, steps, order, mail, due, rest, stops, outcome, spent = unpack(KEYS)
local epoch, seen, run, progress, settles, forget, anew, spend, spent_ttl, outcome_json, outcome_ttl = unpack(ARGV)
-- The one door through which an owner's records enter: fence, then append and index, all or nothing.
-- ARGV continues with counted groups: records (key, state, json), head fields (name, value), due and rest items
-- (name, value), items that are done (name), inputs taken (ts), tool state (key, value).
-- Answers {'OK'|'AGAIN', log length, stop json, micro-dollars today or '' where nothing was spent}; refuses with STALE, REGRESSED or STOPPED.

local no = refused(head, epoch)
if no then return no end
local length = redis.call('LLEN', log)
if length < tonumber(seen) then return redis.error_reply('REGRESSED ' .. length) end

local at = 12
local function group(width)
  local count = tonumber(ARGV[at])
  local first = at + 1
  at = first + count * width
  return first, at - width, width
end

local first, last, width = group(3)
if last >= first and landed(steps, ARGV[first], ARGV[first + 1]) then
  return { 'AGAIN', length, redis.call('HGET', stops, run) or '',
    tonumber(spend) > 0 and redis.call('GET', spent) or '' }
end
if settles == '1' and redis.call('HEXISTS', stops, run) == 1 then
  return redis.error_reply('STOPPED')
end
if last >= first then length = append(log, steps, first, last) end

for _, into in ipairs({ head, due, rest }) do
  first, last = group(2)
  if last >= first then redis.call('HSET', into, unpack(ARGV, first, last + 1)) end
end
first, last, width = group(1)
for i = first, last, width do
  redis.call('HDEL', due, ARGV[i])
  redis.call('HDEL', rest, ARGV[i])
end
first, last, width = group(1)
for i = first, last, width do
  redis.call('ZREM', order, ARGV[i])
  redis.call('HDEL', mail, ARGV[i])
end
first, last, width = group(2)
for i = first, last, width do redis.call('RPUSH', ARGV[i], ARGV[i + 1]) end

local today = ''
if tonumber(spend) > 0 then
  today = redis.call('INCRBY', spent, spend)
  redis.call('EXPIRE', spent, spent_ttl)
end
if outcome_json ~= '' then redis.call('SET', outcome, outcome_json, 'EX', outcome_ttl) end
if anew == '1' then redis.call('HSET', head, 'active', 0, 'claimed', now_ms()) end
if progress == '1' then redis.call('HSET', head, 'deaths', 0) end
if forget == '1' then
  redis.call('EXPIRE', steps, 3600)
  redis.call('HDEL', stops, run)
end
return { 'OK', length, redis.call('HGET', stops, run) or '', tostring(today) }
