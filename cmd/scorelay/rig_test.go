package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// rig is a stack behind proxies, a load on it, and what is known of both.
type rig struct {
	*stack
	ctx     context.Context
	anvil   *fresh.Anvil  // nil when the node is a geth
	geth    *devnet.Chain // nil when the node is an anvil
	node    string        // its URL
	proxies []*rpcproxy.Proxy
	shape   *rpcproxy.Emulator // nil when the chain is told as the node has it
	sends   *sends
	judge   *judge
	client  *load.Client
	places  []*load.Place // one in each lane
	tally   *load.Tally
	posts   atomic.Int64
}

// rigOptions of startRig.
type rigOptions struct {
	endpoints int
	lanes     int
	signers   int // accounts that may sign for lanes, the first lanes' included; those if it is less
	block     time.Duration
	anvil     fresh.AnvilOptions
	geth      *devnet.ChainOptions // instead of anvil
	programs  string               // the folder of what is run; empty: ours
	args      []string             // of the stack
	seed      uint64
	shape     *rpcproxy.Rules           // tells the chain as another kind of chain, from its first block on
	provider  []rpcproxy.Fault          // of each endpoint, from the start on
	contracts map[common.Address][]byte // code that the chain has, with anvil

	// wire says, in arguments of the stack, who uses which proxy; nil: everything uses all.
	wire func(proxies []string) (args []string)
}

// startRig starts a node, proxies in front of it and a stack of processes behind them.
func startRig(ctx context.Context, t *testing.T, o rigOptions) *rig {
	t.Helper()
	takesStack(t)
	r := &rig{ctx: ctx, tally: load.NewTally(), sends: &sends{seen: map[slotOf][][]byte{}}}
	url := ""
	if o.geth != nil {
		opts := *o.geth
		opts.Interval, opts.Accounts = o.block, devnet.AccountSigner+max(o.lanes, o.signers)
		node, err := devnet.StartChain(opts)
		require.NoError(t, err)
		t.Cleanup(node.Close)
		r.geth, url = node, node.URL
	} else {
		opts := o.anvil
		opts.BlockTime, opts.Accounts = o.block, devnet.AccountSigner+max(o.lanes, o.signers)
		r.anvil = fresh.NewAnvil(t, opts)
		url = r.anvil.URL
	}
	r.node = url
	for at, code := range o.contracts {
		require.NoError(t, r.anvil.Client().CallContext(ctx, nil, "anvil_setCode", at, hexutil.Bytes(code)))
	}
	if o.shape != nil {
		r.shape = rpcproxy.NewEmulator(*o.shape)
	}
	var urls []string
	for i := range o.endpoints {
		p, err := rpcproxy.Start(url, o.seed+uint64(i))
		require.NoError(t, err)
		t.Cleanup(p.Close)
		if r.anvil != nil {
			p.Add(rpcproxy.Fault{Name: "between blocks", Around: func(_ *rpcproxy.Exchange, next func()) { r.anvil.Between(next) }})
		}
		p.Add(r.sends.watch())
		p.Add(o.provider...)
		if r.shape != nil {
			p.Add(r.shape.Fault())
		}
		r.proxies, urls = append(r.proxies, p), append(urls, p.URL)
	}
	wiring := []string{"--chain-rpc", strings.Join(urls, ",")}
	if o.wire != nil {
		wiring = o.wire(urls)
	}
	if o.programs == "" {
		o.programs = programs(t)
	}
	r.stack = startProcesses(t, o.programs, slices.Concat(
		[]string{"--lanes", fmt.Sprint(o.lanes), "--block-time", o.block.String()}, wiring, o.args)...)
	info := r.info(t)
	var err error
	r.judge, err = newJudge(ctx, url, common.HexToAddress(info.Contract), max(o.lanes, o.signers))
	require.NoError(t, err)
	t.Cleanup(r.judge.node.Close)
	r.client = dial(t, info, info.APIKey, 256)
	for lane := range o.lanes {
		r.places = append(r.places, r.newPlace(t, lane, o.lanes))
	}
	return r
}

// newPlace makes a project in a lane. Updates may follow at once.
func (r *rig) newPlace(t *testing.T, lane, lanes int) *load.Place {
	t.Helper()
	at := place(t, r.info(t))
	demo := at.Project
	for score.FirstOwner(score.BucketOf(at.Project), lanes) != score.Lane(lane) || at.Project == demo {
		at.Project = score.ProjectID(load.RandomID())
	}
	require.NoError(t, r.create(at))
	return at
}

