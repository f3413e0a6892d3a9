-- ARGV: the first bucket, how many, the retention in s, the time in ms after which a table expires that is not swept, the token
-- under which to forget what is unfinished ('' to forget nothing; where another counts, the answer is empty), and the retention in s of what is final. Removes what is older from these
-- buckets, or forgets what is accepted or bound, and the slots. Answers with the next bucket, 0 behind the last; how many updates and
-- creations were forgotten; and the age in s of the oldest final one that stays. An entry only moves to a higher bucket, so a pass from 0
-- on misses none.
local from, keep, forget, finals = tonumber(ARGV[1]), tonumber(ARGV[3]), ARGV[5] ~= '', tonumber(ARGV[6])
if forget and call('HGET', key, 'forgetting') ~= ARGV[5] then return {} end
local second = tonumber(call('TIME')[1])
call('PEXPIRE', key, ARGV[4])
local last = math.min(from + tonumber(ARGV[2]), buckets) - 1
local fields, forgotten, removed, oldest = {}, 0, 0, 0

-- finished tells whether nothing from p to before next is claimed, accepted, bound or a slot.
local function finished(bucket, p, next)
  while p < next do
    local kind = byte(bucket, p + 2)
    if kind >= 97 and kind <= 100 or kind == 115 then return false end
    p = p + 2 + size[kind]
  end
  return true
end

for i = from, last do fields[#fields + 1] = named(i) end
local contents = #fields > 0 and call('HMGET', key, unpack(fields)) or {}
for i, f in ipairs(fields) do
  local bucket, out, p = contents[i] or '', {}, 1
  while p <= #bucket do
    local next = p + 22 + number(bucket, p + 20, 2)
    if not forget then
      local age = second - number(bucket, p + 16, 4)
      local final = finished(bucket, p + 22, next)
      if age <= keep and (age <= finals or not final) then
        out[#out + 1] = sub(bucket, p, next - 1)
        if final then oldest = math.max(oldest, age) end
      end
    else
      local runs, r = {}, p + 22
      while r < next do
        local f, l, kind = byte(bucket, r, r + 2)
        local after = r + 2 + size[kind]
        if kind == 97 or kind == 98 then
          forgotten = forgotten + l - f + 1
        elseif kind ~= 115 then
          runs[#runs + 1] = sub(bucket, r, after - 1)
        end
        r = after
      end
      local rest = table.concat(runs)
      if rest ~= '' then
        out[#out + 1] = sub(bucket, p, p + 19) .. char(floor(#rest / 256), #rest % 256) .. rest
      end
    end
    removed, p = removed + 1, next
  end
  removed = removed - #out
  local rest = table.concat(out)
  if rest == '' then
    call('HDEL', key, f)
  elseif rest ~= bucket then
    call('HSET', key, f, rest)
  end
end
if removed > 0 then call('HSET', key, 'count', buckets .. ' ' .. (entries - removed)) end
return {last + 1 < buckets and last + 1 or 0, forgotten, oldest}
