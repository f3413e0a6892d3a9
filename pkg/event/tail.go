package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// segment is what was read of some blocks that follow each other. It never changes.
type segment struct {
	from    uint64       // the first block
	through evidence.Ref // the last one
	entries []entry      // in order
	size    int          // bytes, about
}

// entry is one of the contract's events.
type entry struct {
	block    evidence.Ref
	logIndex uint32
	tx       common.Hash
	event    registry.Event
}

// segments are kept as far as a bound of bytes goes, the newest ones.
type segments struct {
	list []*segment
	size int
}

func (s *segments) add(one *segment, budget int) {
	s.list, s.size = append(s.list, one), s.size+one.size
	for s.size > budget && len(s.list) > 1 {
		s.size -= s.list[0].size
		s.list[0] = nil
		s.list = s.list[1:]
	}
}

// follow adds a segment behind the last one. Blocks without events take no room of their own.
func (s *segments) follow(one *segment, budget int) {
	if n := len(s.list); n > 0 && len(one.entries) == 0 && len(s.list[n-1].entries) == 0 {
		s.list[n-1] = &segment{from: s.list[n-1].from, through: one.through, size: one.size}
		return
	}
	s.add(one, budget)
}

// find returns the segment that has a block, nil if none does.
func (s *segments) find(block uint64) *segment {
	for _, one := range slices.Backward(s.list) {
		if one.from <= block && block <= one.through.Number {
			return one
		}
	}
	return nil
}

// end is the last block of segments that follow each other.
func (s *segments) end() (evidence.Ref, bool) {
	if len(s.list) == 0 {
		return evidence.Ref{}, false
	}
	return s.list[len(s.list)-1].through, true
}

// parse makes a segment of logs. It ends at the end of a block as soon as it has so many bytes.
func parse(from uint64, through evidence.Ref, logs []types.Log, most int) (*segment, error) {
	s := &segment{from: from, through: through, size: eventMemory}
	for i := range logs {
		log := &logs[i]
		if n := len(s.entries); n > 0 && s.size >= most && s.entries[n-1].block.Number != log.BlockNumber {
			s.through = s.entries[n-1].block
			break
		}
		event, err := registry.ParseLog(log)
		if err != nil {
			return nil, err
		}
		s.entries = append(s.entries, entry{evidence.Ref{Number: log.BlockNumber, Hash: log.BlockHash}, uint32(log.Index), log.TxHash, event})
		s.size += eventMemory + len(log.Data)
		if b, ok := event.(registry.BatchApplied); ok {
			s.size += updateMemory * b.Batch.Len()
		}
	}
	return s, nil
}

// blocks are those that the segment has events of, and its last one.
func (s *segment) blocks() []evidence.Ref {
	var refs []evidence.Ref
	for i := range s.entries {
		if i == 0 || s.entries[i].block != s.entries[i-1].block {
			refs = append(refs, s.entries[i].block)
		}
	}
	return append(refs, s.through)
}

// errLetters says what of a look failed.
var errLetters = errors.New("the chain was followed, but the dead letters were not")

// Run follows the chain's end and the dead letters while there are readers, until ctx ends, whose end is no error.
func (l *Log) Run(ctx context.Context) error {
	l.prepare()
	trouble := retry.Trouble{
		Log: l.Logger, Works: "the event log follows the chain and the dead letters again",
		Fails: "the event log could not follow the chain or the dead letters; its readers wait, and it tries again",
	}
	for ctx.Err() == nil {
		var err error
		if l.wanted() {
			err = retry.Contained(func() error { return l.look(ctx) }) // what it changes it changes at once, when all was read
		}
		trouble.Say(ctx, err)
		l.note(err)
		l.show(err != nil || l.stalls())
		_ = retry.Sleep(ctx, trouble.Pause(l.Poll))
	}
	l.show(false)
	return nil
}

