-- Begins a generation unless another began since. KEYS[1]: checkpoint. ARGV: its source; the previous generation, 0
-- for none; the target. The number is Redis's clock in µs, so that it also exceeds generations that a flush removed.
local call = redis.call
local was = call('HMGET', KEYS[1], 'source', 'generation')
local last = tonumber(was[2] or 0)
if tonumber(ARGV[2]) ~= (was[1] == ARGV[1] and last or 0) then return 0 end
local t = call('TIME')
local generation = math.max(t[1] * 1000000 + t[2], last + 1)
call('HSET', KEYS[1], 'source', ARGV[1], 'generation', string.format('%.0f', generation), 'block', 0, 'hash', '', 'time', 0, 'target', ARGV[3],
  'anchored', 0, 'position', '', 'process', '', 'back', '', 'anchor', '', 'ahead', '')
return 1
