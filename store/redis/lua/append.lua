-- Shared part: records that land once. A record's identity is its step key and the state it reached; a step that is
-- over takes no further state.
local OVER = { done = true, failed = true, interrupted = true }

local function landed(steps, key, state)
  local known = redis.call('HGET', steps, key)
  return known and (known == state or OVER[known] == true)
end

local function append(log, steps, key, state, json)
  redis.call('HSET', steps, key, state)
  redis.call('RPUSH', log, json)
end
