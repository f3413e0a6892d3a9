-- ARGV: the bound and names. It adds the names to the estimate in KEYS[1] unless that has reached the bound, and replies whether it did.
if redis.call('PFCOUNT', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('PFADD', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
