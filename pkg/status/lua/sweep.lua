-- ARGV: see Store.sweep. Returns the next bucket, or 0 after the last; the number of forgotten updates and creations;
-- and the age in s of the oldest remaining final entry. Entries only move to higher buckets, so a pass from 0 misses
-- none.
local from, keep, forget, finals = tonumber(ARGV[1]), tonumber(ARGV[3]), ARGV[5] ~= '', tonumber(ARGV[6])
if forget and call('HGET', key, 'forgetting') ~= ARGV[5] then return {} end
call('PEXPIRE', key, ARGV[4])
local second, last = tonumber(call('TIME')[1]), min(from + tonumber(ARGV[2]), buckets) - 1
local fields, forgotten, removed, oldest = {}, 0, 0, 0
for i = from, last do fields[#fields + 1] = named(i) end
local contents = #fields > 0 and call('HMGET', key, unpack(fields)) or {}
for i, f in ipairs(fields) do
  local bucket, out, p = contents[i] or '', {}, 1
  while p <= #bucket do
    local next, age = p + 22 + number(bucket, p + 20, 2), second - number(bucket, p + 16, 4)
    local rest, final, r = '', true, p + 22
    while r < next do
      local l, kind = byte(bucket, r + 1, r + 2)
      local after, waits = r + 2 + size[kind], kind < 67 or kind == 97 or kind == 98
      final = final and not waits and kind ~= 67 and kind ~= 99 and kind ~= 115
      if waits then forgotten = forgotten + l - byte(bucket, r) + 1 end
      if waits and kind < 97 then -- an earlier rejection stays
        rest = rest .. sub(bucket, r, r + 1) .. sub(bucket, after - 15, after - 1)
      elseif not waits and kind ~= 115 then
        rest = rest .. sub(bucket, r, after - 1)
      end
      r = after
    end
    if forget and rest ~= '' then
      out[#out + 1] = sub(bucket, p, p + 19) .. char(floor(#rest / 256), #rest % 256) .. rest
    elseif not forget and age <= keep and (age <= finals or not final) then
      out[#out + 1] = sub(bucket, p, next - 1)
      if final then oldest = math.max(oldest, age) end
    end
    removed, p = removed + 1, next
  end
  removed = removed - #out
  local rest = table.concat(out)
  if rest == '' then call('HDEL', key, f) elseif rest ~= bucket then call('HSET', key, f, rest) end
end
if removed > 0 then call('HSET', key, 'count', buckets .. ' ' .. (entries - removed)) end
return {last + 1 < buckets and last + 1 or 0, forget and forgotten or 0, oldest}
