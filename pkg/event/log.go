package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/sync/errgroup"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrReplaced says that the chain does not have a cursor's block any more: blocks that were final were replaced.
var ErrReplaced = errors.New("the chain has replaced the block that the cursor names, which was final")

// ErrAhead says that the chain does not have a cursor's block yet, at the endpoints of this process.
var ErrAhead = errors.New("the chain does not have the block that the cursor names, yet")

// Chain asks the chain's endpoints, as index.Chain does.
type Chain interface {
	// FinalBlock is the newest final block by a rule: so many confirmations, or by 0 the chain's finalized tag; ethereum.NotFound while there is none.
	FinalBlock(ctx context.Context, confirmations uint64) (evidence.Block, error)
	// BlockByNumber is the canonical block of that height.
	BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error)
	// BlockByHash is a block, of any branch; ethereum.NotFound where no endpoint has it.
	BlockByHash(ctx context.Context, hash common.Hash) (evidence.Block, error)
	// Logs hands the contract's logs of the blocks from … to (inclusive) to fn, in order, a range of blocks at a time; through is the last block of the range.
	Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64, fn func(through evidence.Block, logs []types.Log) error) error
	// Call runs a message on the state of block at.
	Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error)
}

// Projects knows the records of final projects. A directory's view does.
type Projects interface {
	// Project is a project's record, which may not be changed; ok is false of one that it does not know (yet).
	Project(id score.ProjectID) (rec *score.Record, ok bool)
}

// DeadLetters reads the dead letters that no event of the contract tells of.
type DeadLetters interface {
	// LastDeadLetter is the sequence of the newest; 0 while there was none.
	LastDeadLetter(ctx context.Context) (uint64, error)
	// DeadLettersAfter hands those after a sequence to fn, in order, of one project or, of nil, of all. An error of fn ends it.
	DeadLettersAfter(ctx context.Context, after uint64, of *score.ProjectID, fn func(seq uint64, d score.DeadLetter) error) error
}

// Reader is what reads a project's log. It may be used by many at once.
type Reader interface {
	// Next waits until the log was read further than a cursor, and returns at most about limit events (at least 1) and the cursor after them. Often there
	// are no events: the cursor says that nothing is before it. A reader that stores cursors stores such a one now and then, so that it has little to read again.
	// With an error come no events and the cursor that was given. Of the calls of one AsReader, one at a time reads old blocks.
	// ErrReplaced: see the package. The context's error: it ended while there was nothing. Any other error may pass: try again after a pause.
	Next(ctx context.Context, project score.ProjectID, after Cursor, limit int) ([]Event, Cursor, error)
	// End is the cursor after all that is final now.
	End(ctx context.Context) (Cursor, error)
	// Holds is nil if Next can continue from a cursor, and at once ErrReplaced if no endpoint knows its block, ErrAhead if that is yet to come. Any other
	// error may pass.
	Holds(ctx context.Context, at Cursor) error
}

// Defaults of a Log.
const (
	DefaultPoll   = time.Second
	DefaultBudget = 32 << 20
)

const (
	tailBlocks    = 128 // that the tail begins with: a process that was started again has readers a few blocks behind
	olderAtOnce   = 2   // readers that read what the tail does not have; a range of blocks may take some seconds and 100 MB
	timesAtOnce   = 8   // blocks whose times are asked for
	blocksKnown   = 8192
	projectsKnown = 1024
	doubtTries    = 4           // looks, a Poll apart, before a block that was final is called replaced: one endpoint's word may be wrong for a moment
	tailKept      = time.Minute // without a reader
	tellPause     = time.Minute // between two lines of the log about readers that cannot be told
	eventMemory   = 512         // bytes that a log takes, about, beside its updates
	updateMemory  = 128         // bytes that one of these takes
	longPolls     = 10          // Polls that a reader may be held up before that is a stall
	stallPolls    = 60          // Polls that a stall is shown for: longer than until a reader that waits fails again
)

// NewStalled is the gauge that says whether a process's readers of events wait for what cannot be read.
func NewStalled(reg prometheus.Registerer) prometheus.Gauge {
	return promauto.With(reg).NewGauge(prometheus.GaugeOpts{
		Name: "scorelay_events_stalled", Help: "1 while readers of events (streams of the API, webhooks of the relayer) wait for what cannot be read of the chain or the dead letters, or for a directory that stays behind; for a minute after one did.",
	})
}

