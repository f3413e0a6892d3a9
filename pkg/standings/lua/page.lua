-- Reads a part of a board, highest score first, equal scores by highest wallet. KEYS: record, exact scores, total,
-- board. ARGV: the board's byte; the limit; 'begin', or 'after' with a score and a wallet, or 'around' with a wallet.
-- Returns the board's number of wallets, how many precede the part, how many have a higher score than its first, and
-- the part: wallets, each with its score. Returns an empty list if there is no record.
local call, byte = redis.call, string.byte
local record = call('HMGET', KEYS[1], 'mark', 'only')
if not record[1] then return {} end
local board, limit, how, key = ARGV[1], tonumber(ARGV[2]), ARGV[3], KEYS[4]
if board == record[2] then board, key = '\255', KEYS[3] end
local all = call('ZCARD', key)
local start = 0

-- higher compares wallets as Redis does; Lua compares strings by locale.
local function higher(a, b)
  for i = 1, 20 do
    local x, y = byte(a, i), byte(b, i)
    if x ~= y then return x > y end
  end
  return false
end

if how == 'after' then -- the first one with a lower score, or the same and a lower wallet
  start = call('ZCOUNT', key, '(' .. ARGV[4], '+inf')
  local stop = call('ZCOUNT', key, ARGV[4], '+inf')
  while start < stop do
    local middle = math.floor((start + stop) / 2)
    if higher(ARGV[5], call('ZREVRANGE', key, middle, middle)[1]) then stop = middle else start = middle + 1 end
  end
elseif how == 'around' then
  local before = call('ZREVRANK', key, ARGV[4])
  if not before then return {all, all, all} end
  start = math.max(0, math.min(before - math.floor(limit / 2), all - limit))
end
local part = call('ZREVRANGE', key, start, start + limit - 1, 'WITHSCORES')
local out = {all, start, #part > 0 and call('ZCOUNT', key, '(' .. part[2], '+inf') or start}
for i = 1, #part, 2 do
  local s = part[i + 1]
  local float = tonumber(s)
  if float >= 9007199254740992 or float <= -9007199254740992 then s = call('HGET', KEYS[2], board .. part[i]) or s end
  out[3 + i], out[4 + i] = part[i], s
end
return out
