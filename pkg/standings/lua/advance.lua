-- Moves the checkpoint if it is where the writer knew it, or was moved there by it before. KEYS[1]: checkpoint. ARGV: its source, generation and hash; block, hash and time to
-- write, then when the anchor was written, position, process, back and anchor; the target.
local call = redis.call
local was = call('HMGET', KEYS[1], 'source', 'generation', 'hash')
if was[1] ~= ARGV[1] or was[2] ~= ARGV[2] then return 0 end
if was[3] == ARGV[5] then return 1 end
if was[3] ~= ARGV[3] then return 0 end
call('HSET', KEYS[1], 'block', ARGV[4], 'hash', ARGV[5], 'time', ARGV[6], 'anchored', ARGV[7],
  'position', ARGV[8], 'process', ARGV[9], 'back', ARGV[10], 'anchor', ARGV[11], 'target', ARGV[12])
return 1
