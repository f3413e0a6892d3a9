-- Takes units and gas for requests, in order; all or nothing per request. KEYS, for each limited key: the time in µs
-- at which all its units are back, if it has a rate; the day's gas by replica, if it has a budget, with the gas lost
-- by a flush in the field lost. ARGV: the replica; ms to keep a day; for each key: µs per unit (0: no rate), burst,
-- budget (0: none), gas spent by the replica, known total, number of requests; for each request: units, gas. Times
-- count from 2026, for the precision of a double. Returns for each request: µs to wait; 1 if gas is short; units
-- left; µs until all units are back; the day's gas of all replicas; of this one. Last comes the number of unreadable
-- values, which count as missing.
local call, try, floor, ceil = redis.call, redis.pcall, math.floor, math.ceil
local t = call('TIME')
local now = (tonumber(t[1]) - 1767225600) * 1000000 + tonumber(t[2])
local replica, kept = ARGV[1], ARGV[2]
local out, k, a, bad = {}, 1, 3, 0

-- number parses a stored number; it counts an unreadable one as bad and returns nil.
local function number(text)
  local n = tonumber(text)
  if n and n >= 0 and n < 9007199254740992 then return n end
  bad = bad + 1
end

while a <= #ARGV do
  local each, burst, budget, mine = tonumber(ARGV[a]), tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  local known, n = tonumber(ARGV[a + 4]), tonumber(ARGV[a + 5])
  local full, room, others, stored, lostBefore, lost, rate, gas, wrongType = now, 0, 0, 0, 0, 0
  a = a + 6
  if each > 0 then
    rate, k, room = KEYS[k], k + 1, now + burst * each
    local was = try('GET', rate)
    if type(was) == 'table' then bad = bad + 1 -- another type: SET replaces it
    elseif was then full = math.min(math.max(number(was) or now, now), room) end -- a lower rate left a later time
  end
  if budget > 0 then
    gas, k = KEYS[k], k + 1
    local parts = try('HGETALL', gas)
    if parts.err then parts, wrongType, bad = {}, true, bad + 1 end
    for i = 1, #parts, 2 do
      local part = number(parts[i + 1])
      if not part then call('HDEL', gas, parts[i]) end -- its replica sends it again
      part = part or 0
      if parts[i] == replica then stored = part elseif parts[i] == 'lost' then lostBefore = part else others = others + part end
    end
    mine = math.max(mine, stored)
    -- Spending of others that a flush lost, less that reported since.
    lost = math.max(lostBefore - (mine - stored), known - others - mine, 0)
    others = others + lost
  end
  local taken, news = false, gas and (mine > stored or lost ~= lostBefore)
  for i = a, a + 2 * n - 2, 2 do
    local units, want, wait, nogas, left = tonumber(ARGV[i]), tonumber(ARGV[i + 1]), 0, 0, burst
    if rate then wait = full + units * each - room end
    if gas and others + mine + want > budget then nogas = 1 end
    if wait < 1 and nogas == 0 then
      wait, taken = 0, true
      if rate then full = full + units * each end
      if gas then mine = mine + want end
    end
    if rate then left = floor((room - full) / each + 0.0001) end
    local o = #out
    out[o + 1], out[o + 2], out[o + 3], out[o + 4], out[o + 5], out[o + 6] = ceil(math.max(wait, 0)), nogas, left, ceil(full - now), math.min(others + mine, 9007199254740992), mine
  end
  a = a + 2 * n
  if taken and rate then call('SET', rate, string.format('%.2f', full), 'PX', ceil((full - now) / 1000) + 1) end
  if gas and (taken or news) then
    if wrongType then call('DEL', gas) end
    call('HSET', gas, replica, string.format('%.0f', mine), 'lost', string.format('%.0f', lost))
    call('PEXPIRE', gas, kept)
  end
end
out[#out + 1] = bad
return out
