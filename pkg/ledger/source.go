package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

var (
	// ErrReplaced: a reorg deeper than finality replaced the position's block, and its Rewind is gone.
	ErrReplaced = errors.New("the block of the position was final and is not in the chain any more")
	ErrAhead    = errors.New("the ledger does not reach the position yet")
)

// DefaultBudget is about the number of bytes of messages in a Source's memory.
const DefaultBudget = 32 << 20

const (
	tailMessages = 256     // read at start
	mostAtOnce   = 256     // messages of one Next
	mostBytes    = 2 << 20 // stored bytes of one Next, about
	sourcePause  = 250 * time.Millisecond
	eventMemory  = 512 // bytes of an event, about, besides its updates
	updateMemory = 128
)

// Source reads the ledger: its end from memory, shared by the whole process, older messages from NATS, and still
// older blocks from the chain. It is safe for concurrent use, and needs Run.
type Source struct {
	Ledger     Store
	Chain      Chain
	Deployment score.Deployment
	Budget     int  // 0 means DefaultBudget
	Costless   bool // older blocks are read as by Backfill without Costs
	Log        *slog.Logger
	Metrics    prometheus.Registerer // nil: none

	begin   sync.Once
	metrics *sourceMetrics

	mu      sync.Mutex
	kept    []*Message // the newest messages, contiguous
	size    int
	until   uint64        // the ledger's end when reading began
	changed chan struct{} // closed at a change of kept
	failing error         // of following the end; nil while that works
}

// Run follows the ledger's end until ctx ends, then returns nil.
func (s *Source) Run(ctx context.Context) error {
	trouble := retry.Trouble{
		Log: s.Log, Works: "the process reads the ledger of final blocks again",
		Fails: "couldn't read the ledger of final blocks; its readers wait, and the process tries again",
	}
	s.register()
	for ctx.Err() == nil {
		err := retry.Contained(func() error { return s.Follow(ctx) })
		trouble.Say(ctx, err)
		s.mu.Lock()
		s.failing = err
		s.notify()
		s.mu.Unlock()
		_ = retry.Sleep(ctx, trouble.Pause(sourcePause))
	}
	return nil
}

func (s *Source) register() {
	s.begin.Do(func() { s.metrics = newSourceMetrics(s.Metrics) })
}

// Follow reads from the end of kept, or else from near the ledger's end, until ctx ends or it fails. It never returns
// nil.
func (s *Source) Follow(ctx context.Context) error {
	s.register()
	first, last, err := s.Ledger.Bounds(ctx)
	if err != nil {
		return err
	}
	next := max(first, last+1-min(last, tailMessages))
	if newest := s.newest(); newest != nil {
		if same, err := s.holds(ctx, newest.Position); err != nil {
			return err
		} else if same {
			next = newest.Seq + 1
		} else {
			s.Log.Warn("NATS lost the ledger's end, or has an older copy of it; the process reads it again from what there is", "read", newest.Seq, "last", last)
			s.drop()
		}
	}
	s.mu.Lock()
	s.failing, s.until = nil, last
	s.mu.Unlock()
	return s.Ledger.Follow(ctx, next, func(e stream.Entry) error {
		m, err := decode(e.Seq, e.Data)
		if err != nil {
			return err
		}
		if newest := s.newest(); newest != nil && newest.Seq+1 == m.Seq && !m.follows(newest) {
			s.drop() // NATS was restored, and its ledger has grown over the messages read
			return errTorn
		}
		s.keep(m)
		return nil
	})
}

func (s *Source) newest() *Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) == 0 {
		return nil
	}
	return s.kept[len(s.kept)-1]
}

// keep appends a message to kept, and drops the oldest ones beyond the budget. After a gap, or if the ledger began
// again above the last message, it drops all earlier ones. Readers then continue at the block of their position.
func (s *Source) keep(m *Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.kept); n > 0 && (s.kept[n-1].Seq+1 != m.Seq || m.begins() && m.Block.Number > s.kept[n-1].Position.Block) {
		s.kept, s.size = nil, 0
	}
	s.kept, s.size = append(s.kept, m), s.size+memoryOf(m)
	s.metrics.shows(m)
	for s.size > cmp.Or(s.Budget, DefaultBudget) && len(s.kept) > 1 {
		s.size -= memoryOf(s.kept[0])
		s.kept[0] = nil
		s.kept = s.kept[1:]
	}
	s.notify()
}

func (s *Source) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept, s.size = nil, 0
	s.notify()
}

