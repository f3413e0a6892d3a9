-- Moves the checkpoint if it is where the writer knew it, or was moved there by it before. KEYS[1]: checkpoint. ARGV: its source, generation and hash; block, hash and time to
-- write.
local call = redis.call
local was = call('HMGET', KEYS[1], 'source', 'generation', 'hash')
if was[1] ~= ARGV[1] or was[2] ~= ARGV[2] then return 0 end
if was[3] == ARGV[5] then return 1 end
if was[3] ~= ARGV[3] then return 0 end
call('HSET', KEYS[1], 'block', ARGV[4], 'hash', ARGV[5], 'time', ARGV[6])
return 1
