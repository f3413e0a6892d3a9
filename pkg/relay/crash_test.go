package relay_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// crash kills a relayer at its n-th write of a kind: either the write never happens, or it happens and no answer comes of
// it. From then on the relayer reaches nothing, as if its process were gone.
type crash struct {
	kind      string
	persisted bool

	mu    sync.Mutex
	left  int // writes of the kind until the crash
	fired chan struct{}
}

func newCrash(kind string, n int, persisted bool) *crash {
	return &crash{kind: kind, left: n, persisted: persisted, fired: make(chan struct{})}
}

var errGone = errors.New("the process is gone")

// write carries one write out, or not.
func (c *crash) write(kind string, do func() error) error {
	c.mu.Lock()
	select {
	case <-c.fired:
		c.mu.Unlock()
		return errGone
	default:
	}
	now := false
	if kind == c.kind {
		c.left--
		now = c.left == 0
	}
	if now {
		close(c.fired)
	}
	c.mu.Unlock()
	if !now {
		return do()
	}
	if c.persisted {
		_ = do()
	}
	return errGone
}

func (c *crash) happened() bool {
	select {
	case <-c.fired:
		return true
	default:
		return false
	}
}

// around puts the crash between a relayer and everything it writes to.
func (c *crash) around(d relay.Deps) relay.Deps {
	d.Journal = crashJournal{d.Journal, c}
	d.Chain = crashChain{d.Chain, c}
	d.Source = crashSource{d.Source, c}
	d.Statuses = crashStatuses{d.Statuses, c}
	signer := d.Signer
	d.Signer = func(address common.Address) (relay.Signer, bool) {
		s, has := signer(address)
		return crashSigner{s, c}, has
	}
	return d
}

type crashJournal struct {
	relay.Journal
	c *crash
}

func (j crashJournal) Append(ctx context.Context, id score.Lane, last uint64, e lane.Entry) (seq uint64, err error) {
	gone := j.c.write("append", func() error {
		seq, err = j.Journal.Append(context.WithoutCancel(ctx), id, last, e)
		return nil
	})
	if gone != nil {
		return 0, fmt.Errorf("%w: %w", lane.ErrAmbiguous, gone)
	}
	return seq, err
}

func (j crashJournal) Purge(ctx context.Context, id score.Lane, below uint64) error {
	return j.c.write("purge", func() error { return j.Journal.Purge(context.WithoutCancel(ctx), id, below) })
}

type crashChain struct {
	relay.Chain
	c *crash
}

func (n crashChain) Send(ctx context.Context, raw [][]byte) (results []txpool.Result) {
	gone := n.c.write("send", func() error {
		results = n.Chain.Send(context.WithoutCancel(ctx), raw)
		return nil
	})
	if gone != nil {
		results = make([]txpool.Result, len(raw))
		for i := range results {
			results[i] = txpool.Result{Class: txpool.Timeout, Err: gone}
		}
	}
	return results
}

type crashSource struct {
	relay.Source
	c *crash
}

// AddDeadLetters stores them one by one, so that a crash may come between any two.
func (s crashSource) AddDeadLetters(ctx context.Context, letters []score.DeadLetter) error {
	for i := range letters {
		if err := s.c.write("dead letter", func() error {
			return s.Source.AddDeadLetters(context.WithoutCancel(ctx), letters[i:i+1])
		}); err != nil {
			return err
		}
	}
	return nil
}

type crashStatuses struct {
	relay.Statuses
	c *crash
}

func (s crashStatuses) Bound(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref, final uint64, txs []common.Hash) error {
	return s.c.write("bound", func() error { return s.Statuses.Bound(ctx, id, nonce, refs, final, txs) })
}

func (s crashStatuses) Slot(ctx context.Context, id score.Lane, epoch, nonce uint64, stage score.Stage, tx common.Hash, block uint64) error {
	return s.c.write("slot", func() error { return s.Statuses.Slot(ctx, id, epoch, nonce, stage, tx, block) })
}

func (s crashStatuses) Released(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref) error {
	return s.c.write("released", func() error { return s.Statuses.Released(ctx, id, nonce, refs) })
}

type crashSigner struct {
	relay.Signer
	c *crash
}

func (s crashSigner) Sign(ctx context.Context, tx *types.Transaction) (signed *types.Transaction, err error) {
	gone := s.c.write("sign", func() error {
		signed, err = s.Signer.Sign(ctx, tx)
		return nil
	})
	if gone != nil {
		return nil, gone
	}
	return signed, err
}