// create makes a place's project.
func (r *rig) create(at *load.Place) error {
	project := &score.Project{
		ID: at.Project, Name: "faults", ScoreTypes: []string{at.ScoreType},
		Owners: []common.Address{at.Updaters[1].Address}, Updaters: []common.Address{at.Updaters[0].Address},
	}
	for _, name := range at.Actions {
		project.Actions = append(project.Actions, score.Action{Name: name, Points: 3})
	}
	return r.client.CreateProject(r.ctx, project)
}

// ownerSends sends a transaction of the projects' owner to the contract.
func (r *rig) ownerSends(t *testing.T, data []byte) {
	t.Helper()
	nonce, err := r.judge.node.PendingNonceAt(r.ctx, devnet.Address(1))
	require.NoError(t, err)
	tx, err := types.SignNewTx(devnet.Key(1), types.LatestSignerForChainID(big.NewInt(devnet.ChainID)), &types.DynamicFeeTx{
		Nonce: nonce, To: &r.judge.contract, Gas: 300_000, GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(20 * params.GWei), Data: data,
	})
	require.NoError(t, err)
	require.NoError(t, r.judge.node.SendTransaction(r.ctx, tx))
}

// pause waits a part of the plan of a test; what is awaited otherwise is a condition.
func (r *rig) pause(d time.Duration) {
	select {
	case <-r.ctx.Done():
	case <-time.After(d):
	}
}

// load sends updates at a rate, alone and every tenth time a signed group of five, over the places in turn, until stop
// is called, which returns when all have their answers.
func (r *rig) load(perSecond float64) (stop func()) {
	stopping, done := make(chan struct{}), make(chan struct{})
	minters := make([]*sdk.Minter, len(r.places))
	for i := range minters {
		minters[i] = sdk.NewMinter()
	}
	go func() {
		defer close(done)
		var inFlight sync.WaitGroup
		defer inFlight.Wait()
		ticker := time.NewTicker(time.Duration(float64(time.Second) / perSecond))
		defer ticker.Stop()
		for {
			select {
			case <-r.ctx.Done():
				return
			case <-stopping:
				return
			case <-ticker.C:
			}
			post := r.post(minters)
			inFlight.Go(func() { r.tally.Add(r.client.Send(r.ctx, post, time.Now())) })
		}
	}()
	return sync.OnceFunc(func() { close(stopping); <-done })
}

func (r *rig) post(minters []*sdk.Minter) *load.Post {
	n := int(r.posts.Add(1))
	at := n % len(r.places)
	updates := make([]load.Update, 1)
	signed := n%10 == 0
	if signed {
		updates = make([]load.Update, 5)
	}
	for i := range updates {
		updates[i] = r.places[at].Update(n + i)
	}
	load.Assign(updates, r.places[at].Updaters[n%2], minters[at], n%4 < 2)
	return &load.Post{Updates: updates, Signed: signed}
}

// applied waits until this many promised updates are applied in final blocks.
func (r *rig) applied(n int, patience time.Duration) bool {
	return r.until(patience, func() bool {
		e, err := r.judge.final(r.ctx)
		return err == nil && len(e.applied) >= n
	})
}

// settled waits until all of these updates are applied in final blocks. It returns the events that the node told last, nil if none,
// and an error if the updates are not all in them.
func (r *rig) settled(promised map[load.Key]time.Time, patience time.Duration) (last *events, err error) {
	all := r.until(patience, func() bool {
		var e *events
		if e, err = r.judge.final(r.ctx); err != nil {
			return false
		}
		last = e
		return e.missing(promised) == 0
	})
	switch {
	case all:
		return last, nil
	case last == nil:
		return nil, fmt.Errorf("the contract's events cannot be read for %s: %w", patience, err)
	default:
		return last, errors.Join(fmt.Errorf("%d of %d promised updates are not applied after %s", last.missing(promised), len(promised), patience), err)
	}
}

// until waits for a condition.
func (r *rig) until(patience time.Duration, ok func() bool) bool {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	timeout := time.After(patience)
	for {
		if ok() {
			return true
		}
		select {
		case <-r.ctx.Done():
			return false
		case <-timeout:
			return ok()
		case <-ticker.C:
		}
	}
}

// flush empties Redis if it is up, and reports whether it was.
func (r *rig) flush(t *testing.T) bool {
	t.Helper()
	if err := r.redis(t).FlushAll(r.ctx).Err(); err != nil {
		t.Logf("couldn't flush Redis: %v", err)
		return false
	}
	return true
}

// everywhere adds faults to all endpoints.
func (r *rig) everywhere(faults ...rpcproxy.Fault) (remove func()) {
	var removes []func()
	for _, p := range r.proxies {
		removes = append(removes, p.Add(faults...))
	}
	return func() {
		for _, remove := range removes {
			remove()
		}
	}
}