// notify needs the lock.
func (s *Source) notify() {
	if s.changed != nil {
		close(s.changed)
	}
	s.changed = make(chan struct{})
}

func memoryOf(m *Message) int {
	size := eventMemory * (1 + len(m.Events))
	for i := range m.Events {
		size += updateMemory * updatesIn(&m.Events[i])
	}
	if m.Letter != nil {
		size += len(m.Letter.Raw)
	}
	return size
}

// End returns the newest message. It waits until memory has reached the ledger's end as of when reading began. If
// reading fails, it returns that error, even if messages are kept.
func (s *Source) End(ctx context.Context) (*Message, error) {
	for {
		s.mu.Lock()
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		n, until, changed, failing := len(s.kept), s.until, s.changed, s.failing
		var m *Message
		if n > 0 {
			m = s.kept[n-1]
		}
		s.mu.Unlock()
		if m != nil && m.Seq >= until && failing == nil {
			return m, nil
		}
		if failing != nil {
			return nil, failing
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-changed:
		}
	}
}

// Final returns the newest final block; ok is false while the ledger has none. Errors are as in End.
func (s *Source) Final(ctx context.Context) (b evidence.Ref, ok bool, err error) {
	if s.newest() == nil {
		if first, last, err := s.Ledger.Bounds(ctx); err != nil || first > last {
			return b, false, err
		}
	}
	end, err := s.End(ctx)
	if err != nil {
		return b, false, err
	}
	return end.Block, true, nil
}

// Next returns messages after a position, in order, and waits until there is one. After ErrReplaced or ErrAhead the
// position is unusable. The context's error means that no message came. Other errors may pass. Messages are
// read-only.
func (s *Source) Next(ctx context.Context, after Position) ([]*Message, error) {
	for {
		end, err := s.End(ctx)
		if err != nil {
			return nil, err
		}
		if after.Seq == 0 {
			return s.older(ctx, after, end)
		}
		s.mu.Lock()
		changed := s.changed
		some, holds := s.inMemory(after)
		s.mu.Unlock()
		next := after
		if len(some) == 0 && !holds { // memory starts later, or is of a lost ledger
			some, next, err = s.stored(ctx, after, end)
		}
		if err != nil || len(some) > 0 {
			return some, err
		}
		if next == after { // the ledger's end, which memory may have yet to reach
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-changed:
			}
		}
		after = next
	}
}

// inMemory returns up to mostAtOnce kept messages after a position; holds is false if memory lacks the position. The
// caller holds the lock.
func (s *Source) inMemory(after Position) (some []*Message, holds bool) {
	i, holds := s.find(after)
	if holds {
		some = slices.Clone(s.kept[i+1 : min(len(s.kept), i+1+mostAtOnce)])
	}
	return some, holds
}

// find returns the index of a position's message in kept; holds reports whether it is there. It needs the lock.
func (s *Source) find(p Position) (i int, holds bool) {
	i = sort.Search(len(s.kept), func(i int) bool { return s.kept[i].Seq >= p.Seq })
	return i, i < len(s.kept) && s.kept[i].Position == p
}

// stored reads messages after a position from NATS. If the ledger lacks the position, it returns another to try.
func (s *Source) stored(ctx context.Context, after Position, end *Message) (some []*Message, next Position, err error) {
	holds, err := s.holds(ctx, after)
	if err != nil {
		return nil, after, err
	}
	if !holds {
		next, err = s.relocate(ctx, after, end)
		return nil, next, err
	}
	size := 0
	err = s.Ledger.Read(ctx, after.Seq+1, func(e stream.Entry) error {
		if e.Seq != after.Seq+1+uint64(len(some)) { // messages between were purged
			return errPassed
		}
		m, err := decode(e.Seq, e.Data)
		if err != nil {
			return err
		}
		some, size = append(some, m), size+len(e.Data)
		if len(some) >= mostAtOnce || size >= mostBytes {
			return stream.ErrStop
		}
		return nil
	})
	if errors.Is(err, errPassed) {
		if err = nil; len(some) == 0 {
			after, err = s.relocate(ctx, after, end)
		}
	}
	return some, after, err
}

var errPassed = errors.New("messages made room")

