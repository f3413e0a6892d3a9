-- ARGV: names. Answers with the table's generation (empty while it has none), the runs of each name, and then, of each
-- transaction that these runs tell of, its 8 bytes there and its hash.
local names = ARGV[1]
local content, _, _, at = fetched(names, 16)
local function runs(bucket, name)
  local s, e = find(bucket, name, 1, true)
  if not s then return '' end
  return sub(bucket, e + 7, e + 6 + number(bucket, e + 5, 2))
end
local answer = {call('HGET', key, 'generation') or ''}
local known, transactions = {}, {}
for k = 1, #at do
  local found = runs(content[at[k]], sub(names, k * 16 - 15, k * 16))
  answer[k + 1] = found
  local p = 1
  while p <= #found do
    local kind, ref = byte(found, p + 2)
    if kind == 102 then ref = sub(found, p + 4, p + 11) end
    if kind == 100 then ref = sub(found, p + 19, p + 26) end
    if ref and not known[ref] then known[ref], transactions[#transactions + 1] = true, ref .. 'transact' end
    p = p + 2 + size[kind]
  end
end
local all = table.concat(transactions)
content, _, _, at = fetched(all, 16)
for k = 1, #at do
  local found = runs(content[at[k]], transactions[k])
  if found ~= '' then
    answer[#answer + 1] = sub(transactions[k], 1, 8)
    answer[#answer + 1] = sub(found, 4)
  end
end
return answer
