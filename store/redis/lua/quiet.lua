-- Shared part: whether a thread was muted when something was said in it, by Slack's ts in microseconds.
local function is_muted(muted, score)
  local word = redis.call('ZREVRANGEBYSCORE', muted, '(' .. score, '-inf', 'LIMIT', 0, 1)[1]
  return word and string.sub(word, 1, 2) == 'on'
end
