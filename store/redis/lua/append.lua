-- Shared part: records that land once. A record's identity is its step key and the state it reached; a step that is
-- over takes no further state.
local OVER = { done = true, failed = true, interrupted = true }

local function landed(steps, key, state)
  local known = redis.call('HGET', steps, key)
  return known and (known == state or OVER[known] == true)
end

-- Append the records that stand in ARGV from `first` to `last` as (key, state, json). Answers the log's new length.
local function append(log, steps, first, last)
  local marks, records = {}, {}
  for i = first, last, 3 do
    marks[#marks + 1] = ARGV[i]
    marks[#marks + 1] = ARGV[i + 1]
    records[#records + 1] = ARGV[i + 2]
  end
  redis.call('HSET', steps, unpack(marks))
  return redis.call('RPUSH', log, unpack(records))
end
