package model_test

import (
	"bytes"
	"crypto/ecdsa"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Development accounts: the admin, two relayers, one that has no role.
const (
	admin    = 0
	relayerA = 4
	relayerB = 5
	stranger = 6
)

const gwei = 1_000_000_000

// key is a development key; making one takes longer than most of what the models do.
var key = func() func(i int) *ecdsa.PrivateKey {
	var keys [20]*ecdsa.PrivateKey
	for i := range keys {
		keys[i] = devnet.Key(i)
	}
	return func(i int) *ecdsa.PrivateKey { return keys[i] }
}()

// world is a model of a chain with one node, before anything happened but the deployment.
type world struct {
	*model.Chain
	t     testing.TB
	clock *model.Clock
	node  *model.Node
	rng   *rand.Rand
	ids   []score.ProjectID
}

func newWorld(t testing.TB, id uint64, rng *rand.Rand) *world {
	w := &world{t: t, clock: model.NewClock(), rng: rng}
	million := new(big.Int).Mul(big.NewInt(1_000_000), big.NewInt(1e18))
	w.Chain = model.NewChain(model.Config{
		ID: id, Contract: crypto.CreateAddress(devnet.Address(admin), 0), Admin: devnet.Address(admin),
		Relayers: []common.Address{devnet.Address(relayerA), devnet.Address(relayerB)},
		Accounts: map[common.Address]model.Account{
			devnet.Address(admin):    {Nonce: 1, Balance: million},
			devnet.Address(relayerA): {Balance: million},
			devnet.Address(relayerB): {Balance: million},
			devnet.Address(stranger): {Balance: million},
		},
		GasLimit: devnet.DefaultGasLimit, BaseFee: gwei,
	}, w.clock)
	w.node = w.NewNode("a", 1)
	return w
}

func (w *world) draw(n int) int { return w.rng.IntN(n) }

// mine makes a block of what the node has, which counts.
func (w *world) mine() *model.Block {
	b := w.Make(w.Head(), w.node.Ready(w.Head()), 0)
	w.Adopt(b)
	w.node.Sync()
	return b
}

// sign makes a transaction of a development account.
func (w *world) sign(account int, nonce uint64, to *common.Address, data []byte, change func(*types.DynamicFeeTx)) *types.Transaction {
	inner := &types.DynamicFeeTx{
		ChainID: new(big.Int).SetUint64(w.ID), Nonce: nonce, To: to, Data: data, Gas: 1 << 23,
		GasTipCap: big.NewInt(int64(20-account) * gwei), GasFeeCap: big.NewInt(100 * gwei), // tips tell in which order blocks hold them
	}
	if change != nil {
		change(inner)
	}
	tx, err := types.SignNewTx(key(account), types.LatestSignerForChainID(inner.ChainID), inner)
	require.NoError(w.t, err)
	return tx
}

func raw(t testing.TB, tx *types.Transaction) []byte {
	t.Helper()
	b, err := tx.MarshalBinary()
	require.NoError(t, err)
	return b
}

// member is a key that projects name as their updater.
func member(i int) *ecdsa.PrivateKey { return key(10 + i) }

func (w *world) project() *score.Project {
	id := score.ProjectID{byte(1 + w.draw(4))}
	if !slices.Contains(w.ids, id) {
		w.ids = append(w.ids, id)
	}
	return &score.Project{
		ID: id, Name: "a project", Actions: []score.Action{{Name: "up", Points: 10}, {Name: "down", Points: 3, Direction: score.Subtract}},
		Owners: []common.Address{{0xaa}}, Updaters: []common.Address{crypto.PubkeyToAddress(member(0).PublicKey)},
		ScoreTypes: []string{"reputation", "a score type with a name of more than one word"}[:1+w.draw(2)], SignedOnly: w.draw(4) == 0,
	}
}

// batch draws a batch in which much may be wrong.
func (w *world) batch() batch.Batch {
	var updates []score.Update
	for range 1 + w.draw(12) {
		updates = append(updates, score.Update{
			Project: score.ProjectID{byte(1 + w.draw(5))}, Signer: crypto.PubkeyToAddress(member(w.draw(8) / 7).PublicKey),
			ID:     score.UpdateID{byte(w.draw(3)), 31: byte(w.draw(40))},
			Target: common.Address{0xcc, byte(w.draw(3))}, Action: uint8(w.draw(20) / 8), ScoreType: uint8(w.draw(16) / 7),
		})
	}
	m := registry.Osaka().Batch
	builder, err := batch.NewBuilder(m, batch.DefaultLimits())
	require.NoError(w.t, err)
	again := slices.DeleteFunc(updates, builder.Add)
	b := builder.Build()
	for _, u := range again { // of an id that is in the batch
		b.Groups = append(b.Groups, batch.Single(u).Groups...)
	}
	for i := range b.Groups {
		if w.draw(3) == 0 {
			w.signGroup(&b.Groups[i], w.draw(4) == 0)
		}
	}
	return b
}

func (w *world) signGroup(g *batch.Group, forged bool) {
	body, err := batch.EncodeBody(g.Kind, g.Updates)
	require.NoError(w.t, err)
	digest := wallet.NewDomain(w.ID, w.Contract).GroupDigest(g.Project, g.Kind, body)
	key := member(0)
	if forged {
		key = member(5)
	}
	signature, err := crypto.Sign(digest[:], key)
	require.NoError(w.t, err)
	parsed, err := wallet.ParseSignature(signature)
	require.NoError(w.t, err)
	compact := parsed.Compact()
	g.Signature = &compact
}

// calldata draws something for the contract, and tells how much gas it needs at most.
func (w *world) calldata() (data []byte, gas uint64) {
	switch w.draw(8) {
	case 0, 1:
		p := w.project()
		return registry.EncodeCreateProject(p), registry.Osaka().CreateProject(p)
	case 2:
		return bytes.Repeat([]byte{0x12}, 4+w.draw(40)), 200_000
	}
	b := w.batch()
	m := registry.Osaka().Batch
	return registry.EncodeBatch(b), m.Gas(b)
}
