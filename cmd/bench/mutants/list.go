package main

// bug is a one-line bug as people make them, planted by replacing text of a file.
type bug struct {
	name     string // what goes wrong
	file     string
	from, to string   // from occurs once in the file
	packages []string // whose tests should find it, besides the file's own
	race     bool     // only the race detector can find it
}

// bugs are planted in the places that lose or double an update, or mislead an operator. A bug that a rewrite removed
// is planted at its new place.
var bugs = []bug{
	{
		name: "a key is valid in the instant of its expiry",
		file: "pkg/score/grant.go", from: "!now.Before(g.Expires)", to: "now.After(g.Expires)",
		packages: []string{"./pkg/apikey", "./pkg/httpapi"},
	},
	{
		name: "an ack equal to the last sequence counts as new",
		file: "pkg/stream/publish.go", from: "ack.Sequence <= before", to: "ack.Sequence < before",
	},
	{
		name: "a reader rests with one message left behind a lagging copy",
		file: "pkg/stream/read.go", from: "if state.LastSeq >= r.next {", to: "if state.LastSeq > r.next {",
	},
	{
		name: "a project below its share jumps the queue",
		file: "pkg/batch/horizon.go", from: "if p.updates == 0 && (!some || p.served+p.inTurn <= h.turn) {", to: "if p.updates == 0 {",
	},
	{
		name: "a status keeps the higher block after a reorg lowers it",
		file: "pkg/status/lua/write.lua", from: "stays = is > was or is == was and stale(to, state)",
		to: "stays = is > was or is == was and number(to, 11, 5) <= number(state, 11, 5)",
	},
	{
		name: "the retention sweep deletes claims",
		file: "pkg/status/lua/sweep.lua", from: "kind ~= 67 and kind ~= 99 and kind ~= 115", to: "kind ~= 67 and kind ~= 115",
	},
	{
		name: "a reorg of exactly the final block is treated as an ordinary one",
		file: "pkg/heads/fork.go", from: "first <= t.final.Number", to: "first < t.final.Number",
	},
	{
		name: "a block is final one confirmation early",
		file: "pkg/evidence/block.go", from: "return head + 1 - confirmations, true", to: "return head + 2 - confirmations, true",
		packages: []string{"./pkg/heads"},
	},
	{
		name: "one transaction more than the window waits",
		file: "pkg/lane/lane.go", from: "case l.InFlight() >= l.window:", to: "case l.InFlight() > l.window:",
		packages: []string{"./pkg/relay"},
	},
	{
		name: "a transaction that a reorg removed is not broadcast again at once",
		file: "pkg/lane/step.go", from: "v.included, v.again, v.taken = nil, true, false", to: "v.included, v.again, v.taken = nil, false, false",
		packages: []string{"./pkg/relay"},
	},
	{
		name: "a replacement pays a tip that nodes refuse",
		file: "pkg/lane/fees.go", from: "max(least.Tip, want.Tip)", to: "max(prev.Tip, want.Tip)",
	},
	{
		name: "a purge takes one message that a lane needs",
		file: "pkg/relay/purge.go", from: "return p.source.Purge(limited, below)", to: "return p.source.Purge(limited, below+1)",
	},
	{
		name: "an update that the chain refused is tried once more than it should",
		file: "pkg/relay/requeue.go", from: "case work.Tries < refusedTries:", to: "case work.Tries <= refusedTries:",
	},
	{
		name: "a project's backlog is counted twice where two readings meet",
		file: "pkg/relay/park.go", from: "if at.Seq < p.seen {", to: "if at.Seq <= p.seen {",
	},
	{
		name: "a writer trusts its end of the ledger after a failed append",
		file: "pkg/ledger/writer.go", from: "err := w.catchUp(ctx, final)\n\tif err != nil {", to: "err := w.catchUp(ctx, final)\n\tif false {",
	},
	{
		name: "a ledger that cannot read dead letters does not report it",
		file: "pkg/ledger/writer.go", from: "cmp.Or(w.chain(ctx, final), unread)", to: "cmp.Or(w.chain(ctx, final), nil)",
	},
	{
		name: "a page of events begins with the last event of the one before",
		file: "pkg/event/reader.go", from: "return p.messages[i+1:]", to: "return p.messages[i:]",
	},
	{
		name: "a webhook's cursor is saved before the endpoint took the message",
		file: "pkg/webhook/courier.go", from: "if err := c.until(ctx, m); err != nil {", to: "c.state.Cursor = m.end\n\t\tif err := c.until(ctx, m); err != nil {",
	},
	{
		name: "top-ups do not wait for an account that shows fewer transfers than are final",
		file: "pkg/topup/pay.go", from: "case v.Account.Nonce < next:", to: "case false:",
	},
	{
		name: "a deletion older than a lease's renewal ends the lease",
		file: "pkg/store/kv/leases_board.go", from: "s != nil && s.revision < n.entry.Revision()", to: "s != nil",
	},
	{
		name: "a halt stays where the stream ends exactly at the sequence that it missed",
		file: "pkg/halt/guard.go", from: "ends >= g.found.Known", to: "ends > g.found.Known",
	},
	{
		name: "an audit does not see a log that the ledger has twice",
		file: "pkg/index/facts.go", from: "l.Index <= h.last", to: "l.Index < h.last",
	},
	{
		name: "a standing counts an update twice where two parts overlap",
		file: "pkg/standings/append.go", from: "at.Compare(mark) > 0 {\n\t\t\tbreak", to: "at.Compare(mark) >= 0 {\n\t\t\tbreak",
	},
	{
		name: "a read of logs skips a block between two ranges",
		file: "pkg/chain/logs.go", from: "from = last + 1", to: "from = last + 2",
	},
	{
		name: "a key is refused the last gas of its budget",
		file: "pkg/limit/take.lua", from: "others + mine + want > budget", to: "others + mine + want >= budget",
	},
	{
		name: "a batch is one item short of its bound",
		file: "pkg/redisdb/batcher.go", from: "total+b.waiting[n].size <= b.limit", to: "total+b.waiting[n].size < b.limit",
	},
	{
		name: "a backlog at its bound is not refused",
		file: "pkg/httpapi/accept.go", from: "backlog.Waiting < s.config.MaxWaiting", to: "backlog.Waiting <= s.config.MaxWaiting",
	},
	{
		name: "a caller whose update could not be stored meets its own claim",
		file: "pkg/httpapi/accept.go", from: "s.release(refs, token)\n\t\treturn nil, s.notStored(err)", to: "return nil, s.notStored(err)",
	},
	{
		name: "the bytes of a connection are freed without the lock",
		file: "pkg/httpapi/shares.go", from: "end bool) {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n", to: "end bool) {\n", race: true,
	},
	{
		name: "the older of two lanes' backlogs of a project is shown",
		file: "pkg/store/kv/backlogs.go", from: "last.Read < backlog.Read", to: "last.Read > backlog.Read",
	},
}
