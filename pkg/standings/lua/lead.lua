-- Has one lead, if no other one does. KEYS[1]: who leads. ARGV: who asks, for how many ms.
local leader = redis.call('GET', KEYS[1])
if leader and leader ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
