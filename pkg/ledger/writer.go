package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// Lease is the lease of the relayer that runs Writer and folds. It only saves work: both are correct without it.
const Lease = "ledger"

const (
	firstBlocks = 1024            // a ledger begins at most about this many blocks below the final one
	eventBlocks = 64              // blocks read for events at once
	emptyEvery  = 5 * time.Second // blocks without events are appended if the last append is this old
	writerPoll  = time.Second
	doubtTries  = 4 // reads, a second apart, until a block counts as gone
)

// Heads is the chain that the process follows, verified link by link.
type Heads interface {
	// Final returns the newest final block; ok is false before the first.
	Final() (b evidence.Block, ok bool)
	// Block returns the chain's block at a height, if it is remembered or the final one.
	Block(number uint64) (b evidence.Block, ok bool)
	// Changed returns a channel that closes at a new head or final block.
	Changed() <-chan struct{}
}

// Chain queries the chain's endpoints. After an error the answer is unknown.
type Chain interface {
	// BlockByNumber returns the canonical block at a height, on an endpoint's word.
	BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error)
	// Events returns all logs of the contract in the blocks with one of the first topics, in order, proved by
	// receipts roots. paid contains the costs of their transactions if receipts were read.
	Events(ctx context.Context, blocks []evidence.Block, contract common.Address, topics []common.Hash) (logs []types.Log, paid map[common.Hash]evidence.Paid, err error)
	// Logs calls fn with the contract's logs of the blocks from … to (inclusive), in order, by ranges that end at
	// through.
	Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64, fn func(through evidence.Block, logs []types.Log) error) error
	// Paid returns the costs and inclusion times of the logs' transactions.
	Paid(ctx context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error)
}

// Letters reads the dead letters that have no contract event.
type Letters interface {
	// LastDeadLetter returns the newest sequence; 0 before the first.
	LastDeadLetter(ctx context.Context) (uint64, error)
	// DeadLettersAfter calls fn with those after a sequence, in order, of one project, or of all if of is nil.
	DeadLettersAfter(ctx context.Context, after uint64, of *score.ProjectID, fn func(seq uint64, d score.DeadLetter) error) error
}

// Store is the stream of the ledger; *stream.Ledger documents the methods.
type Store interface {
	Append(ctx context.Context, last uint64, data []byte) (uint64, error)
	Bounds(ctx context.Context) (first, last uint64, err error)
	At(ctx context.Context, seq uint64) (stream.Entry, error)
	Read(ctx context.Context, from uint64, fn func(stream.Entry) error) error
	Follow(ctx context.Context, from uint64, fn func(stream.Entry) error) error
	Since(ctx context.Context, at time.Time) (uint64, error)
}

type Writer struct {
	Deployment score.Deployment
	Heads      Heads
	Chain      Chain
	Letters    Letters
	Ledger     Store
	Log        *slog.Logger
	Metrics    prometheus.Registerer // nil: none

	Now   func() time.Time                           // nil means time.Now
	Sleep func(context.Context, time.Duration) error // nil means retry.Sleep

	metrics  *writerMetrics
	last     *stored // the newest message; nil while unknown
	data     []byte  // its stored form
	seq      uint64
	whole    evidence.Ref // the newest whole block in the ledger
	rewound  uint64       // sequence of the newest Rewind, or 0
	read     evidence.Ref // the newest block read; above whole if the blocks between lack events
	appended time.Time    // when this writer last appended
}

var (
	errUnlinked = errors.New("the blocks read do not lead to the followed chain")
	errTorn     = errors.New("a message of the ledger does not continue the one before it: NATS was restored while a relayer appended; " +
		"purge the stream LEDGER, and relayers write it again from the chain")
	errLetters = errors.New("couldn't read the dead letters")
)

