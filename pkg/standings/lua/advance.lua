-- Moves the checkpoint if it is at the writer's position, or the writer moved it already. KEYS[1]: checkpoint. ARGV:
-- its source, generation and hash; the new block, hash, time, time of the anchor, position, process, back, anchor and
-- target. Returns 1, or 0 if the checkpoint is elsewhere.
local call = redis.call
local was = call('HMGET', KEYS[1], 'source', 'generation', 'hash')
if was[1] ~= ARGV[1] or was[2] ~= ARGV[2] then return 0 end
if was[3] == ARGV[5] then return 1 end
if was[3] ~= ARGV[3] then return 0 end
call('HSET', KEYS[1], 'block', ARGV[4], 'hash', ARGV[5], 'time', ARGV[6], 'anchored', ARGV[7],
  'position', ARGV[8], 'process', ARGV[9], 'back', ARGV[10], 'anchor', ARGV[11], 'target', ARGV[12])
return 1