func (s *Source) holds(ctx context.Context, p Position) (bool, error) {
	m, err := s.at(ctx, p.Seq)
	if errors.Is(err, stream.ErrGone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	at := m.at()
	at.Seq = p.Seq
	return at == p, nil
}

// Holds returns nil if Next can continue from a position, else ErrReplaced or ErrAhead. Other errors may pass.
func (s *Source) Holds(ctx context.Context, at Position) error {
	end, err := s.End(ctx)
	if err != nil {
		return err
	}
	if at.Seq == 0 {
		if err = s.stands(ctx, at, end); errors.Is(err, ErrReplaced) {
			_, err = s.voided(ctx, end, err)
		}
		return err
	}
	holds, err := s.holds(ctx, at)
	if err == nil && !holds {
		_, err = s.relocate(ctx, at, end)
	}
	return err
}

// Stands returns nil if the position's block is canonical, else ErrReplaced or ErrAhead, even if the ledger has a
// Rewind for it. Other errors may pass.
func (s *Source) Stands(ctx context.Context, at Position) error {
	end, err := s.End(ctx)
	if err != nil {
		return err
	}
	return s.stands(ctx, Position{Block: at.Block, Hash: at.Hash}, end)
}

// Recent reports whether the messages after a position are in memory.
func (s *Source) Recent(after Position) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, holds := s.find(after)
	return holds
}

// relocate returns where to continue from a position that the ledger lacks: at its block, if canonical. Messages
// after that block come again; their events keep their ids.
func (s *Source) relocate(ctx context.Context, p Position, end *Message) (Position, error) {
	p = Position{Seq: p.Seq, Block: p.Block, Hash: p.Hash}
	if err := s.stands(ctx, p, end); err != nil {
		return p, err
	}
	p.Seq = 0
	return p, nil
}

// stands returns nil if the position's block is canonical, below the contract's, or has no hash; else ErrAhead or
// ErrReplaced.
func (s *Source) stands(ctx context.Context, p Position, end *Message) error {
	switch {
	case p.Block > end.Position.Block:
		return ErrAhead
	case p.Block < s.Deployment.DeployBlock, p.Hash == [8]byte{} && p.Seq == 0:
		return nil
	}
	b, err := s.Chain.BlockByNumber(ctx, p.Block)
	if err != nil {
		return fmt.Errorf("couldn't read block %d: %w", p.Block, err)
	}
	if short(b.Hash) != p.Hash {
		return fmt.Errorf("%w: block %d", ErrReplaced, p.Block)
	}
	return nil
}