// Run appends until ctx ends, then returns nil.
func (w *Writer) Run(ctx context.Context) error {
	trouble := retry.Trouble{
		Log: w.Log, Works: "the ledger follows the final blocks again",
		Fails: "couldn't append to the ledger of final blocks; statuses, boards, streams and webhooks wait, and the relayer tries again",
	}
	for ctx.Err() == nil {
		changed := w.Heads.Changed()
		err := retry.Contained(func() error { return w.CatchUp(ctx) })
		pause := writerPoll
		if trouble.Say(ctx, err); err != nil {
			changed, pause = nil, trouble.Pause(writerPoll)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// CatchUp appends everything up to the newest final block, and new dead letters. It may end anywhere: each append is
// a commit point, after which any writer's next call continues.
func (w *Writer) CatchUp(ctx context.Context) error {
	if w.Now == nil {
		w.Now = time.Now
	}
	if w.Sleep == nil {
		w.Sleep = retry.Sleep
	}
	if w.metrics == nil {
		w.metrics = newWriterMetrics(w.Metrics)
	}
	final, ok := w.Heads.Final()
	if !ok || final.Number < w.Deployment.DeployBlock {
		return nil
	}
	err := w.catchUp(ctx, final)
	if err != nil {
		w.last = nil // the stored end is unknown
	}
	if errors.Is(err, stream.ErrMoved) {
		return nil // another writer works
	}
	return err
}

func (w *Writer) catchUp(ctx context.Context, final evidence.Block) error {
	if w.last != nil { // Append compares only the sequence, which a restored stream may have reached by other messages
		entry, err := w.Ledger.At(ctx, w.seq)
		switch gone := errors.Is(err, stream.ErrGone); {
		case err != nil && !gone:
			return err
		case !gone && !bytes.Equal(entry.Data, w.data):
			w.last = nil
		}
	}
	if w.last == nil {
		if err := w.load(ctx, final); err != nil {
			return err
		}
	}
	unread := w.letters(ctx)
	if unread != nil && !errors.Is(unread, errLetters) {
		return unread
	}
	return cmp.Or(w.chain(ctx, final), unread) // final blocks are appended first
}

func (w *Writer) chain(ctx context.Context, final evidence.Block) error {
	// If the ledger is ahead, this relayer's endpoints lag behind the last writer's.
	if w.read.Number > final.Number || w.last.Number > final.Number {
		return nil
	}
	if err := w.rewind(ctx, final); err != nil {
		return err
	}
	for w.read.Number < final.Number {
		if err := w.blocks(ctx, final); err != nil {
			return err
		}
	}
	if w.read != w.whole && w.Now().Sub(w.appended) >= emptyEvery {
		return w.append(ctx, &stored{Kind: Block, Number: final.Number, Hash: final.Hash, Time: final.Time, Whole: true, Before: w.whole})
	}
	return nil
}

func (w *Writer) load(ctx context.Context, final evidence.Block) error {
	first, last, err := w.Ledger.Bounds(ctx)
	if err != nil {
		return err
	}
	w.seq, w.rewound, w.whole = last, 0, evidence.Ref{}
	if first > last {
		return w.begin(ctx, final)
	}
	entry, err := w.Ledger.At(ctx, last)
	if err != nil {
		return err
	}
	if w.last, err = decodeStored(entry.Data); err != nil {
		return fmt.Errorf("the ledger's newest message: %w", err)
	}
	w.rewound, w.data = w.last.Rewound, entry.Data
	switch {
	case w.last.Kind == Rewind:
		w.rewound = last
		fallthrough
	case w.last.Kind == Letter || w.last.Whole:
		w.whole = evidence.Ref{Number: w.last.Number, Hash: w.last.Hash}
	default:
		w.whole = w.last.Before
	}
	w.read = w.whole
	return nil
}

// begin appends a ledger's first message: a block near the final one. After a purge it is a Rewind, so that readers
// get all higher blocks again, even if the block was replaced.
func (w *Writer) begin(ctx context.Context, final evidence.Block) error {
	first := max(w.Deployment.DeployBlock, final.Number-min(final.Number, firstBlocks), 1) - 1
	b, err := w.blockAt(ctx, first)
	if err != nil {
		return err
	}
	w.last = &stored{}
	kind := Block
	if w.seq > 0 {
		kind = Rewind
		w.Log.Warn("the ledger of final blocks was purged; it begins again, and what follows it does so from there, too", "block", b.Number)
	}
	return w.append(ctx, &stored{Kind: kind, Number: b.Number, Hash: b.Hash, Time: b.Time, Whole: true, Before: b.Ref()})
}

func (w *Writer) blockAt(ctx context.Context, number uint64) (evidence.Block, error) {
	if b, ok := w.Heads.Block(number); ok {
		return b, nil
	}
	b, err := w.Chain.BlockByNumber(ctx, number)
	if err != nil {
		return b, fmt.Errorf("couldn't read block %d, behind which the ledger continues: %w", number, err)
	}
	return b, nil
}

func (w *Writer) append(ctx context.Context, s *stored) error {
	if s.Kind != Letter {
		s.Letters = w.last.Letters
	}
	s.Rewound = w.rewound
	ctx, cancel := context.WithTimeout(ctx, appendTimeout)
	defer cancel()
	data := encode(s)
	seq, err := w.Ledger.Append(ctx, w.seq, data)
	if err != nil {
		return err
	}
	w.last, w.data, w.seq, w.appended = s, data, seq, w.Now()
	if s.Kind == Rewind {
		w.rewound = seq
	}
	if s.Kind == Rewind || s.Kind == Block && s.Whole {
		w.whole = evidence.Ref{Number: s.Number, Hash: s.Hash}
		w.read = w.whole
	}
	return nil
}

const appendTimeout = 10 * time.Second

func (w *Writer) letters(ctx context.Context) error {
	newest, err := w.Letters.LastDeadLetter(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", errLetters, err)
	}
	after := w.last.Letters
	if newest == after {
		return nil
	}
	if newest < after {
		w.Log.Warn("the stream of dead letters ends before what the ledger has of it, so NATS lost some; the ledger appends all that are left again",
			"appended", after, "last", newest)
		after = 0
	}
	if !w.wholeNow() {
		return nil // letters wait for the rest of the block that was begun
	}
	var failed error
	err = w.Letters.DeadLettersAfter(ctx, after, nil, func(seq uint64, d score.DeadLetter) error {
		data, err := json.Marshal(d)
		if err != nil {
			return fmt.Errorf("couldn't encode dead letter %s: %w", d.ID, err)
		}
		failed = w.append(ctx, &stored{Kind: Letter, Number: w.whole.Number, Hash: w.whole.Hash, Time: w.last.Time, Before: w.whole, Letters: seq, Letter: data})
		return failed
	})
	if err != nil && failed == nil {
		return fmt.Errorf("%w: %w", errLetters, err)
	}
	return failed
}

func (w *Writer) wholeNow() bool { return w.last.Kind != Block || w.last.Whole }

// rewind appends a Rewind if the ledger's newest block is not canonical, to the ledger's newest block that is.
func (w *Writer) rewind(ctx context.Context, final evidence.Block) error {
	end := evidence.Ref{Number: w.last.Number, Hash: w.last.Hash} // also of an incomplete block
	if ok, err := w.inChain(ctx, final, end, doubtTries); err != nil || ok {
		if ok && w.read != w.whole { // the blocks above whole may have been replaced
			if again, err := w.inChain(ctx, final, w.read, 1); err != nil || again {
				return err
			}
			w.read = w.whole
		}
		return err
	}
	first, _, err := w.Ledger.Bounds(ctx)
	if err != nil {
		return err
	}
	var to *stored
	below := final.Number
	for seq := w.seq; seq >= first; seq-- {
		entry, err := w.Ledger.At(ctx, seq)
		if errors.Is(err, stream.ErrGone) {
			break
		}
		if err != nil {
			return err
		}
		s, err := decodeStored(entry.Data)
		if err != nil {
			return err
		}
		if s.Kind == Letter || s.Kind == Block && !s.Whole || s.Number > below {
			continue
		}
		below = min(below, s.Number) // an earlier Rewind replaced higher ones
		ok, err := w.inChain(ctx, final, evidence.Ref{Number: s.Number, Hash: s.Hash}, 1)
		if err != nil {
			return err
		}
		if ok {
			to = s
			break
		}
	}
	if to == nil {
		b, err := w.blockAt(ctx, max(w.Deployment.DeployBlock, 1)-1)
		if err != nil {
			return err
		}
		to = &stored{Number: b.Number, Hash: b.Hash}
	}
	if err := w.append(ctx, &stored{Kind: Rewind, Number: to.Number, Hash: to.Hash, Time: final.Time, Whole: true, Before: w.whole}); err != nil {
		return err
	}
	w.metrics.rewinds.Inc()
	w.Log.Error("final blocks are not in the chain any more: a reorg deeper than finality; the ledger takes them back, and what follows it does the same",
		"was_block", end.Number, "was_hash", end.Hash, "to_block", to.Number, "to_hash", to.Hash)
	return nil
}

// inChain reports whether a block up to the final one is canonical. If the process does not remember the block, an
// endpoint has to deny it tries times.
func (w *Writer) inChain(ctx context.Context, final evidence.Block, ref evidence.Ref, tries int) (bool, error) {
	if ref.Number == final.Number {
		return ref == final.Ref(), nil
	}
	if b, ok := w.Heads.Block(ref.Number); ok {
		return b.Hash == ref.Hash, nil
	}
	for n := 1; ; n++ {
		b, err := w.Chain.BlockByNumber(ctx, ref.Number)
		switch {
		case err != nil:
			return false, fmt.Errorf("couldn't read block %d: %w", ref.Number, err)
		case b.Hash == ref.Hash || n >= tries:
			return b.Hash == ref.Hash, nil
		}
		if err := w.Sleep(ctx, writerPoll); err != nil {
			return false, err
		}
	}
}

// linkedMost is how many blocks that Heads has forgotten are read before any is appended, since only their link to
// the final block proves them. Lower blocks, after a long stop, are appended range by range.
const linkedMost = 4096

// blocks appends the blocks after the newest one read: those that Heads remembers with proof, older ones in ranges.
func (w *Writer) blocks(ctx context.Context, final evidence.Block) error {
	from := w.read.Number + 1
	var chain []evidence.Block
	for parent := w.read; len(chain) < eventBlocks && parent.Number < final.Number; {
		b, ok := w.Heads.Block(parent.Number + 1)
		if parent.Number+1 == final.Number {
			b, ok = final, true
		}
		if !ok {
			break
		}
		if b.Parent != parent.Hash {
			return fmt.Errorf("%w: block %d", errUnlinked, b.Number) // replaced just now
		}
		chain, parent = append(chain, b), b.Ref()
	}
	contract, topics := w.Deployment.Contract, registry.Topics()
	if len(chain) > 0 {
		logs, paid, err := w.Chain.Events(ctx, chain, contract, topics)
		if err != nil {
			return fmt.Errorf("couldn't read the contract's events of blocks %d to %d: %w", from, chain[len(chain)-1].Number, err)
		}
		return w.appendLogs(ctx, logs, paid, chain[len(chain)-1])
	}
	var unlinked []types.Log
	return w.Chain.Logs(ctx, contract, topics, from, final.Number, func(through evidence.Block, logs []types.Log) error {
		known, ok := w.Heads.Block(through.Number)
		if through.Number == final.Number {
			known, ok = final, true
		}
		if ok && known.Hash != through.Hash {
			return fmt.Errorf("%w: block %d", errUnlinked, through.Number)
		}
		unlinked = append(unlinked, logs...)
		if through.Number < final.Number && final.Number-through.Number < linkedMost {
			return nil
		}
		logs, unlinked = unlinked, nil
		return w.appendLogs(ctx, logs, nil, through)
	})
}

// appendLogs appends logs block by block, and reads the costs that paid lacks.
func (w *Writer) appendLogs(ctx context.Context, logs []types.Log, paid map[common.Hash]evidence.Paid, through evidence.Block) error {
	for len(logs) > 0 {
		n := 1
		for n < len(logs) && logs[n].BlockHash == logs[0].BlockHash {
			n++
		}
		if err := w.block(ctx, logs[:n], paid); err != nil {
			return err
		}
		logs = logs[n:]
	}
	w.read = through.Ref()
	return nil
}

// block appends the logs of one block, or those that a dead writer left out.
func (w *Writer) block(ctx context.Context, logs []types.Log, paid map[common.Hash]evidence.Paid) (err error) {
	block := evidence.Ref{Number: logs[0].BlockNumber, Hash: logs[0].BlockHash}
	if _, known := paid[logs[0].TxHash]; !known { // receipts are read by the block: paid has all its transactions or none
		if paid, err = w.Chain.Paid(ctx, logs); err != nil {
			return err
		}
	}
	after := -1
	if !w.wholeNow() && w.last.Hash == block.Hash {
		after = w.last.lastLog()
	}
	for _, s := range blockMessages(block, paid[logs[0].TxHash].Time, w.whole, logs, after, paid) {
		if err := w.append(ctx, s); err != nil {
			return err
		}
		w.metrics.events.Add(float64(cmp.Or(len(s.Txs), 0)))
	}
	return nil
}
