-- Reads a project at one moment. KEYS: record, exact scores, days, total, boards. ARGV: number of days, days; per
-- board: its byte, number of wallets, wallets. Number 0 means the wallets of the total before it; the board's scores
-- are then omitted if it is the only type's, since they equal the total's. Returns the record's mark, updates, last
-- time and only type, the days, and the scores; '' for missing values. Returns an empty list if there is no record.
local call = redis.call
local out = call('HMGET', KEYS[1], 'mark', 'updates', 'last', 'only')
if not out[1] then return {} end
for i = 2, 4 do out[i] = out[i] or '' end
local only = out[4]
local a = 2
local n = tonumber(ARGV[1])
if n > 0 then
  local days = call('HMGET', KEYS[3], unpack(ARGV, a, a + n - 1))
  for i = 1, n do out[4 + i] = days[i] or '' end
  a = a + n
end
local o = 4 + n
local first, wallets
for k = 5, #KEYS do
  local board, n, key = ARGV[a], tonumber(ARGV[a + 1]), KEYS[k]
  a = a + 2
  if n > 0 then first, wallets, a = a, n, a + n end
  if n > 0 or board ~= only then
    if board == only then board, key = '\255', KEYS[4] end
    local scores = call('ZMSCORE', key, unpack(ARGV, first, first + wallets - 1))
    for i = 1, wallets do
      local s = scores[i]
      if s then
        local float = tonumber(s)
        if float >= 9007199254740992 or float <= -9007199254740992 then s = call('HGET', KEYS[2], board .. ARGV[first + i - 1]) or s end
      end
      out[o + i] = s or ''
    end
    o = o + wallets
  end
end
return out
