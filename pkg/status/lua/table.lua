-- A table: KEYS[1] is a hash whose fields are its buckets, named by 4 bytes, and a few others with longer names. A bucket
-- is entries one after the other, the one that was changed last at the end: 16 bytes that name a word, 4 of the second in
-- which it was changed, 2 of the length of what follows: runs. A run is the first and the last index in the word (a byte
-- each) and the state that all of them are in; runs ascend. record.go says what states there are; scripts name their kinds by the byte: 97 a
-- (accepted), 98 b (bound), 99 c and 100 d (claimed, first and over a rejection), 102 f (final), 115 s (a slot), 116 t (a transaction).
--
-- A table grows by one bucket at a time (linear hashing), so that a bucket holds some `load` entries: buckets 0 … power-1
-- are there, and those below buckets-power have given half of their entries to one that is power higher.
local call, byte, char, find, sub, floor = redis.call, string.byte, string.char, string.find, string.sub, math.floor
local key = KEYS[1]
local load = 4
local size = {[97] = 1, [98] = 9, [99] = 15, [100] = 30, [102] = 15, [115] = 44, [116] = 33} -- of a state, by its kind

local count = call('HGET', key, 'count')
local buckets, entries, power = 1, 0, 1
if count then
  local a, b = string.match(count, '^(%d+) (%-?%d+)$')
  buckets, entries = tonumber(a), tonumber(b)
end
while power * 2 <= buckets do power = power * 2 end

local double, split = 2 * power, buckets - power

-- named is the field of a bucket by its number.
local function named(i)
  local a = i % 256
  i = (i - a) / 256
  local b = i % 256
  i = (i - b) / 256
  local c = i % 256
  return char(a, b, c, (i - c) / 256)
end

-- number reads bytes, the highest first; bytes writes them.
local function number(s, from, width)
  local n = 0
  for i = from, from + width - 1 do n = n * 256 + byte(s, i) end
  return n
end
local function bytes(n, width)
  local s = ''
  for _ = 1, width do s, n = char(n % 256) .. s, floor(n / 256) end
  return s
end

-- fetched reads the buckets of the names in a text, each `width` apart. It returns what is in them; their fields; their places in both, by their
-- numbers; and the place of each name's.
local function fetched(names, width)
  local fields, places, at, n, k = {}, {}, {}, 0, 0
  for p = 1, #names, width do
    local a, b, c, d = byte(names, p, p + 3)
    local h = a + b * 256 + c * 65536 + d * 16777216
    local i = h % power
    if i < split then i = h % double end
    local place = places[i]
    if not place then
      n = n + 1
      place, places[i], fields[n] = n, n, named(i)
    end
    k = k + 1
    at[k] = place
  end
  local content = {}
  for from = 1, n, 4000 do -- Lua has room for some 8,000 arguments
    local some = call('HMGET', key, unpack(fields, from, math.min(from + 3999, n)))
    for i = 1, #some do content[from + i - 1] = some[i] or '' end
  end
  return content, fields, places, at
end
