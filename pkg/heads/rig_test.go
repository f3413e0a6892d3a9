package heads_test

import (
	"context"
	"crypto/ecdsa"
	"log/slog"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
)

// rig is a tracker on a model, one lane's subscription, and the key of its signer.
type rig struct {
	*heads.Tracker
	*model
	t   require.TestingT
	reg *prometheus.Registry
	key *ecdsa.PrivateKey
	tip *modelBlock // what honest nodes have
}

// newRig starts with a chain of that many blocks above genesis.
func newRig(t require.TestingT, config heads.Config, blocks int, names ...string) *rig {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("a lane")))
	require.NoError(t, err)
	m := &model{now: time.Unix(1_700_000_000, 0), by: map[string]int{}, distrusted: map[string]int{}}
	config.Now = func() time.Time { return m.now }
	reg := prometheus.NewRegistry()
	r := &rig{model: m, t: t, reg: reg, key: key, tip: mine(nil, "genesis")}
	for range blocks {
		r.tip = mine(r.tip, "")
	}
	for _, name := range names {
		m.nodes = append(m.nodes, &node{name: name, head: r.tip})
	}
	r.Tracker = heads.New(config, m, slog.New(slog.DiscardHandler), reg)
	return r
}

func (r *rig) signer() common.Address { return crypto.PubkeyToAddress(r.key.PublicKey) }

// tx is a transaction of the lane; variants of a nonce differ. The foreigner's has no chain id.
func (r *rig) tx(nonce, variant uint64) *types.Transaction {
	if variant == foreigner {
		tx, err := types.SignNewTx(r.key, types.HomesteadSigner{}, &types.LegacyTx{Nonce: nonce, Gas: 21_000, GasPrice: big.NewInt(9), To: &common.Address{}})
		require.NoError(r.t, err)
		return tx
	}
	tx, err := types.SignNewTx(r.key, types.LatestSignerForChainID(big.NewInt(1)), &types.DynamicFeeTx{
		ChainID: big.NewInt(1), Nonce: nonce, Gas: 21_000 + variant, GasFeeCap: big.NewInt(9), GasTipCap: big.NewInt(1), To: &common.Address{},
	})
	require.NoError(r.t, err)
	return tx
}

// mine adds a block to the chain of all honest nodes, which are those that had the tip.
func (r *rig) mine(txs ...*types.Transaction) *modelBlock {
	return r.branch(r.tip, 1, "", txs...)
}

// branch makes honest nodes switch to a branch from a block, with the transactions in its first block.
func (r *rig) branch(from *modelBlock, length int, salt string, txs ...*types.Transaction) *modelBlock {
	was := r.tip
	r.tip = from
	for i := range length {
		if i > 0 {
			txs = nil
		}
		r.tip = mine(r.tip, salt, txs...)
	}
	for _, n := range r.nodes {
		if n.head == was {
			n.head = r.tip
		}
	}
	return r.tip
}

// round lets half a second pass and looks for a head.
func (r *rig) round() error {
	r.now = r.now.Add(500 * time.Millisecond)
	return r.Round(context.Background())
}

func (r *rig) rounds(n int) {
	for range n {
		require.NoError(r.t, r.round())
	}
}

func (r *rig) atTip() {
	head, ok := r.Head()
	require.True(r.t, ok)
	require.Equal(r.t, r.tip.Ref(), head.Ref())
}

func (r *rig) view(s *heads.Subscription) evidence.View {
	select {
	case v := <-s.Views():
		return v
	default:
		require.Fail(r.t, "there is no view")
		return evidence.View{}
	}
}

// metric is a counter's or gauge's value.
func (r *rig) metric(name string) (value float64) {
	families, err := r.reg.Gather()
	require.NoError(r.t, err)
	for _, family := range families {
		if family.GetName() == name {
			for _, m := range family.GetMetric() {
				value += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return value
}
