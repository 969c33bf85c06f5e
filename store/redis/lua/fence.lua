-- Shared part: time, and the fence that every write of an owner passes.
local function now_ms()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- nil when `epoch` still owns the thread and its lease has not lapsed, else the refusal.
local function refused(head, epoch)
  local held = redis.call('HMGET', head, 'epoch', 'owner', 'lease')
  if held[1] ~= epoch or not held[2] or held[2] == '' or tonumber(held[3]) <= now_ms() then
    return redis.error_reply('STALE ' .. tostring(held[1] or 'none'))
  end
  return nil
end

-- Wake the owner's heartbeat. Every tenure has a list of its own, so that a woken old owner takes nothing from the
-- new one. False when nobody holds the thread.
local function signal(head, signals, word)
  local held = redis.call('HMGET', head, 'owner', 'lease', 'epoch', 'dead')
  if not held[1] or held[1] == '' or held[4] == held[1] or tonumber(held[2]) <= now_ms() then return false end
  redis.call('RPUSH', signals .. held[3], word)
  redis.call('PEXPIRE', signals .. held[3], 3600000)
  return true
end