// note notes how a look of Run's ended. The readers that wait are told why, once the chain could not be followed for long. The dead letters do not count: most readers
// have more to read meanwhile, and would be told, after each page, that they wait.
func (l *Log) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil, errors.Is(err, errLetters):
		l.failed = nil
	case l.failed == nil: // the first says most: others only that an endpoint is left alone
		l.failed, l.failing = err, time.Now()
	case l.fails() != nil:
		l.notify()
	}
}

// fails is why Run has not been able to follow the chain for long; nil: it has. The caller holds the lock.
func (l *Log) fails() error {
	if l.failed != nil && time.Since(l.failing) > longPolls*l.Poll {
		return l.failed
	}
	return nil
}

// show sets the gauge.
func (l *Log) show(stalled bool) {
	switch {
	case l.Stalled == nil:
	case stalled:
		l.Stalled.Set(1)
	default:
		l.Stalled.Set(0)
	}
}

// stalls tells whether a reader could not be told, a moment ago or now.
func (l *Log) stalls() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.stuck) < stallPolls*l.Poll
}

// wanted tells whether there are readers, or were a moment ago.
func (l *Log) wanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.readers > 0 || time.Since(l.left) < tailKept
}

// look reads what became final, and the new dead letters, unless another look has begun, and worked, since this one was asked for.
func (l *Log) look(ctx context.Context) error {
	asked := time.Now()
	select {
	case l.looking <- struct{}{}:
		defer func() { <-l.looking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if l.looked.After(asked) {
		return nil
	}
	began := time.Now()
	chain, letters := l.follow(ctx), retry.Contained(func() error { return l.followLetters(ctx) })
	switch {
	case chain != nil:
		return errors.Join(chain, letters)
	case letters != nil:
		return fmt.Errorf("%w: %w", errLetters, letters)
	}
	l.looked = began
	return nil
}

// follow brings the tail up to the newest final block.
func (l *Log) follow(ctx context.Context) error {
	final, err := l.Chain.FinalBlock(ctx, l.Confirmations)
	if errors.Is(err, ethereum.NotFound) || err == nil && final.Number < l.Deployment.DeployBlock {
		return nil
	}
	if err != nil {
		return fmt.Errorf("couldn't read the final block: %w", err)
	}
	l.mu.Lock()
	end, any := l.tail.end()
	l.mu.Unlock()
	if any && (final.Number < end.Number || final.Ref() == end) {
		return nil
	}
	again := !any || final.Number-end.Number > tailBlocks // or there was no reader for long
	from := end.Number + 1
	if again {
		from = max(l.Deployment.DeployBlock, final.Number+1-min(final.Number, tailBlocks))
	}
	var read []*segment
	err = l.Chain.Logs(ctx, l.Deployment.Contract, registry.Topics(), from, final.Number, func(through evidence.Block, logs []types.Log) error {
		if through.Number == final.Number && through.Hash != final.Hash {
			return fmt.Errorf("block %d is %s by one endpoint and %s by another", final.Number, final.Hash, through.Hash)
		}
		l.times.Add(through.Hash, time.Unix(int64(through.Time), 0).UTC())
		for len(logs) > 0 || from <= through.Number {
			s, err := parse(from, through.Ref(), logs, l.Budget/4)
			if err != nil {
				return err
			}
			read, logs, from = append(read, s), logs[len(s.entries):], s.through.Number+1
		}
		return nil
	})
	for _, s := range read {
		if err == nil {
			err = l.readTimes(ctx, s.blocks())
		}
	}
	if err != nil {
		return err
	}
	if any { // after the reading, so that what was read follows it
		if err := l.still(ctx, end); err != nil {
			return err
		}
	}
	l.append(read, again)
	return nil
}

// still makes sure that the tail's end is in the chain. Where it is not, the tail begins again.
func (l *Log) still(ctx context.Context, end evidence.Ref) error {
	l.known.Remove(end.Number)
	err := l.has(ctx, end)
	if errors.Is(err, ErrReplaced) {
		l.mu.Lock()
		l.tail, l.older = segments{}, segments{}
		l.mu.Unlock()
		l.known.Purge()
		l.Logger.Error("blocks that were final were replaced; the event log begins again, and refuses the cursors of readers that were told of them", "err", err)
	}
	return err
}

// append adds what was read to the tail, or begins the tail again with it.
func (l *Log) append(read []*segment, again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if again {
		l.tail = segments{}
	}
	for _, s := range read {
		l.know(s)
		l.tail.follow(s, l.Budget)
	}
	l.notify()
}

// know remembers a segment's blocks.
func (l *Log) know(s *segment) {
	for _, ref := range s.blocks() {
		l.known.Add(ref.Number, ref.Hash)
	}
}

// notify wakes the readers that wait. The caller holds the lock.
func (l *Log) notify() {
	close(l.changed)
	l.changed = make(chan struct{})
}

var errRead = errors.New("enough was read")

type readerKey struct{}

// AsReader returns a context under which calls belong to the named reader; one of them at a time reads old blocks.
func AsReader(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, readerKey{}, name)
}

// enterOlder waits for a place among those that read what is older; leave gives it back. Who has one waits for it.
func (l *Log) enterOlder(ctx context.Context) (leave func(), err error) {
	own := make(chan struct{}, 1)
	if name := ctx.Value(readerKey{}); name != nil {
		of, _ := l.perReader.LoadOrStore(name, own)
		own = of.(chan struct{})
	}
	select {
	case own <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case l.reading <- struct{}{}:
		return func() { <-l.reading; <-own }, nil
	case <-ctx.Done():
		<-own
		return nil, ctx.Err()
	}
}

// readOlder reads a segment that begins with a block that the tail does not have, unless another reader does so meanwhile. The question to the chain ends
// at the tail's end, so that only the newest blocks are proved, and that is still in the chain afterwards, so that what was read is of the chain that the reader knows.
func (l *Log) readOlder(ctx context.Context, from uint64, end evidence.Ref) (s *segment, err error) {
	leave, err := l.enterOlder(ctx)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the chain's events from block %d on, since other readers read old ones: %w", from, err)
	}
	defer leave()
	l.mu.Lock()
	s = l.older.find(from)
	l.mu.Unlock()
	if s != nil {
		return s, nil
	}
	err = l.Chain.Logs(ctx, l.Deployment.Contract, registry.Topics(), from, end.Number, func(through evidence.Block, logs []types.Log) (err error) {
		if s, err = parse(from, through.Ref(), logs, l.Budget/4); err == nil {
			l.times.Add(through.Hash, time.Unix(int64(through.Time), 0).UTC())
			err = errRead
		}
		return err
	})
	if !errors.Is(err, errRead) {
		return nil, fmt.Errorf("couldn't read the chain's events from block %d on: %w", from, err)
	}
	if err := l.still(ctx, end); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.know(s)
	l.older.add(s, l.Budget)
	return s, nil
}

