-- Moves the position that parts may reach. KEYS[1]: checkpoint. ARGV: its source and generation; the position that the
-- writer knows, and the next one. Returns 1, also if the writer moved it already, or 0 if another writer did.
local call = redis.call
local was = call('HMGET', KEYS[1], 'source', 'generation', 'ahead')
if was[1] ~= ARGV[1] or was[2] ~= ARGV[2] then return 0 end
local is = was[3] or ''
if is ~= ARGV[3] and is ~= ARGV[4] then return 0 end
call('HSET', KEYS[1], 'ahead', ARGV[4])
return 1
