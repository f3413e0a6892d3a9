package relay_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/signer"
	"github.com/scorelay/scorelay/pkg/stream"
)

// world is a deployment of real servers: geth, NATS, the contract. The chain makes blocks only when told to.
type world struct {
	t        *testing.T
	geth     *devnet.Chain
	client   *chain.Client
	js       jetstream.JetStream
	stream   *stream.Stream
	journal  *stream.Journal
	keys     []*signer.Key
	contract common.Address
	lanes    int
	roster   *liveRoster
	board    *board
	log      *slog.Logger

	confirmations uint64         // of the relayers that start
	view          heads.Chain    // what their trackers ask
	relayer       *relay.Relayer // that started last

	accepted map[string]int // by project and updateId: how often the stream took it
	updates  []score.Update
	groups   map[score.GroupSignature][]score.Update // accepted

	reading sync.Mutex
	folded  map[score.Lane]folded
}

const (
	adminAccount = 0
	laneAccount  = 4 // the first lane's signer; the next lanes' follow
)

func key(t *testing.T, i int) *signer.Key {
	t.Helper()
	k, err := signer.FromHex(hex.EncodeToString(crypto.FromECDSA(devnet.Key(i))), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return k
}

func newWorld(t *testing.T, lanes int) *world {
	t.Helper()
	return newWorldOn(t, lanes, fresh.NewChain(t))
}

func newWorldOn(t *testing.T, lanes int, geth *devnet.Chain) *world {
	t.Helper()
	w := &world{t: t, geth: geth, lanes: lanes, log: slog.New(slog.DiscardHandler), confirmations: 2}
	w.accepted, w.groups, w.folded = map[string]int{}, map[score.GroupSignature][]score.Update{}, map[score.Lane]folded{}
	if testing.Verbose() {
		w.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	ctx := t.Context()
	var err error
	w.client, err = chain.Dial(ctx, chain.Config{URLs: []string{w.geth.URL}, Timeout: time.Minute}, w.log, prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(w.client.Close)
	w.view = w.client
	var relayers []common.Address
	for i := range lanes {
		w.keys = append(w.keys, key(t, laneAccount+i))
		relayers = append(relayers, w.keys[i].Address())
	}
	r, err := roster.First(relayers)
	require.NoError(t, err)
	w.board = newBoard()
	w.roster = &liveRoster{roster.NewLive(r)}
	deployed := w.transact(nil, registry.DeployData(time.Hour, devnet.Address(adminAccount), relayers))
	w.contract = deployed.ContractAddress

	w.js = fresh.JetStreamAt(t, fresh.NATS(t).URL, nats.ReconnectBufSize(-1))
	require.NoError(t, stream.Setup(ctx, w.js, stream.Config{Deployment: score.Deployment{
		Lanes: lanes, ChainID: devnet.ChainID, Contract: w.contract, DeployBlock: deployed.BlockNumber.Uint64(),
	}}))
	w.stream, err = stream.Open(ctx, w.js)
	require.NoError(t, err)
	w.journal, err = stream.OpenJournal(ctx, w.js)
	require.NoError(t, err)
	return w
}

// transact sends a transaction of the admin's and makes its block.
func (w *world) transact(to *common.Address, data []byte) *types.Receipt {
	w.t.Helper()
	return w.transactBy(adminAccount, to, data)
}

func (w *world) transactBy(account int, to *common.Address, data []byte) *types.Receipt {
	w.t.Helper()
	type result struct {
		receipt *types.Receipt
		err     error
	}
	done := make(chan result, 1)
	go func() {
		receipt, err := w.client.Transact(w.t.Context(), key(w.t, account).For(devnet.ChainID), to, data)
		done <- result{receipt, err}
	}()
	for {
		select {
		case r := <-done:
			require.NoError(w.t, r.err)
			return r.receipt
		case <-time.After(20 * time.Millisecond):
			w.geth.Commit()
		}
	}
}

func (w *world) project(n byte) *score.Project {
	return &score.Project{
		ID: score.ProjectID{n}, Name: fmt.Sprintf("project %d", n),
		Actions: []score.Action{{Name: "up", Points: 10}, {Name: "down", Points: 3, Direction: score.Subtract}},
		Owners:  []common.Address{{0xaa, n}}, Updaters: []common.Address{{0xbb, n}, updater()},
		ScoreTypes: []string{"reputation", "skill"},
	}
}

// create accepts a creation.
func (w *world) create(n byte) {
	w.t.Helper()
	p := w.project(n)
	require.NoError(w.t, w.stream.PublishProject(w.t.Context(), p.Name, p, 0))
}

// accept puts updates of one project into its lane's stream as one envelope.
func (w *world) accept(updates ...score.Update) {
	w.t.Helper()
	w.acceptEnvelope(&envelope{updates: updates})
}

// some makes updates of a project: consecutive ids from first on, several wallets, both actions and score types.
func some(project, first, n int) []score.Update {
	out := make([]score.Update, n)
	for i := range out {
		k := first + i
		out[i] = score.Update{
			Project: score.ProjectID{byte(project)}, ID: score.UpdateID{0: 7, 29: byte(k >> 16), 30: byte(k >> 8), 31: byte(k)},
			Signer: common.Address{0xbb, byte(project)}, Target: common.Address{0xcc, byte(k % 7)},
			Action: uint8(k % 2), ScoreType: uint8(k / 2 % 2),
		}
	}
	return out
}

// source is the stream in the relayer's words.
type source struct{ *stream.Stream }

func (s source) Read(ctx context.Context, from uint64) (relay.Reader, error) {
	return s.Stream.Read(ctx, from)
}

// liveRoster is a roster in memory, which tests change.
type liveRoster struct{ *roster.Live }

func (l *liveRoster) Gone(_ context.Context, id score.Lane) error {
	now, _ := l.Current()
	next, err := now.Gone(id)
	if err == nil {
		l.Set(next)
	}
	return err
}

func (l *liveRoster) Wake(_ context.Context, id score.Lane) error {
	now, _ := l.Current()
	next, err := now.Wake(id)
	if err == nil {
		l.Set(next)
	}
	return err
}

// board is all lanes' notices in memory.
type board struct {
	mu      sync.Mutex
	posted  map[[2]score.Lane]lane.Notice
	changed chan struct{}
}

func newBoard() *board {
	return &board{posted: map[[2]score.Lane]lane.Notice{}, changed: make(chan struct{})}
}

func (b *board) Post(_ context.Context, from, to score.Lane, n lane.Notice) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posted[[2]score.Lane{from, to}] = n
	close(b.changed)
	b.changed = make(chan struct{})
	return nil
}

func (b *board) Posted(from, to score.Lane) lane.Notice {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.posted[[2]score.Lane{from, to}]
}

func (b *board) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// signers are a process's keys.
func signers(keys ...relay.Signer) func(common.Address) (relay.Signer, bool) {
	return func(address common.Address) (relay.Signer, bool) {
		for _, key := range keys {
			if key.Address() == address {
				return key, true
			}
		}
		return nil, false
	}
}

// driveAll drives every lane at once, beside all others: no lease protects the journal here.
type driveAll struct{}

func (driveAll) Run(ctx context.Context, lanes func() (driven, able []score.Lane), drive func(context.Context, score.Lane)) error {
	var running sync.WaitGroup
	_, able := lanes()
	for _, id := range able {
		running.Go(func() { drive(ctx, id) })
	}
	running.Wait()
	return ctx.Err()
}

func (w *world) config() relay.Config {
	limits := batch.DefaultLimits()
	limits.MaxUpdates, limits.Linger = 20, 5*time.Millisecond
	return relay.Config{
		FirstLanes: w.lanes, ChainID: devnet.ChainID, Contract: w.contract, Replica: "test",
		CallTimeout: 5 * time.Second, Limits: limits,
		Rules: lane.Rules{
			Fees:   lane.FeeRule{MaxCap: 1e12, MaxTxFee: 1e19, MinTip: 1_000_000},
			Window: 8, MaxOpen: 64, BumpBlocks: 3, Rebroadcast: 200 * time.Millisecond, MaxGas: 1 << 24,
		},
		SnapshotEvery: 16,
	}
}

func (w *world) deps() relay.Deps {
	keys := make([]relay.Signer, len(w.keys))
	for i := range keys {
		keys[i] = w.keys[i].For(devnet.ChainID)
	}
	return relay.Deps{
		Chain: w.client, Source: source{w.stream}, Journal: w.journal, Leases: driveAll{}, Statuses: newStatuses(), Halt: &halts{},
		Roster: w.roster, Board: w.board, Signer: signers(keys...), Log: w.log, Metrics: prometheus.NewRegistry(),
	}
}

// start runs a relayer until the test's end or until stop is called, which returns when it has.
func (w *world) start(config relay.Config, deps relay.Deps) (stop func()) {
	w.t.Helper()
	deps.Heads = heads.New(heads.Config{
		Confirmations: w.confirmations, PollInterval: 10 * time.Millisecond, CallTimeout: 5 * time.Second,
	}, w.view, deps.Log, deps.Metrics)
	r, err := relay.New(config, deps)
	require.NoError(w.t, err)
	w.relayer = r
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		var running sync.WaitGroup
		defer running.Wait()
		running.Go(func() { deps.Heads.Run(ctx) })
		_ = r.Run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	w.t.Cleanup(stop)
	return stop
}

// states folds all lanes' journals. One that did not grow is not read again.
func (w *world) states() (out []*lane.State) {
	w.t.Helper()
	w.reading.Lock()
	defer w.reading.Unlock()
	for id := range score.Lane(w.lanes) {
		last, err := w.journal.Last(w.t.Context(), id)
		require.NoError(w.t, err)
		if is, read := w.folded[id]; !read || is.last != last {
			var folder lane.Folder
			last, err = w.journal.Load(w.t.Context(), id, folder.Add)
			require.NoError(w.t, err)
			state, err := folder.State()
			require.NoError(w.t, err)
			w.folded[id] = folded{last, state}
		}
		out = append(out, w.folded[id].state)
	}
	return out
}

// folded is a journal's state as of its last entry.
type folded struct {
	last  uint64
	state *lane.State
}

// drained tells whether everything accepted is bound and final.
func (w *world) drained() bool {
	var owned [score.Buckets]lane.Holding
	for _, state := range w.states() {
		if len(state.Slots)+len(state.Queue) > 0 {
			return false
		}
		for b, held := range state.Buckets {
			owned[b] = held
		}
	}
	bound := true
	require.NoError(w.t, w.stream.ReadAll(w.t.Context(), func(m score.Message) error {
		at := score.Position{Seq: m.Seq}
		if m.Corrupt != nil {
			bound = bound && owned[score.BucketOfMessage(m.Seq)].Has(at)
		}
		if ref, alone := m.Alone(); alone {
			bound = bound && owned[score.BucketOf(ref.Project)].Of(ref.Project).Has(at)
		}
		for i := range m.Updates {
			at.Index = uint32(i)
			bound = bound && owned[score.BucketOf(m.Updates[i].Project)].Of(m.Updates[i].Project).Has(at)
		}
		return nil
	}))
	return bound
}

// drain makes blocks until everything accepted is final.
func (w *world) drain() {
	w.t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for !w.drained() {
		if time.Now().After(deadline) {
			for id, state := range w.states() {
				w.t.Logf("lane %d: next %d reads from %v slots %d queue %d", id, state.Next, state.ReadFrom(), len(state.Slots), len(state.Queue))
			}
			w.t.Fatal("not drained in time")
		}
		w.mine()
	}
}

// mine makes one block after a moment in which transactions may arrive.
func (w *world) mine() {
	select {
	case <-w.t.Context().Done():
	case <-time.After(30 * time.Millisecond):
	}
	w.geth.Commit()
}

// audit holds the chain's own events against what the stream took: every acceptance has exactly one outcome, no id is
// applied twice, and scores are the sums of what was applied. It returns the outcomes counted. An update that overtook
// its project, whose slot another holder of the key took, went again: that it was unknown before is not counted.
func (w *world) audit() map[score.Outcome]int {
	w.t.Helper()
	logs, err := w.geth.Client().FilterLogs(w.t.Context(), ethereum.FilterQuery{Addresses: []common.Address{w.contract}})
	require.NoError(w.t, err)
	type wallet struct {
		project score.ProjectID
		target  common.Address
		kind    uint8
	}
	overtook := map[string]int{}
	outcomes, applied, sums := map[string]int{}, map[string]int{}, map[wallet]int64{}
	counts := map[score.Outcome]int{}
	for i := range logs {
		event, err := registry.ParseLog(&logs[i])
		if errors.Is(err, registry.ErrOtherEvent) {
			continue
		}
		require.NoError(w.t, err)
		b, ok := event.(registry.BatchApplied)
		if !ok {
			continue
		}
		for k, u := range b.Batch.Updates() {
			id := u.Project.String() + u.ID.String()
			if b.Outcomes[k] == score.UnknownProject {
				overtook[id]++
				continue
			}
			counts[b.Outcomes[k]]++
			outcomes[id]++
			if b.Outcomes[k] == score.Applied {
				applied[id]++
				sums[wallet{u.Project, u.Target, u.ScoreType}] += w.project(u.Project[0]).Actions[u.Action].Delta()
			}
		}
	}
	for id, n := range overtook {
		if outcomes[id] == 0 { // the project never came
			outcomes[id] = min(n, w.accepted[id])
			counts[score.UnknownProject] += outcomes[id]
		}
	}
	w.t.Logf("outcomes: %v, overtook their project: %d", counts, len(overtook))
	for id, n := range applied {
		require.Equal(w.t, 1, n, "applied twice: %s", id)
	}
	for who, sum := range sums {
		read := registry.ReadScores(who.project, []common.Address{who.target}, []uint8{who.kind})
		scores, err := read.Do(w.t.Context(), func(ctx context.Context, data []byte) ([]byte, error) {
			return w.client.View(ctx, w.contract, data)
		})
		require.NoError(w.t, err)
		require.Equal(w.t, []int64{sum}, scores)
	}
	for id, n := range w.accepted {
		require.Equal(w.t, n, outcomes[id], "acceptances and outcomes of %s", id)
	}
	require.Len(w.t, outcomes, len(w.accepted))
	return counts
}