// voided returns a Rewind to the contract's beginning, for a reader of replaced blocks older than the ledger. If the
// ledger has no Rewind, it returns the error gone.
func (s *Source) voided(ctx context.Context, end *Message, gone error) (*Message, error) {
	seq := end.Rewound
	if end.Kind == Rewind {
		seq = end.Seq
	}
	if seq == 0 {
		return nil, gone
	}
	stored, err := s.at(ctx, seq)
	if errors.Is(err, stream.ErrGone) {
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	m, err := stored.message()
	if err != nil {
		return nil, err
	}
	m.Block = evidence.Ref{Number: max(s.Deployment.DeployBlock, 1) - 1}
	m.Position, m.Rewound = Position{Block: m.Block.Number}, seq
	return m, nil
}

// older returns the messages after a position that the ledger lacks: from the chain up to the join, then from the
// ledger.
func (s *Source) older(ctx context.Context, after Position, end *Message) ([]*Message, error) {
	join, err := s.join(ctx, end)
	if err != nil {
		return nil, err
	}
	if err = s.stands(ctx, after, end); errors.Is(err, ErrReplaced) {
		var rewind *Message
		if rewind, err = s.voided(ctx, end, err); err == nil {
			return []*Message{rewind}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if after.Block < join.Block {
		some, err := Backfill{s.Chain, s.Deployment, registry.Topics(), !s.Costless}.next(ctx, max(after.Block+1, s.Deployment.DeployBlock), join)
		if err != nil {
			return nil, err
		}
		if err := s.stands(ctx, after, end); err != nil { // again, since a reorg may have come between both reads
			return nil, err
		}
		return some, nil
	}
	// The join is at or after all Rewinds. So block numbers rise after it, and search can bisect.
	n, err := s.search(ctx, join.Seq+1, end.Seq, func(m *stored) bool { return m.Number > after.Block })
	if err != nil {
		return nil, err
	}
	if n > join.Seq+1 {
		m, err := s.at(ctx, n-1)
		if err != nil {
			return nil, err
		}
		join, join.Seq = m.at(), n-1
	}
	if join.Letters > after.Letters {
		letters, err := s.letters(ctx, after, join.Seq)
		if err != nil || len(letters) > 0 {
			return letters, err
		}
	}
	return []*Message{join.nothing()}, nil
}

// Begin returns the position from which the ledger itself is read, with all its dead letters.
func (s *Source) Begin(ctx context.Context) (Position, error) {
	end, err := s.End(ctx)
	if err != nil {
		return Position{}, err
	}
	join, err := s.join(ctx, end)
	return Position{Block: join.Block, Hash: join.Hash}, err
}

// Start returns the position before a block that a projection knows, such as a project's creation. If the ledger has
// a Rewind and begins below the block, it returns Begin. For the projection may have yet to apply that Rewind, which
// may lower the block.
func (s *Source) Start(ctx context.Context, block uint64) (Position, error) {
	end, err := s.End(ctx)
	if err != nil {
		return Position{}, err
	}
	before := Position{Block: max(block, 1) - 1}
	if end.Rewound == 0 {
		return before, nil
	}
	begin, err := s.Begin(ctx)
	if before.Block < begin.Block {
		return before, err
	}
	return begin, err
}

// clocks is the most by which clocks of the chain, NATS and relayers differ.
const clocks = time.Minute

// Since returns a position before all blocks since a time, and before all dead letters in the ledger stored since
// then. If there are none, it returns the end.
func (s *Source) Since(ctx context.Context, at time.Time) (Position, error) {
	end, err := s.End(ctx)
	if err != nil {
		return Position{}, err
	}
	join, err := s.join(ctx, end)
	if err != nil {
		return Position{}, err
	}
	seq, err := s.Ledger.Since(ctx, at.Add(-clocks))
	if err != nil {
		return Position{}, err
	}
	var found Position
	m, gone := s.at(ctx, seq-1)
	if gone == nil {
		found = m.at()
	}
	if seq <= join.Seq {
		first := max(s.Deployment.DeployBlock, 1)
		read := func(number uint64) (evidence.Block, error) { return s.Chain.BlockByNumber(ctx, number) }
		n, err := evidence.FirstSince(first, max(join.Block+1, first), at, read)
		if err != nil {
			return Position{}, err
		}
		if n <= join.Block {
			b, err := read(n - 1)
			return Position{Block: b.Number, Hash: short(b.Hash), Letters: found.Letters}, err
		}
		seq, found, gone = join.Seq+1, join, nil
	}
	if found.Seq = seq - 1; gone != nil {
		return Position{}, gone
	}
	err = s.Ledger.Read(ctx, found.Seq+1, func(e stream.Entry) error {
		m, err := decode(e.Seq, e.Data)
		if err != nil {
			return err
		}
		if m.Kind != Rewind && !m.Time.Before(at) {
			return stream.ErrStop
		}
		found = m.Position
		return nil
	})
	return found, err
}

// StoredAt returns when the position's message was stored; zero if the ledger lacks it.
func (s *Source) StoredAt(ctx context.Context, at Position) (time.Time, error) {
	if holds, err := s.holds(ctx, at); err != nil || !holds {
		return time.Time{}, err
	}
	entry, err := s.Ledger.At(ctx, at.Seq)
	return entry.Stored, err
}

// Undone calls fn with the messages of the blocks that a Rewind rolled back, newest first. If the ledger lacks some,
// it returns ErrReplaced.
func (s *Source) Undone(ctx context.Context, rewind *Message, fn func(*Message) error) error {
	for seq := rewind.Seq - 1; ; seq-- {
		entry, err := s.Ledger.At(ctx, seq)
		if errors.Is(err, stream.ErrGone) {
			return fmt.Errorf("%w: blocks above %d, of which the ledger does not hold all", ErrReplaced, rewind.Block.Number)
		}
		if err != nil {
			return err
		}
		m, err := decode(seq, entry.Data)
		switch {
		case err != nil:
			return err
		case m.Kind == Letter:
			continue
		case m.Block.Number <= rewind.Block.Number && (m.Whole || m.Kind == Rewind):
			return nil
		case m.Kind == Block:
			if err := fn(m); err != nil {
				return err
			}
		}
	}
}

// letters returns the ledger's dead letters after a position up to sequence through, as messages without a sequence.
func (s *Source) letters(ctx context.Context, after Position, through uint64) (some []*Message, err error) {
	first, _, err := s.Ledger.Bounds(ctx)
	if err != nil {
		return nil, err
	}
	if first, err = s.search(ctx, first, through, func(m *stored) bool { return m.Letters > after.Letters }); err != nil || first > through {
		return nil, err
	}
	err = s.Ledger.Read(ctx, first, func(e stream.Entry) error {
		if e.Seq > through || len(some) >= mostAtOnce {
			return stream.ErrStop
		}
		m, err := decode(e.Seq, e.Data)
		if err == nil && m.Kind == Letter {
			after.Letters = m.Letters
			m.Position = after
			some = append(some, m)
		}
		return err
	})
	return some, err
}

// search returns the first sequence in from … through with a wanted message, or through + 1. wanted must be
// monotonic.
func (s *Source) search(ctx context.Context, from, through uint64, wanted func(*stored) bool) (uint64, error) {
	failed := error(nil)
	n := sort.Search(int(through+1-min(from, through+1)), func(i int) bool {
		m, err := s.at(ctx, from+uint64(i))
		failed = cmp.Or(failed, err)
		return err != nil || wanted(m)
	})
	return from + uint64(n), failed
}

func (s *Source) at(ctx context.Context, seq uint64) (*stored, error) {
	return storedAt(ctx, s.Ledger, seq)
}

// join returns the position up to which older blocks come from the chain: the ledger's newest Rewind, or else its
// first whole block.
func (s *Source) join(ctx context.Context, end *Message) (Position, error) {
	seq := end.Rewound
	if end.Kind == Rewind {
		seq = end.Seq
	}
	first, last, err := s.Ledger.Bounds(ctx)
	if err != nil {
		return Position{}, err
	}
	for seq = max(seq, first); seq <= last; seq++ {
		m, err := s.at(ctx, seq)
		if errors.Is(err, stream.ErrGone) {
			continue
		}
		if err != nil {
			return Position{}, err
		}
		if m.Kind == Rewind || m.Kind == Block && m.Whole {
			at := m.at()
			at.Seq = seq
			return at, nil
		}
	}
	return Position{}, errors.New("the ledger holds no whole block yet")
}

// Backfill reads blocks older than the ledger from the chain.
type Backfill struct {
	Chain      Chain
	Deployment score.Deployment
	Topics     []common.Hash
	Costs      bool // include times and costs, at one call for each transaction
}

// Read calls fn with the messages of the blocks from … to (inclusive), by ranges. A range's last message is of its
// last block.
func (b Backfill) Read(ctx context.Context, from, to uint64, fn func([]*Message) error) error {
	if from > to {
		return nil
	}
	return b.Chain.Logs(ctx, b.Deployment.Contract, b.Topics, from, to, func(through evidence.Block, logs []types.Log) error {
		paid := map[common.Hash]evidence.Paid{}
		if b.Costs {
			var err error
			if paid, err = b.Chain.Paid(ctx, logs); err != nil {
				return err
			}
		}
		var some []*Message
		for len(logs) > 0 {
			n := 1
			for n < len(logs) && logs[n].BlockHash == logs[0].BlockHash {
				n++
			}
			block := evidence.Ref{Number: logs[0].BlockNumber, Hash: logs[0].BlockHash}
			for _, s := range blockMessages(block, paid[logs[0].TxHash].Time, evidence.Ref{}, logs[:n], -1, paid) {
				m, err := s.message()
				if err != nil {
					return err
				}
				if !m.Whole {
					m.Position = Position{Block: block.Number - 1} // a reader that stops here repeats the block
				}
				some = append(some, m)
			}
			logs = logs[n:]
		}
		if n := len(some); n == 0 || some[n-1].Block.Number < through.Number {
			s := stored{Kind: Block, Number: through.Number, Hash: through.Hash, Time: through.Time, Whole: true}
			m, err := s.message()
			if err != nil {
				return err
			}
			some = append(some, m)
		}
		return fn(some)
	})
}

// next returns the first range's messages.
func (b Backfill) next(ctx context.Context, from uint64, join Position) (some []*Message, err error) {
	if from > join.Block {
		return []*Message{join.nothing()}, nil
	}
	err = b.Read(ctx, from, join.Block, func(messages []*Message) error {
		some = messages
		return stream.ErrStop
	})
	if err != nil && !errors.Is(err, stream.ErrStop) {
		return nil, fmt.Errorf("couldn't read the contract's events that are older than the ledger, from block %d on: %w", from, err)
	}
	if last := some[len(some)-1]; last.Block.Number == join.Block && short(last.Block.Hash) != join.Hash {
		return nil, fmt.Errorf("%w: block %d, from which on the ledger is whole", errUnlinked, join.Block)
	}
	return some, nil
}