// Log is a Reader. Run must be running.
type Log struct {
	Deployment    score.Deployment
	Confirmations uint64 // by which blocks are final: the relayers' rule or a stricter one
	Chain         Chain
	Projects      Projects
	DeadLetters   DeadLetters
	Poll          time.Duration    // how often to look for what became final, while there are readers; 0 means DefaultPoll
	Budget        int              // bytes kept of the newest blocks, as many of older ones, and as many of dead letters, about; 0 means DefaultBudget
	Stalled       prometheus.Gauge // of NewStalled; nil: none
	Logger        *slog.Logger

	init      sync.Once
	reading   chan struct{}                      // one for each reader of what is older
	perReader sync.Map                           // by a name of AsReader: holds one while a call of that reader reads what is older
	asking    chan struct{}                      // holds one while the contract is asked for lists
	times     *lru.Cache[common.Hash, time.Time] // of blocks
	known     *lru.Cache[uint64, common.Hash]    // final blocks, by height
	lists     *lru.Cache[score.ProjectID, lists] // of projects whose records lacked something

	looking chan struct{} // holds one while there is a look at the chain's end
	looked  time.Time     // when the newest one that worked began; guarded by looking

	mu      sync.Mutex // guards what follows
	tail    segments   // the newest blocks, each following the one before
	older   segments   // what was read of older ones, in any order
	letters letters
	changed chan struct{} // closed when the tail or the letters have more
	readers int
	left    time.Time // when there was one
	told    time.Time // when the log was told of a reader that cannot be told
	stuck   time.Time // when there was one
	awaited time.Time // when one waited for the directory
	awaits  time.Time // since when some do, one after the other or all the time
	failed  error     // why the first of Run's looks failed that could not follow the chain in a row; nil: the newest could
	failing time.Time // when it failed
}

func (l *Log) prepare() {
	l.init.Do(func() {
		l.Poll, l.Budget = cmp.Or(l.Poll, DefaultPoll), cmp.Or(l.Budget, DefaultBudget)
		l.reading, l.looking, l.changed = make(chan struct{}, olderAtOnce), make(chan struct{}, 1), make(chan struct{})
		l.times, l.known = lru.NewCache[common.Hash, time.Time](blocksKnown), lru.NewCache[uint64, common.Hash](blocksKnown)
		l.asking, l.lists = make(chan struct{}, 1), lru.NewCache[score.ProjectID, lists](projectsKnown)
	})
}

var _ Reader = (*Log)(nil)

