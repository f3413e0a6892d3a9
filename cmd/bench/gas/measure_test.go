package gas

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/evm"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// TestRules: the rules charge what the report says they do.
func TestRules(t *testing.T) {
	t.Parallel()
	const fresh = 97_920 // of state gas
	for _, c := range []struct {
		rules                                          Rules
		transaction, zeroFloor, otherFloor, set, reset uint64
	}{
		{osaka(), 21_000, 10, 40, 22_100, 5_000},
		{amsterdam(), 15_000, 64, 64, 2_100 + 10_000 + fresh, 2_100 + 10_000},
	} {
		m, err := newMachine(c.rules)
		require.NoError(t, err)
		anyone := common.Address{1}
		send := func(data []byte) uint64 {
			receipt, err := m.send(relayerKey, &anyone, data)
			require.NoError(t, err)
			return receipt.GasUsed
		}
		require.Equal(t, c.transaction, send(nil), c.rules.Name)
		require.Equal(t, c.transaction+1000*c.zeroFloor, send(make([]byte, 1000)), c.rules.Name)
		require.Equal(t, c.transaction+c.otherFloor, send([]byte{1}), c.rules.Name)

		// PUSH1 0 CALLDATALOAD PUSH0 SSTORE: the word of the call becomes slot 0
		m.evm.State.SetCode(anyone, []byte{byte(vm.PUSH1), 0, byte(vm.CALLDATALOAD), byte(vm.PUSH0), byte(vm.SSTORE)}, tracing.CodeChangeUnspecified)
		store := func(value byte) uint64 {
			data := append(make([]byte, 31), value)
			return send(data) - c.transaction - 31*params.TxDataZeroGas - params.TxDataNonZeroGasEIP2028 - 3 - 3 - 2
		}
		require.Equal(t, c.set, store(1), c.rules.Name)
		require.Equal(t, c.reset, store(2), c.rules.Name)
	}
}

func TestATransactionIsCapped(t *testing.T) {
	t.Parallel()
	rules := osaka()
	rules.txGas++
	_, err := newMachine(rules)
	require.ErrorIs(t, err, core.ErrGasLimitTooHigh)

	m, err := newMachine(osaka())
	require.NoError(t, err)
	_, err = m.call(relayerKey, make([]byte, evm.MaxTxBytes))
	require.ErrorIs(t, err, evm.ErrTooLong)
	_, err = m.call(relayerKey, []byte{1, 2, 3, 4}) // no such function
	require.ErrorIs(t, err, errReverted)
	receipt, err := m.try(relayerKey, &m.contract, []byte{1, 2, 3, 4})
	require.NoError(t, err)
	require.Equal(t, types.ReceiptStatusFailed, receipt.Status)
}

// TestConsecutiveRowsFillWords: no word is paid for by some of its ids only, and all is as the row says.
func TestConsecutiveRowsFillWords(t *testing.T) {
	t.Parallel()
	for _, r := range rows() {
		g := newGenerator(r)
		ids := map[wordSlot]map[score.UpdateID]bool{}
		for range r.batches() {
			updates := g.next()
			require.Len(t, updates, r.updates)
			targets, signers := map[common.Address]int{}, map[common.Address]bool{}
			for _, u := range updates {
				word := wordSlot{u.Project, u.ID.Word()}
				if ids[word] == nil {
					ids[word] = map[score.UpdateID]bool{}
				}
				require.False(t, ids[word][u.ID], "%s: an id twice", r.key)
				ids[word][u.ID] = true
				targets[u.Target]++
				signers[u.Signer] = true
			}
			require.Len(t, targets, r.updates/r.hits, r.key)
			require.Len(t, signers, r.projects*r.signers, r.key)
		}
		for _, word := range ids {
			switch r.ids {
			case consecutive:
				require.Len(t, word, wordIDs, r.key)
			case subset:
				require.Len(t, word, 2*r.updates, r.key)
			case random:
				require.Len(t, word, 1, r.key)
			}
		}
	}
}

// TestOutcomesAreChecked: batches that do not apply are no measurement.
func TestOutcomesAreChecked(t *testing.T) {
	t.Parallel()
	m, err := newMachine(osaka())
	require.NoError(t, err)
	g := newGenerator(plain("outcomes", 0, 10, consecutive))
	l, err := newLab(m, g)
	require.NoError(t, err)
	domain := sdk.NewDomain(1, m.contract)

	updates := g.next()
	units, err := signed(domain, keyOf("a stranger"), updates)
	require.NoError(t, err)
	_, err = l.apply(units)
	require.ErrorIs(t, err, errOutcome)
	units, err = signed(domain, updaterKey(0, 0), updates)
	require.NoError(t, err)
	sent, err := l.apply(units)
	require.NoError(t, err)
	require.Equal(t, batch.Fresh{Words: 1}, sent[0].fresh)
	_, err = l.apply(units)
	require.ErrorIs(t, err, errOutcome)
}

