-- Raises the height that parts may reach. KEYS[1]: checkpoint. ARGV: its source and generation; the block's number and
-- position. Returns 1, or 0 if the generation is another one.
local call = redis.call
local was = call('HMGET', KEYS[1], 'source', 'generation', 'top')
if was[1] ~= ARGV[1] or was[2] ~= ARGV[2] then return 0 end
if tonumber(was[3] or 0) < tonumber(ARGV[3]) then call('HSET', KEYS[1], 'top', ARGV[3], 'ahead', ARGV[4]) end
return 1
