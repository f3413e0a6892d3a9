-- Writes a project's next executions if its mark is unchanged. KEYS: record, exact scores, days, recent executions,
-- boards. ARGV: the mark read; the new mark, updates, last time and only type; how many recent executions to keep;
-- then, each preceded by its number of arguments: days with their contents, exact scores to set, exact scores to
-- remove, executions, and per board scores and wallets. Returns 1, or 0 if the mark differs. The record is written
-- first: a Redis without memory refuses a script's first write, and no other write happens.
local call = redis.call
if call('HGET', KEYS[1], 'mark') ~= ARGV[1] then return 0 end
call('HSET', KEYS[1], 'mark', ARGV[2], 'updates', ARGV[3], 'last', ARGV[4], 'only', ARGV[5])
local a = 7
local function each(command, key)
  local n = tonumber(ARGV[a])
  for from = a + 1, a + n, 2000 do -- unpack is limited to about 8,000 values
    call(command, key, unpack(ARGV, from, math.min(from + 1999, a + n)))
  end
  a = a + 1 + n
end
each('HSET', KEYS[3])
each('HSET', KEYS[2])
each('HDEL', KEYS[2])
each('LPUSH', KEYS[4])
call('LTRIM', KEYS[4], 0, ARGV[6] - 1)
for k = 5, #KEYS do each('ZADD', KEYS[k]) end
return 1
