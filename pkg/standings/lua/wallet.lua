-- Reads a wallet's standings. KEYS: record, exact scores, boards, the total first. ARGV: the wallet; the boards'
-- bytes. Returns per board its number of wallets, the wallet's score, and how many have a higher one; the last two
-- are empty if the wallet is not on it. Returns an empty list if there is no record.
local call = redis.call
local record = call('HMGET', KEYS[1], 'mark', 'only')
if not record[1] then return {} end
local out = {}
for i = 2, #ARGV do
  local board, key = ARGV[i], KEYS[i + 1]
  if board == record[2] then board, key = '\255', KEYS[3] end
  local s, higher = call('ZSCORE', key, ARGV[1]) or '', ''
  if s ~= '' then
    higher = tostring(call('ZCOUNT', key, '(' .. s, '+inf'))
    local float = tonumber(s)
    if float >= 9007199254740992 or float <= -9007199254740992 then s = call('HGET', KEYS[2], board .. ARGV[1]) or s end
  end
  local n = #out
  out[n + 1], out[n + 2], out[n + 3] = tostring(call('ZCARD', key)), s, higher
end
return out
