package status

import "github.com/redis/go-redis/v9"

// Every script reads and writes records of record.go. Those over many records get one key each.

// acceptedScript: KEYS records; ARGV retention ms, then how for each key: 'over' replaces a final rejection, 'c:<token>'
// this claim and any first claim, 'new' nothing. Where there is nothing, all write. Another request's claim over a
// rejection stays: what was accepted may be what was rejected, and then nothing is stored yet for that request.
var acceptedScript = redis.NewScript(`
for i, key in ipairs(KEYS) do
  local v, how = redis.call('GET', key), ARGV[i + 1]
  local claim, before = string.match(v or '', '^(c:[^:]+)(.*)$')
  local outcome = string.match(v or '', '^f:(%d+)')
  if not v
    or (claim and how ~= 'new' and (claim == how or before == ''))
    or (outcome and how == 'over' and tonumber(outcome) > 1) then
    redis.call('SET', key, 'a', 'PX', ARGV[1])
  end
end
return #KEYS`)

// boundScript: KEYS records; ARGV retention ms, the bound record. What is final and used the id up stays.
var boundScript = redis.NewScript(`
for i, key in ipairs(KEYS) do
  local v = redis.call('GET', key)
  local outcome = v and string.match(v, '^f:(%d+)')
  if not outcome or tonumber(outcome) > 1 then
    redis.call('SET', key, ARGV[2], 'PX', ARGV[1])
  end
end
return #KEYS`)

// slotScript: KEYS a slot's record; ARGV retention ms, the record, its epoch. What a later epoch wrote stays.
var slotScript = redis.NewScript(`
local epoch = string.match(redis.call('GET', KEYS[1]) or '', '^s:%x+:%d+:(%d+)$')
if not epoch or tonumber(epoch) <= tonumber(ARGV[3]) then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
end
return 1`)

// releasedScript: KEYS records; ARGV retention ms, the bound record they must still have.
var releasedScript = redis.NewScript(`
for i, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[2] then
    redis.call('SET', key, 'a', 'PX', ARGV[1])
  end
end
return #KEYS`)

// reopenedScript: KEYS records; ARGV retention ms, the transaction's hash as hex, the bound record. What that transaction
// made final is in its slot again.
var reopenedScript = redis.NewScript(`
for i, key in ipairs(KEYS) do
  local v = redis.call('GET', key)
  if v and string.match(v, '^f:%d+:%d+:(%x+)$') == ARGV[2] then
    redis.call('SET', key, ARGV[3], 'PX', ARGV[1])
  end
end
return #KEYS`)

// finalScript: KEYS records; ARGV retention ms, 'live', 'event' or 'dead', then one final record for each key. Of two
// finals the one that says more stays: applied, then duplicate, then any rejection; of equals the later block, or the
// same transaction's, whose block a reorganisation may have lowered. A restored rejection (of an event or a dead letter)
// does not replace a claim or a slot, which are newer. Of an event only what applied is written where there is nothing.
var finalScript = redis.NewScript(`
local function rank(outcome)
  if outcome > 1 then return 0 end
  return 2 - outcome
end
for i, key in ipairs(KEYS) do
  local record = ARGV[i + 2]
  local outcome, block, tx = string.match(record, '^f:(%d+):(%d+):(%x+)')
  outcome, block = tonumber(outcome), tonumber(block)
  local v = redis.call('GET', key)
  local write = true
  if v then
    local kind = string.sub(v, 1, 1)
    if kind == 'f' then
      local wasOutcome, wasBlock, wasTx = string.match(v, '^f:(%d+):(%d+):(%x+)')
      wasOutcome, wasBlock = rank(tonumber(wasOutcome)), tonumber(wasBlock)
      write = rank(outcome) > wasOutcome or (rank(outcome) == wasOutcome
        and (block >= wasBlock or tx == wasTx))
    elseif outcome > 1 and ARGV[2] ~= 'live' and kind ~= 'a' then
      write = false
    end
  elseif outcome > 0 and ARGV[2] == 'event' then
    write = false
  end
  if write then redis.call('SET', key, record, 'PX', ARGV[1]) end
end
return #KEYS`)

// completeScript: KEYS generation, restoring; ARGV the restore's token. Declares the store complete if nothing was
// flushed since the restore with that token began.
var completeScript = redis.NewScript(`
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
return 1`)