// letters are the newest dead letters.
type letters struct {
	read    bool
	after   uint64 // all after this sequence are kept
	through uint64 // … up to this one
	kept    []letter
	size    int
}

type letter struct {
	seq uint64
	score.DeadLetter
}

const letterMemory = 1024 // bytes, about

// followLetters reads the new dead letters.
func (l *Log) followLetters(ctx context.Context) error {
	last, err := l.DeadLetters.LastDeadLetter(ctx)
	if err != nil {
		return fmt.Errorf("couldn't find the newest dead letter: %w", err)
	}
	l.mu.Lock()
	now := l.letters
	l.mu.Unlock()
	switch {
	case !now.read, last < now.through: // or the stream went back in time
		now = letters{read: true, after: last, through: last}
	case last == now.through:
		return nil
	default:
		err = l.DeadLetters.DeadLettersAfter(ctx, now.through, nil, func(seq uint64, d score.DeadLetter) error {
			now.kept, now.size, now.through = append(now.kept, letter{seq, d}), now.size+letterMemory+len(d.Raw), max(now.through, seq)
			for now.size > l.Budget {
				now.size -= letterMemory + len(now.kept[0].Raw)
				now.after, now.kept = now.kept[0].seq, now.kept[1:]
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("couldn't read new dead letters: %w", err)
		}
		now.through = max(now.through, last)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.letters = now
	l.notify()
	return nil
}
