package topup_test

import (
	"context"
	"encoding/hex"
	"log/slog"
	"math/big"
	"os"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/signer"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/topup"
	"github.com/scorelay/scorelay/pkg/txpool"
)

const (
	payer         = 3 // the development account that pays
	confirmations = 2
	enough        = 80 // rounds in which everything comes to its end
	calm          = 15 // rounds in which what can happen begins
)

func eth(n float64) *big.Int {
	wei, _ := new(big.Float).Mul(big.NewFloat(n), big.NewFloat(1e18)).Int(nil)
	return wei
}

// rig is a deployment of geth, NATS and lanes whose signers have nothing.
type rig struct {
	t      *testing.T
	geth   *devnet.Chain
	store  kv.Doc[topup.Record]
	roster *roster.Live
	signer topup.Signer
	config topup.Config
	log    *slog.Logger
	paused map[score.Lane]bool
	thief  common.Address // without the relayer role
	halted bool
}

func newRig(t *testing.T, lanes int) *rig {
	t.Helper()
	r := &rig{t: t, geth: fresh.NewChain(t), log: slog.New(slog.DiscardHandler), paused: map[score.Lane]bool{}}
	if testing.Verbose() {
		r.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	js := fresh.JetStream(t)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: score.Deployment{Lanes: lanes, ChainID: devnet.ChainID, Contract: common.Address{1}}}))
	var err error
	r.store, err = topup.Open(t.Context(), js)
	require.NoError(t, err)
	var signers []common.Address
	for i := range lanes {
		signers = append(signers, common.Address{0xee, byte(i)})
	}
	known, err := roster.First(signers)
	require.NoError(t, err)
	r.roster = roster.NewLive(known)
	r.signer = key(t, payer).For(devnet.ChainID)
	r.config = topup.Config{
		Below: eth(1), To: eth(2), PerDay: eth(10), BumpBlocks: 3, ChainID: devnet.ChainID,
		Fees: lane.FeeRule{MaxCap: 1e12, MaxTxFee: 1e18, MinTip: 1_000_000},
	}
	return r
}

