-- ARGV: the bound, ms to keep the estimate, and names. Adds the names to the estimate in KEYS[1] and returns 1; if
-- the estimate has reached the bound, returns 0.
if redis.call('PFCOUNT', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('PFADD', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
