-- ARGV: places, each a name and an index, in ascending order. Answers with the table's generation (empty while it has none), the state
-- at each place, and then, of each transaction that these states tell of, its 8 bytes there and its hash.
local places = ARGV[1]
local content, _, _, at = fetched(places, 17)
local function runs(bucket, name)
  local s, e = find(bucket, name, 1, true)
  if not s then return '' end
  return sub(bucket, e + 7, e + 6 + number(bucket, e + 5, 2))
end
local answer = {call('HGET', key, 'generation') or ''}
local known, transactions = {}, {}
local before, found, p
for k = 1, #at do
  local name, index = sub(places, k * 17 - 16, k * 17 - 1), byte(places, k * 17)
  if name ~= before then before, found, p = name, runs(content[at[k]], name), 1 end
  while p <= #found and byte(found, p + 1) < index do p = p + 2 + size[byte(found, p + 2)] end
  local state = ''
  if p <= #found and byte(found, p) <= index then
    local kind, ref = byte(found, p + 2)
    state = sub(found, p + 2, p + 1 + size[kind])
    if kind == 102 then ref = sub(state, 3, 10) end
    if kind == 100 then ref = sub(state, 18, 25) end
    if ref and not known[ref] then known[ref], transactions[#transactions + 1] = true, ref .. 'transact' end
  end
  answer[k + 1] = state
end
content, _, _, at = fetched(table.concat(transactions), 16)
for k = 1, #at do
  local found = runs(content[at[k]], transactions[k])
  if found ~= '' then
    answer[#answer + 1] = sub(transactions[k], 1, 8)
    answer[#answer + 1] = sub(found, 4)
  end
end
return answer