func key(t *testing.T, i int) *signer.Key {
	t.Helper()
	k, err := signer.FromHex(hex.EncodeToString(crypto.FromECDSA(devnet.Key(i))), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return k
}

// process is a relayer, with a tracker and an endpoint of its own.
type process struct {
	*topup.TopUp
	heads   *heads.Tracker
	proxy   *rpcproxy.Proxy
	metrics *prometheus.Registry
}

// start starts one. adjust may change what it depends on; it may be nil.
func (r *rig) start(adjust func(*topup.Deps)) *process {
	r.t.Helper()
	p := &process{metrics: prometheus.NewRegistry()}
	var err error
	p.proxy, err = rpcproxy.Start(r.geth.URL, 1)
	require.NoError(r.t, err)
	r.t.Cleanup(p.proxy.Close)
	client, err := chain.Dial(r.t.Context(), chain.Config{URLs: []string{p.proxy.URL}, Timeout: time.Minute}, r.log, prometheus.NewRegistry())
	require.NoError(r.t, err)
	r.t.Cleanup(client.Close)
	p.heads = heads.New(heads.Config{Confirmations: confirmations}, client, r.log, prometheus.NewRegistry())
	deps := topup.Deps{
		Heads: p.heads, Chain: client, Store: r.store, Roster: r.roster, Signer: r.signer, Log: r.log, Metrics: p.metrics,
		Halted: func() bool { return r.halted }, Paused: func(id score.Lane) bool { return r.paused[id] },
		Trusted: func(_ context.Context, account common.Address) (bool, error) { return account != r.thief, nil },
	}
	if adjust != nil {
		adjust(&deps)
	}
	p.TopUp = topup.New(r.config, deps)
	return p
}

// step makes a block, and has each process look.
func (r *rig) step(processes ...*process) {
	r.t.Helper()
	r.geth.Commit()
	r.look(processes...)
}

func (r *rig) look(processes ...*process) {
	for _, p := range processes {
		_ = p.heads.Round(r.t.Context())
		p.Round(r.t.Context())
	}
}

// until steps until something is so.
func (r *rig) until(so func() bool, processes ...*process) {
	r.t.Helper()
	for range enough {
		if so() {
			return
		}
		r.step(processes...)
	}
	require.True(r.t, so(), "it does not come to be: %+v", processes[0].Told())
}

// steps makes some, in which nothing shall happen any more.
func (r *rig) steps(processes ...*process) {
	for range calm {
		r.step(processes...)
	}
}

func (r *rig) balance(of common.Address) *big.Int {
	r.t.Helper()
	balance, err := r.geth.Client().BalanceAt(r.t.Context(), of, nil)
	require.NoError(r.t, err)
	return balance
}

func (r *rig) lane(id score.Lane) common.Address {
	known, _ := r.roster.Current()
	return known.Lanes[id].Signer
}

// paid tells whether these lanes have what they shall have, to the wei.
func (r *rig) paid(ids ...score.Lane) bool {
	for _, id := range ids {
		if r.balance(r.lane(id)).Cmp(r.config.To) != 0 {
			return false
		}
	}
	return true
}

// nonce is how many transactions of the account that pays are in blocks.
func (r *rig) nonce() uint64 {
	r.t.Helper()
	nonce, err := r.geth.Client().NonceAt(r.t.Context(), r.signer.Address(), nil)
	require.NoError(r.t, err)
	return nonce
}

func (r *rig) record() topup.Record {
	r.t.Helper()
	record, _, err := r.store.Get(r.t.Context())
	require.NoError(r.t, err)
	return record
}

func (r *rig) pending() bool { return r.record().Transfer != nil && r.record().Transfer.Ended == nil }

// settled tells whether the newest transfer has ended, with so many transactions of the account.
func (r *rig) settled(n uint64) bool {
	return r.nonce() == n && r.record().Transfer != nil && !r.pending()
}

// foreign sends a transaction of the account that no record has.
func (r *rig) foreign(nonce uint64, to common.Address, tip int64) {
	r.t.Helper()
	require.NoError(r.t, r.geth.Client().SendTransaction(r.t.Context(), r.sign(r.signer, &types.DynamicFeeTx{
		ChainID: big.NewInt(devnet.ChainID), Nonce: nonce, GasTipCap: big.NewInt(tip), GasFeeCap: big.NewInt(100 * tip), Gas: 21_000, To: &to, Value: big.NewInt(7),
	})))
}

func (r *rig) sign(by topup.Signer, tx types.TxData) *types.Transaction {
	r.t.Helper()
	signed, err := by.Sign(r.t.Context(), types.NewTx(tx))
	require.NoError(r.t, err)
	return signed
}

// resume is what scorelay topup resume does.
func (r *rig) resume() {
	r.t.Helper()
	_, err := topup.Resume(r.t.Context(), r.store)
	require.NoError(r.t, err)
}

// faulty is a store whose writes follow a plan.
type faulty struct {
	topup.Store
	*fault.Plan
	away  bool   // nothing answers
	first func() // runs before a write, once; nil: nothing does
}

func (f *faulty) Get(ctx context.Context) (topup.Record, uint64, error) {
	if f.away {
		return topup.Record{}, 0, fault.Err
	}
	return f.Store.Get(ctx)
}

func (f *faulty) Replace(ctx context.Context, r topup.Record, revision uint64) (uint64, error) {
	if first := f.first; first != nil {
		f.first = nil
		first()
	}
	if f.away {
		return 0, fault.Err
	}
	return fault.Value(f.Plan, "put", func() (uint64, error) { return f.Store.Replace(ctx, r, revision) })
}

// line is a chain to which transactions get only while it is up, and whose answers may be lost.
type line struct {
	topup.Chain
	cut, lost bool
	sent      [][]byte
}

func (l *line) Send(ctx context.Context, raw [][]byte) []txpool.Result {
	l.sent = append(l.sent, raw...)
	if l.cut {
		return []txpool.Result{{Class: txpool.Timeout, Err: fault.Err}}
	}
	results := l.Chain.Send(ctx, raw)
	if l.lost {
		return []txpool.Result{{Class: txpool.Timeout, Err: fault.Err}}
	}
	return results
}

func over(l *line) func(*topup.Deps) {
	return func(d *topup.Deps) { l.Chain, d.Chain = d.Chain, l }
}

// on is over a line, with the store of a test.
func on(f *faulty, l *line) func(*topup.Deps) {
	return func(d *topup.Deps) {
		d.Store = f
		over(l)(d)
	}
}
