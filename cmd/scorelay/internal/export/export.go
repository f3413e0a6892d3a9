package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofrs/flock"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

var ErrDiffer = errors.New("the contract has other scores than its events add up to, so an endpoint did not tell " +
	"all of them; nothing was exported: run it again, with a further endpoint if it stays so")

const (
	sayEvery  = 5 * time.Second
	saveShare = 10 // saving takes at most 1/saveShare of the time
	examples  = 10
)

type Export struct {
	Deployment score.Deployment
	Project    score.ProjectID
	Created    uint64 // block of the project's creation; 0: unknown
	Chain      *chain.Client
	Ledger     *stream.Ledger
	What       string // Updates or Scores
	Format     string // CSV or NDJSON
	Path       string // empty: write to Out, which cannot be continued
	Out        io.Writer
	Say        func(string)
	Log        *slog.Logger

	state  *state
	parts  []*ledger.Message             // of an incomplete block
	paid   map[common.Hash]evidence.Paid // in blocks older than the ledger
	file   *os.File                      // of updates; nil without a path
	out    *bufio.Writer
	write  func(row) error
	saved  time.Time // end of the newest checkpoint
	saving time.Duration
	said   time.Time
}

// Run exports everything final, or appends newer updates to an earlier export. After an error, another Run continues.
func (e *Export) Run(ctx context.Context) error {
	if e.Path != "" {
		lock := flock.New(e.Path + ".lock")
		if locked, err := lock.TryLock(); err != nil || !locked {
			return cmp.Or(err, fmt.Errorf("another export to %s is under way", e.Path))
		}
		defer func() { _ = lock.Unlock() }()
	}
	for {
		err := e.run(ctx)
		if !errors.Is(err, ErrReplaced) || e.Path == "" && e.What == Updates { // printed lines cannot be undone
			return err
		}
		e.Say(ErrReplaced.Error() + ": the export begins again")
		if err := e.forget(); err != nil {
			return err
		}
	}
}

func (e *Export) run(ctx context.Context) error {
	e.state, e.parts = e.fresh(), nil
	to := e.Out
	if e.Path != "" {
		err := e.resume()
		defer func() { _ = e.file.Close() }() // an error if nil
		if err != nil {
			return err
		}
	}
	if e.file != nil {
		to = e.file
	}
	e.out, e.saved, e.said = bufio.NewWriter(to), time.Now(), time.Now()
	e.write = linesTo(e.out, e.Format)
	if e.What == Updates && e.Format == CSV && e.state.Bytes == 0 {
		_ = e.write(updateColumns) // fits into the empty buffer
	}
	before := e.state.Updates
	if err := e.read(ctx); err != nil {
		return e.advise(err)
	}
	return e.finish(ctx, before)
}

func (e *Export) fresh() *state {
	d := e.Deployment
	return &state{kind: kind{version, e.What, e.Format, d.ChainID, d.Contract, e.Project}, scores: index.Scores{}}
}

// forget makes the next run start over and empty the file.
func (e *Export) forget() error {
	if e.Path == "" {
		return nil
	}
	return e.fresh().save(e.statePath())
}

// resume loads an earlier run's state, or saves the first one. A file is created after its state, so a file without
// one is an error.
func (e *Export) resume() error {
	old, err := load(e.statePath())
	switch {
	case err != nil:
		return err
	case old == nil || !old.begun():
		if _, err := os.Lstat(e.Path); old == nil && !errors.Is(err, fs.ErrNotExist) {
			return cmp.Or(err, fmt.Errorf("%s exists, and is of no export that could be continued: there is no %s; "+
				"choose another name", e.Path, e.statePath()))
		}
		if err := e.state.save(e.statePath()); err != nil {
			return err
		}
	case old.kind != e.state.kind:
		return fmt.Errorf("%s is of another export (%s of project %s as %s, contract %s on chain %d): choose another name",
			e.Path, old.What, old.Project, old.Format, old.Contract, old.ChainID)
	default:
		e.state = old
		e.Say(fmt.Sprintf("continuing after block %d, with %d updates", old.At.Number, old.Updates))
	}
	if e.What == Updates {
		return e.openFile()
	}
	return nil
}

func (e *Export) statePath() string { return e.Path + ".state" }