// TestARelayerKilledAtAnyWriteLosesAndDoublesNothing kills it at the first, second, third … write of each kind, before
// and after the write is done, until a kind has no more writes for the work given or the twelfth, and lets a successor go
// on each time.
func TestARelayerKilledAtAnyWriteLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"append", "send", "dead letter", "bound", "slot", "sign", "purge"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.create(1)
			config := w.config()
			config.SnapshotEvery = 8
			kills, bad, first := map[bool]int{}, 0, 0
			for _, persisted := range []bool{false, true} {
				for n := 1; ; n++ {
					updates := some(1, first, 45) // three slots
					for i := range 3 {
						updates[7+i].Action = 99 // which become dead letters, of a signed group
					}
					first, bad = first+len(updates), bad+3
					c := newCrash(kind, n, persisted)
					stop := w.start(config, c.around(w.deps()))
					w.acceptEnvelope(w.mixed(updates))
					for !c.happened() && !w.drained() {
						w.mine()
					}
					stop()
					stop = w.start(config, w.deps())
					w.drain()
					stop()
					if !c.happened() {
						break
					}
					if kills[persisted]++; n == 12 {
						break
					}
				}
			}
			require.Positive(t, kills[false], "no relayer was killed before a write")
			require.Positive(t, kills[true], "no relayer was killed after a write")
			require.Equal(t, map[score.Outcome]int{score.Applied: first - bad, score.UnknownAction: bad}, w.audit(), "not even a duplicate")
			require.Len(t, w.deadLetters(), bad)
			require.Equal(t, bad, w.wholeGroups(), "three in each round, too")
			t.Logf("kills by whether the write was done: %v, %d updates", kills, first)
		})
	}
}

// TestChaos lets everything happen at once, for seeds that repeat: kills, successors beside zombies, reorgs, wiped pools,
// transactions of another holder of the key.
func TestChaos(t *testing.T) {
	t.Parallel()
	long.Test(t)
	for i := range uint64(2) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			runChaos(t, rand.New(rand.NewPCG(testrand.Seed(t), i)))
		})
	}
}

func runChaos(t *testing.T, random *rand.Rand) {
	w := newWorld(t, 2)
	config := w.config()
	w.confirmations, config.SnapshotEvery = 6, 12
	var projects []int
	for p := 1; p <= 4; p++ {
		w.create(byte(p))
		projects = append(projects, p)
	}
	var stops []func()
	kinds := []string{"append", "send", "bound", "slot", "released", "sign", "none"}
	first := 0
	for range 60 {
		switch random.IntN(11) {
		case 10:
			w.takeNonce(random.IntN(w.lanes))
		case 0, 1, 2:
			updates := some(projects[random.IntN(len(projects))], first, 1+random.IntN(60))
			first += len(updates)
			if random.IntN(2) == 0 {
				w.accept(updates...)
			} else {
				w.acceptEnvelope(w.mixed(updates))
			}
		case 3:
			w.reorganise(random.IntN(4))
		case 4:
			w.geth.Rollback()
		case 5, 6:
			c := newCrash(kinds[random.IntN(len(kinds))], 1+random.IntN(10), random.IntN(2) == 0)
			stops = append(stops, w.start(config, c.around(w.deps())))
			if len(stops) > 2 { // the oldest is killed for good
				stops[0]()
				stops = stops[1:]
			}
		default:
			w.mine()
		}
	}
	for _, stop := range stops {
		stop()
	}
	w.start(config, w.deps())
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: first}, w.audit(), "not even a duplicate")
	require.Positive(t, w.wholeGroups())
	require.Empty(t, w.deadLetters())
}

// takeNonce is another holder of the lane's key, who uses its next nonce, if the pool takes that.
func (w *world) takeNonce(id int) {
	w.t.Helper()
	ctx, key := w.t.Context(), w.keys[id].For(devnet.ChainID)
	nonce, err := w.geth.Client().NonceAt(ctx, key.Address(), nil)
	require.NoError(w.t, err)
	to := common.Address{1}
	tx, err := key.Sign(ctx, types.NewTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(devnet.ChainID), Nonce: nonce, GasTipCap: big.NewInt(1e11), GasFeeCap: big.NewInt(1e12), Gas: 21_000, To: &to,
	}))
	require.NoError(w.t, err)
	_ = w.geth.Client().SendTransaction(ctx, tx)
}

// reorganise replaces the last blocks by as many and one more; their transactions go back to the pool, which loses what
// was pending.
func (w *world) reorganise(depth int) {
	w.t.Helper()
	head, err := w.geth.Client().HeaderByNumber(w.t.Context(), nil)
	require.NoError(w.t, err)
	if head.Number.Uint64() <= w.stream.Deployment().DeployBlock+uint64(depth) {
		return // the contract itself would go
	}
	for range depth {
		head, err = w.geth.Client().HeaderByHash(w.t.Context(), head.ParentHash)
		require.NoError(w.t, err)
	}
	w.geth.Rollback()
	if err := w.geth.Fork(head.Hash()); err != nil {
		return // something was sent in between: no reorg this time
	}
	for range depth + 1 {
		w.geth.Commit()
	}
}
