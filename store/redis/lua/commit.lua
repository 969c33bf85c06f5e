local head, log, steps, order, mail, due, rest, stops, said, news, outcome, spent, letters, waits, waiting, unseen = unpack(KEYS)
local epoch, seen, run, progress, settles, forget, anew, spend, spent_ttl, outcome_json, outcome_ttl = unpack(ARGV)
-- The one door through which an owner's records enter: fence, then append and index, all or nothing.
-- ARGV continues with counted groups: records (key, state, json), head fields (name, value), due and rest items
-- (name, value), items that are done (name), inputs taken (ts, how the thread notes it), tool state (key, value),
-- news heard (field), letters read (field), waits opened (id, header, json, thread, the keys of
-- those who may answer), waits closed (id, state, answer
-- json or '', 'any' or 'unanswered'); the empty groups at the end are left out. The last four keys are there only where
-- one of the last three groups is.
-- Answers {'OK'|'AGAIN', log length, stop json, micro-dollars today or '' where nothing was spent}; refuses with STALE,
-- REGRESSED, STOPPED, CHANGED where an input to be taken is not the oldest any more, or not as it was, or
-- ANSWERED where a wait to be closed as unanswered was answered.

local no = refused(head, epoch)
if no then return no end
local length = redis.call('LLEN', log)
if length < tonumber(seen) then return redis.error_reply('REGRESSED ' .. length) end

local at = 12
local function group(width)
  local count = tonumber(ARGV[at] or 0)
  local first = at + 1
  at = first + count * width
  return { first, at - width, width }
end
local records = group(3)
local only_records = at > #ARGV
local fields, dues, rests, done, taken, state, heard, read, opened, closed
if not only_records then
  fields, dues, rests, done = group(2), group(2), group(2), group(1)
  taken, state, heard = group(2), group(2), group(1)
  read, opened, closed = group(1), group(5), group(4)
end

local first, last = records[1], records[2]
if last >= first and landed(steps, ARGV[first], ARGV[first + 1]) then
  return { 'AGAIN', length, redis.call('HGET', stops, run) or '',
    tonumber(spend) > 0 and redis.call('GET', spent) or '' }
end
if settles == '1' and redis.call('HEXISTS', stops, run) == 1 then
  return redis.error_reply('STOPPED')
end
if not only_records then
  for i = taken[1], taken[2], taken[3] do
    if redis.call('ZRANGE', order, 0, 0)[1] ~= ARGV[i] or redis.call('HGET', said, ARGV[i]) ~= ARGV[i + 1] then
      return redis.error_reply('CHANGED ' .. ARGV[i])
    end
  end
  for i = closed[1], closed[2], closed[3] do
    if ARGV[i + 3] == 'unanswered' and redis.call('HEXISTS', letters, 'answer:' .. ARGV[i]) == 1 then
      return redis.error_reply('ANSWERED ' .. ARGV[i])
    end
  end
end
if last >= first then length = append(log, steps, first, last) end

if not only_records then
  for _, put in ipairs({ { head, fields }, { due, dues }, { rest, rests } }) do
    local into, rows = put[1], put[2]
    if rows[2] >= rows[1] then redis.call('HSET', into, unpack(ARGV, rows[1], rows[2] + 1)) end
  end
  for i = done[1], done[2], done[3] do
    redis.call('HDEL', due, ARGV[i])
    redis.call('HDEL', rest, ARGV[i])
  end
  for i = taken[1], taken[2], taken[3] do
    redis.call('ZREM', order, ARGV[i])
    redis.call('HDEL', mail, ARGV[i])
  end
  for i = state[1], state[2], state[3] do redis.call('RPUSH', ARGV[i], ARGV[i + 1]) end
  for i = heard[1], heard[2], heard[3] do redis.call('HDEL', news, ARGV[i]) end
  for i = read[1], read[2], read[3] do redis.call('HDEL', letters, ARGV[i]) end
  for i = opened[1], opened[2], opened[3] do
    local id = ARGV[i]
    redis.call('HSET', waits, id, ARGV[i + 1], id .. '.wait', ARGV[i + 2])
    redis.call('HSET', waiting, id, ARGV[i + 3])
    redis.call('ZADD', unseen, now_ms(), id)
    redis.call('HSET', waits, id .. '.for', ARGV[i + 4])
    for key in string.gmatch(ARGV[i + 4], '%S+') do redis.call('ZADD', key, now_ms(), id) end
  end
  for i = closed[1], closed[2], closed[3] do
    local id = ARGV[i]
    redis.call('HSET', waits, id, ARGV[i + 1], id .. '.answer', ARGV[i + 2])
    redis.call('HDEL', letters, 'answer:' .. id, 'again:' .. id)
    redis.call('HDEL', waiting, id)
    for key in string.gmatch(redis.call('HGET', waits, id .. '.for') or '', '%S+') do redis.call('ZREM', key, id) end
    redis.call('HDEL', waits, id .. '.for')
    redis.call('ZREM', unseen, id)
  end
end

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