// TestPlansFillTransactions as a relayer does: 500 random ids take two, consecutive ones one.
func TestPlansFillTransactions(t *testing.T) {
	t.Parallel()
	for ids, want := range map[style]int{consecutive: 1, random: 2} {
		updates := newGenerator(plain("plans", 0, 500, ids)).next()
		batches, err := plan(registry.Osaka().Batch, unsigned(updates))
		require.NoError(t, err)
		require.Len(t, batches, want)
		n := 0
		for _, b := range batches {
			n += b.Len()
		}
		require.Equal(t, 500, n, "all of them are in one")
	}
}

// TestSignedGroupsAreTheSDKs: one for each word, of the kind that costs less, under the signer's signature.
func TestSignedGroupsAreTheSDKs(t *testing.T) {
	t.Parallel()
	domain := sdk.NewDomain(1, common.Address{1})
	key := updaterKey(0, 0)
	for hits, kind := range map[int]score.Kind{1: score.KindWord, 10: score.KindRuns} {
		g := newGenerator(plain("groups", 0, 100, consecutive).hitting(hits))
		var updates []score.Update
		for range 3 { // so that the last batch is of two words
			updates = g.next()
		}
		units, err := signed(domain, key, updates)
		require.NoError(t, err)
		require.Len(t, units, 2)
		n := 0
		for _, u := range units {
			require.Equal(t, kind, u.Kind)
			body, err := batch.EncodeBody(u.Kind, u.Updates)
			require.NoError(t, err)
			signature, err := wallet.ParseSignature(u.Signature[:])
			require.NoError(t, err)
			signer, err := signature.Recover(domain.GroupDigest(updates[0].Project, u.Kind, body))
			require.NoError(t, err)
			require.Equal(t, addressOf(key), signer)
			for _, update := range u.Updates {
				require.Contains(t, updates, update, "with its signer")
				n++
			}
		}
		require.Equal(t, 100, n)
	}
	_, err := signed(domain, key, make([]score.Update, 1))
	require.ErrorContains(t, err, "zero address")
	_, err = signed(sdk.Domain{}, key, newGenerator(plain("groups", 0, 1, random)).next())
	require.ErrorIs(t, err, sdk.ErrDomain)
}

// TestEachRunIsTheSame, and rows differ from each other.
func TestEachRunIsTheSame(t *testing.T) {
	t.Parallel()
	row := plain("same", 0, 50, subset).hitting(2).overProjects(5).bySigners(5)
	first, second := newGenerator(row), newGenerator(row)
	other := newGenerator(plain("other", 0, 50, subset).hitting(2).overProjects(5).bySigners(5))
	for range 3 {
		updates := first.next()
		require.Equal(t, updates, second.next())
		require.NotEqual(t, updates, other.next())
	}
	require.Equal(t, first.existing(), second.existing())
}

// TestWalletsExist: every wallet that an existing row hits has got a score before, and none of a fresh one.
func TestWalletsExist(t *testing.T) {
	t.Parallel()
	for _, fresh := range []bool{false, true} {
		row := plain("wallets", 0, 60, consecutive).hitting(2).overProjects(3)
		row.fresh = fresh
		g := newGenerator(row)
		has := map[score.ProjectID]map[common.Address]bool{}
		for _, u := range g.existing() {
			if has[u.Project] == nil {
				has[u.Project] = map[common.Address]bool{}
			}
			has[u.Project][u.Target] = true
		}
		require.Len(t, has, 3)
		for _, u := range g.next() {
			require.Equal(t, !fresh, has[u.Project][u.Target])
		}
	}
}

// TestProjectsAreWithinBounds, the largest at them.
func TestProjectsAreWithinBounds(t *testing.T) {
	t.Parallel()
	require.Empty(t, newProject(3).Problems())
	largest := largestProject()
	require.Empty(t, largest.Problems())
	require.Len(t, largest.Actions, score.MaxActions)
	require.Len(t, largest.ScoreTypes, score.MaxScoreTypes)
	require.Equal(t, score.MaxCreationMembers, len(largest.Owners)+len(largest.Updaters))
	for _, name := range []string{largest.Actions[0].Name, largest.ScoreTypes[0]} {
		require.Len(t, name, score.MaxNameBytes)
	}
	require.NotEqual(t, newProject(0).ID, newProject(1).ID)
}

// TestATransactionHoldsSoMany: the search for the most changes nothing, and knows both sides of the limit.
func TestATransactionHoldsSoMany(t *testing.T) {
	t.Parallel()
	m, err := newMachine(osaka())
	require.NoError(t, err)
	g := newGenerator(plain("holds", 0, 4000, consecutive).onFresh())
	l, err := newLab(m, g)
	require.NoError(t, err)
	updates := g.inOrder()
	for n, want := range map[int]bool{1: true, 700: true, 800: false, 4000: false} {
		for range 2 {
			fits, err := l.holds(updates[:n])
			require.NoError(t, err)
			require.Equal(t, want, fits, n)
		}
	}
}