// End is the cursor after all that is final now.
func (l *Log) End(ctx context.Context) (Cursor, error) {
	l.prepare()
	if err := l.look(ctx); err != nil {
		return Cursor{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	end, ok := l.tail.end()
	if !ok {
		return Cursor{dead: l.letters.through}, nil // nothing is final yet, so its beginning is now
	}
	return Cursor{block: end, logIndex: wholeBlock, dead: l.letters.through}, nil
}

// Holds is Reader.Holds.
func (l *Log) Holds(ctx context.Context, at Cursor) error {
	l.prepare()
	if err := l.look(ctx); err != nil {
		return err
	}
	if at.block == (evidence.Ref{}) {
		return nil
	}
	b, err := l.Chain.BlockByNumber(ctx, at.block.Number)
	switch {
	case errors.Is(err, ethereum.NotFound):
		return ErrAhead
	case err != nil || b.Hash == at.block.Hash:
		return err
	}
	if b, err = l.Chain.BlockByHash(ctx, at.block.Hash); errors.Is(err, ethereum.NotFound) || err == nil && b.Number != at.block.Number {
		return fmt.Errorf("%w: no endpoint knows block %d as %s", ErrReplaced, at.block.Number, at.block.Hash)
	}
	return l.has(ctx, at.block)
}

// Next is Reader.Next.
func (l *Log) Next(ctx context.Context, project score.ProjectID, after Cursor, limit int) ([]Event, Cursor, error) {
	l.prepare()
	l.count(1)
	defer l.count(-1)
	t := &turn{Log: l, project: project, at: after, limit: max(limit, 1)}
	for {
		changed := l.change()
		began := time.Now()
		if err := t.look(ctx); err != nil {
			if !errors.Is(err, ErrReplaced) && (ctx.Err() == nil || time.Since(began) > longPolls*l.Poll) {
				t.stall(err)
			}
			return nil, after, err
		}
		if t.at != after {
			return t.found, t.at, nil
		}
		if err := l.wait(ctx, changed, t.behind); err != nil {
			return nil, after, err
		}
	}
}

// count counts readers.
func (l *Log) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers += n
	l.left = time.Now()
}

func (l *Log) change() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// wait waits until there is more, or, behind, a directory may have caught up. The error says why nothing more comes.
func (l *Log) wait(ctx context.Context, changed <-chan struct{}, behind bool) error {
	l.mu.Lock()
	err := l.fails()
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if behind {
		limited, cancel := context.WithTimeout(ctx, l.Poll)
		defer cancel()
		select {
		case <-changed:
		case <-limited.Done():
		}
		return ctx.Err()
	}
	select {
	case <-changed:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// turn is one call of Next.
type turn struct {
	*Log

	project score.ProjectID
	at      Cursor // everything before it is in found, or nothing
	limit   int
	found   []Event
	behind  bool // the directory does not know yet what an update is of
}

// look looks once.
func (t *turn) look(ctx context.Context) error {
	t.behind = false
	err := t.lookAtChain(ctx)
	if err == nil {
		err = t.tellTimes(ctx)
	}
	if err != nil || len(t.found) >= t.limit {
		return err
	}
	if err = t.lookAtLetters(ctx); err != nil && len(t.found) > 0 {
		t.stall(err) // the chain's events first
		err = nil
	}
	return err
}

// stall notes that the reader waits for what cannot be read; Run shows it.
func (t *turn) stall(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stuck = time.Now()
	if t.stuck.Sub(t.told) > tellPause {
		t.told = t.stuck
		t.Logger.Warn("the event log could not read what a reader is to be told; the reader waits, and asks again", "project", t.project, "err", err)
	}
}

// lookAtChain finds the chain's events after the cursor, in what is kept or in one range of blocks that is not.
func (t *turn) lookAtChain(ctx context.Context) error {
	t.mu.Lock()
	end, ok := t.tail.end()
	t.mu.Unlock()
	if !ok {
		return nil
	}
	next, err := t.begin(ctx, end)
	for older := false; err == nil && next <= end.Number && !older && !t.behind && len(t.found) < t.limit; {
		t.mu.Lock()
		s := cmp.Or(t.tail.find(next), t.older.find(next))
		t.mu.Unlock()
		if older = s == nil; older {
			if s, err = t.readOlder(ctx, next, end); err != nil {
				return err
			}
		}
		if err := t.take(ctx, s, next); err != nil {
			return err
		}
		next = s.through.Number + 1
	}
	return err
}

// begin makes sure that the chain has the cursor's block, and tells from which block on there is something to read.
func (t *turn) begin(ctx context.Context, end evidence.Ref) (uint64, error) {
	at := t.at.block
	if at == (evidence.Ref{}) {
		info, err := t.readProject(ctx, end)
		if err != nil || info.Exists() {
			return info.CreatedBlock, err
		}
		t.at.block, t.at.logIndex, t.at.index = end, wholeBlock, 0
		return end.Number + 1, nil
	}
	if at.Number > end.Number { // another process, or another endpoint, is ahead of this one
		return at.Number, nil
	}
	if err := t.has(ctx, at); err != nil {
		return 0, err
	}
	if t.at.logIndex == wholeBlock {
		return max(at.Number+1, t.Deployment.DeployBlock), nil // anyone can name a block that is older, and there may be millions
	}
	return max(at.Number, t.Deployment.DeployBlock), nil
}

// has makes sure that a block is in the chain.
func (l *Log) has(ctx context.Context, ref evidence.Ref) error {
	if hash, ok := l.known.Get(ref.Number); ok && hash == ref.Hash {
		return nil
	}
	for n := 1; ; n++ {
		b, err := l.Chain.BlockByNumber(ctx, ref.Number)
		switch {
		case err != nil:
			return fmt.Errorf("couldn't read block %d: %w", ref.Number, err)
		case b.Hash == ref.Hash:
			l.known.Add(ref.Number, ref.Hash)
			return nil
		case n == doubtTries:
			return fmt.Errorf("%w: block %d was %s, and is %s now", ErrReplaced, ref.Number, ref.Hash, b.Hash)
		}
		if err := retry.Sleep(ctx, l.Poll); err != nil {
			return err
		}
	}
}

// tellTimes adds the times of blocks to what was found.
func (t *turn) tellTimes(ctx context.Context) error {
	var of []evidence.Ref
	for i := range t.found {
		if block := t.found[i].After.block; i == 0 || block != of[len(of)-1] {
			of = append(of, block)
		}
	}
	if err := t.readTimes(ctx, of); err != nil {
		return err
	}
	for i := range t.found {
		at, ok := t.times.Get(t.found[i].After.block.Hash)
		if !ok { // more blocks than are kept
			return fmt.Errorf("the time of block %s was forgotten", t.found[i].After.block.Hash)
		}
		t.found[i].Time = at
	}
	return nil
}

// readTimes learns when blocks were made.
func (l *Log) readTimes(ctx context.Context, of []evidence.Ref) error {
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(timesAtOnce)
	for _, ref := range of {
		if l.times.Contains(ref.Hash) {
			continue
		}
		asking.Go(func() error {
			b, err := l.Chain.BlockByNumber(ctx, ref.Number)
			switch {
			case err != nil:
				return fmt.Errorf("couldn't read block %d: %w", ref.Number, err)
			case b.Hash != ref.Hash:
				return fmt.Errorf("block %d was %s, and an endpoint says that it is %s", ref.Number, ref.Hash, b.Hash)
			}
			l.times.Add(b.Hash, time.Unix(int64(b.Time), 0).UTC())
			return nil
		})
	}
	return asking.Wait()
}
