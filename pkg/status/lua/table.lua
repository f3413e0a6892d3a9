-- A table is a hash, KEYS[1]; doc.go describes its layout. States by their first byte: 97 a (accepted), 98 b (bound),
-- 99 c (claimed), 65 66 67 the same over a rejection, 102 f (final), 115 s (a slot), 116 t (a transaction).
local call, byte, char, find, sub, floor, min = redis.call, string.byte, string.char, string.find, string.sub, math.floor, math.min
local key, load = KEYS[1], 4
-- bytes of a state
local size = {[97] = 1, [98] = 9, [99] = 15, [65] = 16, [66] = 24, [67] = 30, [102] = 15, [115] = 44, [116] = 33}
local a, b = string.match(call('HGET', key, 'count') or '1 0', '^(%d+) (%-?%d+)$')
local buckets, entries, power = tonumber(a), tonumber(b), 1
while power * 2 <= buckets do power = power * 2 end

-- number reads a big-endian number.
local function number(s, from, width)
  local n = 0
  for i = from, from + width - 1 do n = n * 256 + byte(s, i) end
  return n
end
local function hash(s, p)
  local a, b, c, d = byte(s, p, p + 3)
  return a + b * 256 + c * 65536 + d * 16777216
end

-- named returns the field of a bucket.
local function named(i)
  return char(i % 256, floor(i / 256) % 256, floor(i / 65536) % 256, floor(i / 16777216))
end

-- fetched reads the buckets of the names in a text, one every `width` bytes. It returns their contents and fields,
-- the place in both by bucket number, and the place for each name.
local function fetched(names, width)
  local content, fields, places, at, n = {}, {}, {}, {}, 0
  for p = 1, #names, width do
    local h = hash(names, p)
    local i = h % power
    if i < buckets - power then i = h % (2 * power) end
    local place = places[i]
    if not place then
      n = n + 1
      place, places[i], fields[n] = n, n, named(i)
    end
    at[#at + 1] = place
  end
  for from = 1, n, 4000 do -- unpack is limited to about 8,000 values
    local some = call('HMGET', key, unpack(fields, from, min(from + 3999, n)))
    for i = 1, #some do content[from + i - 1] = some[i] or '' end
  end
  return content, fields, places, at
end