// openFile truncates the file to the newest checkpoint. A shorter file is an error.
func (e *Export) openFile() (err error) {
	if e.file, err = os.OpenFile(e.Path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644); err != nil {
		return err
	}
	size, err := e.file.Seek(0, io.SeekEnd)
	if err != nil || size < e.state.Bytes {
		return cmp.Or(err, fmt.Errorf("%s has %d bytes, and the export had written %d: it was changed since; %s",
			e.Path, size, e.state.Bytes, e.again()))
	}
	return e.file.Truncate(e.state.Bytes)
}

func (e *Export) again() string {
	return fmt.Sprintf("to export all of it again, remove %s and %s", e.Path, e.statePath())
}

func (e *Export) advise(err error) error {
	switch {
	case e.Path != "" && errors.Is(err, ledger.ErrReplaced):
		return fmt.Errorf("%w; %s", err, e.again())
	case e.Path != "" && e.state.begun():
		return fmt.Errorf("%w; run it again, and it continues", err)
	}
	return err
}

func (e *Export) checkpoint(end *ledger.Message) error {
	if now := time.Now(); now.Sub(e.said) >= sayEvery {
		e.Say(fmt.Sprintf("block %d of %d, %d updates", e.state.At.Number, end.Block.Number, e.state.Updates))
		e.said = now
	}
	if time.Since(e.saved) >= saveShare*e.saving {
		return e.save()
	}
	return nil
}

func (e *Export) save() error {
	began := time.Now()
	if err := e.out.Flush(); err != nil || e.Path == "" {
		return err
	}
	if e.file != nil {
		bytes, err := e.file.Seek(0, io.SeekEnd)
		if err = errors.Join(err, e.file.Sync()); err != nil {
			return err
		}
		e.state.Bytes = bytes
	}
	if err := e.state.save(e.statePath()); err != nil {
		return err
	}
	e.saved, e.saving = time.Now(), time.Since(began)
	return nil
}

// finish writes scores only if they equal the contract's.
func (e *Export) finish(ctx context.Context, before uint64) error {
	if err := e.save(); err != nil {
		return err
	}
	at := fmt.Sprintf("as of block %d (%s)", e.state.At.Number, e.state.At.Hash)
	if e.What == Updates {
		e.Say(fmt.Sprintf("%d updates, %d of them new, %s", e.state.Updates, e.state.Updates-before, at))
		return nil
	}
	if err := e.compare(ctx); err != nil {
		return err
	}
	var err error
	if e.Path != "" {
		err = replace(e.Path, e.writeScores)
	} else {
		err = errors.Join(e.writeScores(e.out), e.out.Flush())
	}
	if err == nil {
		e.Say(fmt.Sprintf("%d scores of %d updates, equal to the contract's own, %s",
			len(e.state.scores), e.state.Updates, at))
	}
	return err
}

// After ErrDiffer the next run reads all events again.
func (e *Export) compare(ctx context.Context) error {
	differ := 0
	view := func(ctx context.Context, data []byte) ([]byte, error) {
		return e.Chain.Call(ctx, evidence.Call{To: e.Deployment.Contract, Data: data}, e.state.At.Hash)
	}
	err := e.state.scores.Compare(ctx, view, e.Project, func(key index.ScoreKey, has int64) {
		if differ++; differ <= examples {
			e.Say(fmt.Sprintf("%s has %d of score type %d on the contract, and the applied points add up to %d",
				key.Wallet, has, key.ScoreType, e.state.scores[key]))
		}
	})
	if err != nil || differ == 0 {
		return err
	}
	return errors.Join(fmt.Errorf("%d of %d scores differ: %w", differ, len(e.state.scores), ErrDiffer), e.forget())
}

func (e *Export) writeScores(out *bufio.Writer) (err error) {
	write := linesTo(out, e.Format)
	if e.Format == CSV {
		err = write(scoreColumns)
	}
	for _, key := range slices.SortedFunc(maps.Keys(e.state.scores), func(a, b index.ScoreKey) int {
		return cmp.Or(bytes.Compare(a.Wallet[:], b.Wallet[:]), cmp.Compare(a.ScoreType, b.ScoreType))
	}) {
		err = cmp.Or(err, write(scoreRow{key.Wallet, e.state.Record.ScoreTypes[key.ScoreType], e.state.scores[key]}))
	}
	return err
}
