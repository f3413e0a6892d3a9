-- ARGV: places, each a name and an index, ascending. Returns the table's generation ('' without one) and each state.
local content, _, _, at = fetched(ARGV[1], 17)
local answer, before, found, p = {call('HGET', key, 'generation') or ''}, nil, '', 1
for k = 1, #at do
  local name, index = sub(ARGV[1], k * 17 - 16, k * 17 - 1), byte(ARGV[1], k * 17)
  if name ~= before then
    local bucket = content[at[k]]
    local s, e = find(bucket, name, 1, true)
    before, found, p = name, s and sub(bucket, e + 7, e + 6 + number(bucket, e + 5, 2)) or '', 1
  end
  while p <= #found and byte(found, p + 1) < index do p = p + 2 + size[byte(found, p + 2)] end
  local there = p <= #found and byte(found, p) <= index
  answer[k + 1] = there and sub(found, p + 2, p + 1 + size[byte(found, p + 2)]) or ''
end
return answer
