-- Writes what comes next in a project, if its mark is still the one that was read. KEYS: record, exact scores, days, recent executions, boards. ARGV:
-- the mark read; mark, updates, last time and only type to write; how many recent executions are kept; then, each with its number of arguments before it: days with
-- what they are, exact scores to set, exact scores to remove, executions, and of each board scores and wallets. It replies with 1, or 0 where the mark
-- is another. The record is first: a Redis without memory refuses the first write of a script, and then nothing has changed.
local call = redis.call
if call('HGET', KEYS[1], 'mark') ~= ARGV[1] then return 0 end
call('HSET', KEYS[1], 'mark', ARGV[2], 'updates', ARGV[3], 'last', ARGV[4], 'only', ARGV[5])
local a = 7
local function each(command, key)
  local n = tonumber(ARGV[a])
  for from = a + 1, a + n, 2000 do -- Lua has room for some 8,000 arguments
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