// pids are those of the relayers now.
func (r *rig) pids(t *testing.T) []int {
	t.Helper()
	return slices.Clone(r.info(t).PIDs["relayer"])
}

// reported follows every promised update until all are final, or patience is over, and counts the last statuses.
func (r *rig) reported(promised map[load.Key]time.Time, patience time.Duration) map[string]int {
	ctx, cancel := context.WithTimeout(r.ctx, patience)
	defer cancel()
	ids := map[score.ProjectID][]score.UpdateID{}
	for key := range promised {
		ids[key.Project] = append(ids[key.Project], key.ID)
	}
	counts, mu, projects := map[string]int{}, sync.Mutex{}, sync.WaitGroup{}
	for project, ids := range ids {
		projects.Go(func() {
			statuses, _ := r.client.UntilFinal(ctx, project, ids...) // what is not final by then is counted as it is
			mu.Lock()
			defer mu.Unlock()
			for _, status := range statuses {
				counts[strings.TrimSpace(status.Stage+" "+status.Outcome)]++
			}
		})
	}
	projects.Wait()
	return counts
}

// logged counts the lines of the relayers' logs that hold a text.
func (s *stack) logged(text string) (n int) {
	logs, _ := filepath.Glob(filepath.Join(s.dir, "logs", "relayer-*.log"))
	for _, path := range logs {
		raw, _ := os.ReadFile(path)
		n += strings.Count(string(raw), text)
	}
	return n
}

// complaints are the messages of warnings and errors in the relayers' logs, with how often each was logged.
func (s *stack) complaints() map[string]int {
	out := map[string]int{}
	logs, _ := filepath.Glob(filepath.Join(s.dir, "logs", "relayer-*.log"))
	for _, path := range logs {
		raw, _ := os.ReadFile(path)
		for _, line := range strings.Split(string(raw), "\n") {
			if !strings.Contains(line, `"level":"ERROR"`) && !strings.Contains(line, `"level":"WARN"`) {
				continue
			}
			_, rest, _ := strings.Cut(line, `"msg":"`)
			msg, _, _ := strings.Cut(rest, `"`)
			if !strings.HasPrefix(msg, "a raw signer key") { // as meant here
				out[msg]++
			}
		}
	}
	return out
}

// slotOf is one nonce of one signer.
type slotOf struct {
	signer common.Address
	nonce  uint64
}

// sends are the transactions that endpoints were sent, each once.
type sends struct {
	mu   sync.Mutex
	seen map[slotOf][][]byte // the attempts, in the order of their first sending

	refused int // times that the node had no room for one, or found its price too low to make some
}

// watch is a fault that only looks.
func (s *sends) watch() rpcproxy.Fault {
	return rpcproxy.Fault{
		Name: "watch", Methods: []string{rpcproxy.SendRawTransaction},
		Ask: func(_ *rpcproxy.Node, c *rpcproxy.Call) *rpcproxy.Answer {
			tx, ok := c.Transaction()
			if !ok {
				return nil
			}
			sender, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx)
			raw, rawErr := tx.MarshalBinary()
			if err != nil || rawErr != nil {
				return nil
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			at := slotOf{sender, tx.Nonce()}
			if !slices.ContainsFunc(s.seen[at], func(other []byte) bool { return string(other) == string(raw) }) {
				s.seen[at] = append(s.seen[at], raw)
			}
			return nil
		},
		Answer: func(_ *rpcproxy.Node, _ *rpcproxy.Call, a *rpcproxy.Answer) {
			if a.Error != nil && regexp.MustCompile(`txpool is full|underpriced|limit exceeded`).MatchString(a.Error.Message) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.refused++
			}
		},
	}
}

// attempts are the transactions sent for a slot so far.
func (s *sends) attempts(at slotOf) []*types.Transaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*types.Transaction, len(s.seen[at]))
	for i, raw := range s.seen[at] {
		out[i] = new(types.Transaction)
		_ = out[i].UnmarshalBinary(raw) // it was one
	}
	return out
}

// slots that had an attempt so far.
func (s *sends) slots() []slotOf {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.seen))
}

// alike tells whether two attempts of a slot carry the same work.
func (s *sends) alike(at slotOf, a, b common.Hash) bool {
	var first, second []byte
	for _, tx := range s.attempts(at) {
		if tx.Hash() == a {
			first = tx.Data()
		}
		if tx.Hash() == b {
			second = tx.Data()
		}
	}
	return len(first) > 0 && string(first) == string(second)
}

// count is the number of slots and of attempts so far.
func (s *sends) count() (slots, attempts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, all := range s.seen {
		attempts += len(all)
	}
	return len(s.seen), attempts
}
