-- ARGV: the transition, the retention in s, the lifetime of claims in ms, items, arguments. An item is a name (16 bytes), the
-- first and the last index, and which argument. Repeating a call with the same arguments changes nothing more.
-- claim has a last argument: how many of the items, the first ones, are each for itself; of the others those of one argument are
-- together. It answers with a letter for each index: won, busy, duplicate, or - for what could have been won, where one that it is
-- together with is busy: then nothing of these is changed.
local move, keep, items = ARGV[1], tonumber(ARGV[2]), ARGV[4]
local clock = call('TIME')
local second = tonumber(clock[1])
local now = second * 1000 + floor(tonumber(clock[2]) / 1000)
local stamp, deadline = bytes(second, 4), bytes(now + tonumber(ARGV[3]), 6)
local letters -- of claim

local function used(state) return byte(state, 2) < 2 end -- of a final state: applied or duplicate

-- moves: from the state that indexes have ('' is nothing) to the one they get. n is how many they are.
local moves = {}

-- claim: the argument is a token.
function moves.claim(state, token, n)
  local kind = byte(state)
  local answer = 'd'
  if not kind then
    answer, state = 'w', 'c' .. deadline .. token
  elseif kind == 102 and not used(state) then
    answer, state = 'w', 'd' .. deadline .. token .. state
  elseif kind == 99 or kind == 100 then
    answer = sub(state, 8, 15) == token and 'w' or 'b'
  end
  letters[#letters + 1] = string.rep(answer, n)
  return state
end

-- release: the token's claims are taken back; what was before returns.
function moves.release(state, token)
  local kind = byte(state)
  if (kind == 99 or kind == 100) and sub(state, 8, 15) == token then return sub(state, 16) end
  return state
end

-- accepted: the argument is a token, '!' to replace a rejection, or '' to replace nothing. Where there is nothing, all
-- write. A token takes its own claim's place and any first claim's. Another request's claim over a rejection stays: what was
-- accepted may be what was rejected, and then nothing is stored yet for that request.
function moves.accepted(state, how)
  local kind = byte(state)
  if not kind or (kind == 99 and how ~= '') or (kind == 100 and sub(state, 8, 15) == how)
    or (kind == 102 and how == '!' and not used(state)) then
    return 'a'
  end
  return state
end

-- bound: the argument is the new state. What is final and used the id up stays.
function moves.bound(state, to)
  if byte(state) == 102 and used(state) then return state end
  return to
end

-- released: the argument is the state they must still have.
function moves.released(state, from)
  if state == from then return 'a' end
  return state
end

-- reopened: the argument is a transaction, and the state that those get that it made final.
function moves.reopened(state, how)
  if byte(state) == 102 and sub(state, 3, 10) == sub(how, 1, 8) then return sub(how, 9) end
  return state
end

-- final: the argument is 'live', 'evnt' or 'dead', then the new state. Of two finals the one that says more stays:
-- applied, then duplicate, then any rejection; of equals the later block, or the same transaction's, whose block a
-- reorganisation may have lowered. A restored rejection (of an event or a dead letter) does not replace a claim or a slot,
-- which are newer. Of an event only what applied is written where there is nothing. A rejection that is told of again, by its
-- transaction, keeps a claim over it; any other is of what was claimed.
function moves.final(state, how)
  local to, live = sub(how, 5), sub(how, 1, 4) == 'live'
  local kind, outcome = byte(state), byte(to, 2)
  if not kind then
    if outcome > 0 and sub(how, 1, 4) == 'evnt' then return state end
  elseif kind == 102 then
    local was, is = math.min(byte(state, 2), 2), math.min(outcome, 2)
    if is > was or (is == was and number(to, 11, 5) < number(state, 11, 5) and sub(to, 3, 10) ~= sub(state, 3, 10)) then
      return state
    end
  elseif outcome > 1 and not live and kind ~= 97 then
    return state
  elseif outcome > 1 and kind == 100 and sub(to, 3, 10) == sub(state, 18, 25) and sub(to, 3, 10) ~= string.rep('\0', 8) then
    return sub(state, 1, 15) .. to
  end
  return to
end

-- slot: the argument is the new state of a slot. What a later epoch wrote stays.
function moves.slot(state, to)
  if state ~= '' and number(state, 39, 6) > number(to, 39, 6) then return state end
  return to
end

-- transaction: the argument is the state of the transaction that the items before it tell of.
function moves.transaction(_, to) return to end

-- live is a state without a claim that has expired.
local function live(state)
  local kind = byte(state)
  if (kind == 99 or kind == 100) and number(state, 2, 6) <= now then return sub(state, 16) end
  return state
end

local content, fields, places, at = fetched(items, 19)
local dirty, were = {}, entries -- places of buckets to write
local undo -- of claim: what the buckets were

-- store puts a bucket.
local function store(i, bucket)
  if undo and not undo[i] then undo[i] = content[i] end
  content[i], dirty[i] = bucket, true
end

-- lengths are two bytes.
local function length(n) return char((n - n % 256) / 256, n % 256) end

-- walked is runs after items k … m, which are of one entry, ascend and do not overlap.
local function walked(runs, k, m, change)
  local out, from, to, held = {}, 0, 0, ''
  local function push(f, l, state)
    if state == held and f == to + 1 then
      to = l
      return
    end
    if held ~= '' then out[#out + 1] = char(from, to) .. held end
    from, to, held = f, l, state
  end
  local first, last, which = byte(items, k * 19 - 2, k * 19)
  local function move(e, state) -- moves from first to e
    push(first, e, change(state, ARGV[5 + which], e - first + 1))
    first = e + 1
    if first > last then
      k = k + 1
      if k <= m then first, last, which = byte(items, k * 19 - 2, k * 19) end
    end
  end
  local p = 1
  while p <= #runs do
    local f, l, kind = byte(runs, p, p + 2)
    local state = sub(runs, p + 2, p + 1 + size[kind])
    p = p + 2 + size[kind]
    while f <= l do
      if k > m or l < first then
        push(f, l, state)
        f = l + 1
      elseif f < first then
        push(f, first - 1, state)
        f = first
      elseif f > first then
        move(math.min(f - 1, last), '')
      else
        f = math.min(l, last) + 1
        move(f - 1, live(state))
      end
    end
  end
  while k <= m do move(last, '') end
  push(0, 0, '')
  return table.concat(out)
end

-- moved moves item k, and those behind it up to n that are of the same entry and come after it; the next one is returned.
local function moved(k, n, move)
  local p, i = k * 19 - 18, at[k]
  local name, bucket, change = sub(items, p, p + 15), content[i], moves[move]
  local first, last, which = byte(items, p + 16, p + 18)
  local m = k
  if k < n and at[k + 1] == i then
    local after = last
    while m < n and sub(items, m * 19 + 1, m * 19 + 16) == name and byte(items, m * 19 + 17) > after do
      m = m + 1
      after = byte(items, m * 19 - 1)
    end
  end
  local s, e = find(bucket, name, 1, true)
  local become
  if not s then
    if k == m then
      local state = change('', ARGV[5 + which], last - first + 1)
      if state == '' then return m + 1 end
      become = char(first, last) .. state
    else
      become = walked('', k, m, change)
      if become == '' then return m + 1 end
    end
    while bucket ~= '' and number(bucket, 17, 4) + keep < second do -- the oldest are first
      bucket, entries = sub(bucket, 23 + number(bucket, 21, 2)), entries - 1
    end
    store(i, bucket .. name .. stamp .. length(#become) .. become)
    entries = entries + 1
    return m + 1
  end
  local high, low, f, l, kind = byte(bucket, e + 5, e + 9)
  local size, rest = size[kind] + 2, e + 7 + high * 256 + low
  if k == m and f == first and l == last and rest == e + 7 + size then -- one run, all of it
    local was = sub(bucket, e + 9, rest - 1)
    local state = change((kind == 99 or kind == 100) and live(was) or was, ARGV[5 + which], last - first + 1)
    if state == was and move ~= 'transaction' then return m + 1 end
    become = state == '' and '' or char(first, last) .. state
  else
    local runs = sub(bucket, e + 7, rest - 1)
    become = walked(runs, k, m, change)
    if become == runs then return m + 1 end
  end
  if become == '' then
    store(i, sub(bucket, 1, s - 1) .. sub(bucket, rest))
    entries = entries - 1
  else
    store(i, sub(bucket, 1, s - 1) .. sub(bucket, rest) .. name .. stamp .. length(#become) .. become)
  end
  return m + 1
end

-- range moves items k … n.
local function range(k, n)
  while k <= n do k = moved(k, n, move) end
end

local answer = 1
local n = #items / 19
if move == 'final' then
  -- The last item is the transaction, which is not kept without what it made final. It may go before an entry that changed later.
  range(1, n - 1)
  if next(dirty) then moved(n, n, 'transaction') end
elseif move ~= 'claim' then
  range(1, n)
else
  local single = tonumber(ARGV[#ARGV])
  letters = {}
  range(1, single)
  local all, k = {table.concat(letters)}, single + 1
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
    all[#all + 1] = said
    k = last + 1
  end
  answer = table.concat(all)
end

-- Grow, as far as there are more entries than before.
local grown = buckets

-- placed is the place of a bucket by its number, of which there was none.
local function placed(i, bucket)
  local place = #fields + 1
  places[i], fields[place], content[place] = place, named(i), bucket
  return place
end

while entries > buckets * load and buckets - grown < 256 and buckets < 4294967296 do
  local number = buckets - power
  local from = places[number] or placed(number, call('HGET', key, named(number)) or '')
  local bucket, to = content[from], placed(buckets, '')
  local stay, go, p = {}, {}, 1
  while p <= #bucket do
    local a, b, c, d = byte(bucket, p, p + 3)
    local s1, s2, s3, s4, high, low = byte(bucket, p + 16, p + 21)
    local next = p + 22 + high * 256 + low
    if ((s1 * 256 + s2) * 256 + s3) * 256 + s4 + keep < second then
      entries = entries - 1
    elseif (a + b * 256 + c * 65536 + d * 16777216) % (2 * power) == buckets then
      go[#go + 1] = sub(bucket, p, next - 1)
    else
      stay[#stay + 1] = sub(bucket, p, next - 1)
    end
    p = next
  end
  content[from], content[to], dirty[from], dirty[to] = table.concat(stay), table.concat(go), true, true
  buckets = buckets + 1
  if buckets == 2 * power then power = buckets end
end

local set, del, n = {}, {}, 0
for i = 1, #fields do
  if dirty[i] then
    local bucket = content[i]
    if bucket == '' then
      del[#del + 1] = fields[i]
    else
      set[n + 1], set[n + 2], n = fields[i], bucket, n + 2
    end
  end
end
if entries ~= were or buckets ~= grown then
  set[n + 1], set[n + 2] = 'count', buckets .. ' ' .. entries
end
if #set > 0 then call('HSET', key, unpack(set)) end
if #del > 0 then call('HDEL', key, unpack(del)) end
return answer
