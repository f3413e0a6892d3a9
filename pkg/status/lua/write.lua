-- ARGV: see Store.writes. Returns 0 if the fold is at another position. For claims it returns a letter per index:
-- won, busy, duplicate, or - if free but another id of its group is busy. Calls are idempotent.
local keep, from, to, items = tonumber(ARGV[2]), ARGV[4], ARGV[5], ARGV[6]
if to ~= '' and call('HGET', key, 'fold') ~= from then return 0 end
local clock = call('TIME')
local second, now = tonumber(clock[1]), tonumber(clock[1]) * 1000 + floor(tonumber(clock[2]) / 1000)
local function bytes(n, width)
  local s = ''
  for _ = 1, width do s, n = char(n % 256) .. s, floor(n / 256) end
  return s
end
local stamp, deadline = bytes(second, 4), bytes(now + tonumber(ARGV[3]), 6)
local content, fields, places, at = fetched(items, 19)
-- places of changed buckets; claims: their content before, and the answers
local dirty, undo, letters, touched = {}, nil, nil, false

-- A rejection stays beneath a later try, so that a second fold recognizes it.
local function over(head, rejection)
  return rejection == '' and head or char(byte(head) - 32) .. sub(head, 2) .. rejection
end

-- stale reports whether a final state is no newer than another one of the same rank.
local function stale(state, than)
  local later = number(state, 11, 5) - number(than, 11, 5)
  return later < 0 or later == 0 and sub(state, 3, 10) == sub(than, 3, 10)
end

