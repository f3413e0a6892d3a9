-- Copies a part of the total to the board of the only score type, before another type is added. KEYS: record, exact
-- scores, total, the type's board. ARGV: the mark and type that were read, how many are copied, how many to copy.
-- Returns the number copied; 0 when all are copied and the type is no longer the only one; -1 if mark or type
-- changed.
local call = redis.call
if call('HGET', KEYS[1], 'mark') ~= ARGV[1] or call('HGET', KEYS[1], 'only') ~= ARGV[2] then return -1 end
local part = call('ZRANGE', KEYS[3], ARGV[3], ARGV[3] + ARGV[4] - 1, 'WITHSCORES')
if #part == 0 then
  call('HSET', KEYS[1], 'only', '')
  return 0
end
local scores, old, beyond = {}, {}, {}
for i = 1, #part, 2 do
  scores[i], scores[i + 1] = part[i + 1], part[i]
  local field = ARGV[2] .. part[i]
  old[#old + 1] = field -- left by an earlier try
  local float = tonumber(part[i + 1])
  local exact = (float >= 9007199254740992 or float <= -9007199254740992) and call('HGET', KEYS[2], '\255' .. part[i])
  if exact then beyond[#beyond + 1], beyond[#beyond + 2] = field, exact end
end
call('ZADD', KEYS[4], unpack(scores))
call('HDEL', KEYS[2], unpack(old))
if #beyond > 0 then call('HSET', KEYS[2], unpack(beyond)) end
return #part / 2