-- moves return the next state of n indexes. Arguments: the state ('' for none), its kind with or without a rejection
-- beneath, the rejection that it is or covers, and the item's argument.
local moves, change = {}, nil
function moves.claim(state, kind, rejection, token, n)
  local answer = 'd'
  if not kind or kind == 102 and rejection ~= '' then
    answer, state = 'w', over('c' .. deadline .. token, rejection)
  elseif kind == 99 then
    answer = sub(state, 8, 15) == token and 'w' or 'b'
  end
  letters[#letters + 1] = string.rep(answer, n)
  return state
end
function moves.release(state, kind, _, token)
  return kind == 99 and sub(state, 8, 15) == token and sub(state, 16) or state
end
function moves.accepted(state, kind, rejection, how) -- a token; '!' to replace a rejection, '' to replace no state
  local claimed = kind == 99 and (rejection == '' and how ~= '' or sub(state, 8, 15) == how)
  return (not kind or claimed or kind == 102 and rejection ~= '' and how == '!') and over('a', rejection) or state
end
-- the new state, the final block at assignment, and the slot's transactions
function moves.bound(state, kind, rejection, to)
  local own = rejection ~= '' and (number(rejection, 11, 5) > number(to, 10, 5) or find(to, sub(rejection, 3, 10), 15, true))
  return (own or kind == 102 and rejection == '') and state or over(sub(to, 1, 9), rejection)
end
function moves.released(state, kind, rejection, from) -- the state of the slot's items
  return kind == 98 and sub(state, 2, 9) == sub(from, 2) and over('a', rejection) or state
end
function moves.reopened(state, kind, rejection, how) -- a transaction, and the state that replaces its outcomes
  local tx = sub(how, 1, 8)
  if kind == 102 and sub(state, 3, 10) == tx then return byte(state, 2) > 127 and '' or sub(how, 9) end
  return rejection ~= '' and sub(rejection, 3, 10) == tx and char(kind) .. sub(state, 2, -16) or state
end
-- e (event) or l (letter) and the new state; or the state of their transaction
function moves.final(state, kind, rejection, how)
  if byte(how) == 116 then -- the last item, stored only if another changed
    touched = next(dirty) ~= nil
    return touched and how or state
  end
  local to, outcome, stays = sub(how, 2), byte(how, 3), false
  if not kind or kind == 99 then to = 'f' .. char(outcome + 128) .. sub(how, 4) end
  if not kind then -- anyone could fill the store with events of rejected updates that were never accepted
    stays = outcome > 0 and byte(how) == 101
  elseif kind == 102 then
    local was, is = min(byte(state, 2) % 128, 2), min(outcome, 2)
    stays = is > was or is == was and stale(to, state)
  elseif outcome > 1 then
    stays = rejection ~= '' and stale(to, rejection) or rejection == '' and kind == 99
  end
  return stays and state or to
end
function moves.slot(state, kind, _, to) -- a later epoch's state stays
  return kind and number(state, 39, 6) > number(to, 39, 6) and state or to
end
change = moves[ARGV[1]]

-- changed returns the state of n indexes after an item. An expired claim counts as the state beneath it.
local function changed(is, which, n)
  local kind = byte(is)
  if (kind == 99 or kind == 67) and number(is, 2, 6) <= now then is, kind = sub(is, 16), byte(is, 16) end
  local rejected = kind and (kind < 97 or kind == 102 and byte(is, 2) % 128 > 1)
  return change(is, kind and kind < 97 and kind + 32 or kind, rejected and sub(is, -15) or '', ARGV[7 + which], n)
end

-- merged applies items k … m, which ascend and do not overlap, to an entry's runs. Each step reaches the next index
-- at which a run or an item begins.
local function merged(runs, k, m)
  local out, held, since, x, p = {}, '', 0, 0, 1
  local f, l, kind, state, first, last, which
  while x < 256 do
    if not l or x > l then
      f, l, kind = byte(runs, p, p + 2)
      if f then state, p = sub(runs, p + 2, p + 1 + size[kind]), p + 2 + size[kind] else f, l = 256, 256 end
    end
    if not last or x > last then
      if k <= m then first, last, which = byte(items, k * 19 - 2, k * 19) else first, last = 256, 256 end
      k = k + 1
    end
    local is, e = '', f - 1
    if x >= f then is, e = state, l end
    if x < first then
      e = min(e, first - 1)
    else
      e = min(e, last)
      is = changed(is, which, e - x + 1)
    end
    if is ~= held then
      if held ~= '' then out[#out + 1] = char(since, x - 1) .. held end
      held, since = is, x
    end
    x = e + 1
  end
  if held ~= '' then out[#out + 1] = char(since, 255) .. held end
  return table.concat(out)
end

-- moved applies item k and the items up to n that follow it in the same entry, and returns the index of the next one.
local function moved(k, n)
  local i, m, name = at[k], k, sub(items, k * 19 - 18, k * 19 - 3)
  while m < n and at[m + 1] == i and sub(items, m * 19 + 1, m * 19 + 16) == name and byte(items, m * 19 + 17) > byte(items, m * 19 - 1) do
    m = m + 1
  end
  local bucket = content[i]
  local s, e = find(bucket, name, 1, true)
  local stop = s and e + 6 + number(bucket, e + 5, 2)
  local runs = s and sub(bucket, e + 7, stop) or ''
  local span, become = sub(items, k * 19 - 2, k * 19 - 1), nil
  if k == m and (runs == '' or sub(runs, 1, 2) == span and #runs == 2 + size[byte(runs, 3)]) then -- the common case
    become = changed(sub(runs, 3), byte(items, k * 19), byte(span, 2) - byte(span) + 1)
    become = become == '' and '' or span .. become
  else
    become = merged(runs, k, m)
  end
  if become == runs and not touched then return m + 1 end
  if s then
    bucket, entries = sub(bucket, 1, s - 1) .. sub(bucket, stop + 1), entries - 1
  else
    while bucket ~= '' and number(bucket, 17, 4) + keep < second do -- the oldest entries come first
      bucket, entries = sub(bucket, 23 + number(bucket, 21, 2)), entries - 1
    end
  end
  if become ~= '' then bucket, entries = bucket .. name .. stamp .. bytes(#become, 2) .. become, entries + 1 end
  if undo and not undo[i] then undo[i] = content[i] end
  content[i], dirty[i] = bucket, true
  return m + 1
end
local function range(k, n) while k <= n do k = moved(k, n) end end
local answer, were, grown, n = 1, entries, buckets, #items / 19
if ARGV[1] ~= 'claim' then range(1, n) else
  letters = {}
  local k = tonumber(ARGV[#ARGV]) + 1
  range(1, k - 1)
  local all = {table.concat(letters)}
  while k <= n do
    local last, which, before = k, byte(items, k * 19), entries
    while last < n and byte(items, last * 19 + 19) == which do last = last + 1 end
    undo, letters = {}, {}
    range(k, last)
    local said = table.concat(letters)
    if find(said, 'b', 1, true) then
      for i, bucket in pairs(undo) do content[i] = bucket end
      said, entries = string.gsub(said, 'w', '-'), before
    end
    all[#all + 1], k = said, last + 1
  end
  answer = table.concat(all)
end

local function placed(i)
  local place = #fields + 1
  places[i], fields[place] = place, named(i)
  content[place] = i < grown and call('HGET', key, fields[place]) or ''
  return place
end
-- split at most 256 buckets per call
while entries > buckets * load and buckets - grown < 256 and buckets < 4294967296 do
  local from, to = places[buckets - power] or placed(buckets - power), placed(buckets)
  local bucket, halves, p = content[from], {{}, {}}, 1
  while p <= #bucket do
    local half, next = halves[hash(bucket, p) % (2 * power) == buckets and 2 or 1], p + 22 + number(bucket, p + 20, 2)
    half[#half + 1], p = sub(bucket, p, next - 1), next
  end
  content[from], content[to], dirty[from], dirty[to] = table.concat(halves[1]), table.concat(halves[2]), true, true
  buckets = buckets + 1
  if buckets == 2 * power then power = buckets end
end
local set, del, m = {}, {}, 0
for i in pairs(dirty) do
  if content[i] == '' then del[#del + 1] = fields[i] else set[m + 1], set[m + 2], m = fields[i], content[i], m + 2 end
end
if entries ~= were or buckets ~= grown then set[m + 1], set[m + 2], m = 'count', buckets .. ' ' .. entries, m + 2 end
if to ~= '' then set[m + 1], set[m + 2] = 'fold', to end
if #set > 0 then call('HSET', key, unpack(set)) end
if #del > 0 then call('HDEL', key, unpack(del)) end
return answer
