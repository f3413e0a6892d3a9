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
	"github.com/scorelay/scorelay/pkg/score"
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
		nobody := common.Address{1}
		send := func(data []byte) uint64 {
			receipt, err := m.send(relayerKey, &nobody, data)
			require.NoError(t, err)
			return receipt.GasUsed
		}
		require.Equal(t, c.transaction, send(nil), c.rules.Name)
		require.Equal(t, c.transaction+1000*c.zeroFloor, send(make([]byte, 1000)), c.rules.Name)
		require.Equal(t, c.transaction+c.otherFloor, send([]byte{1}), c.rules.Name)

		// PUSH1 0 CALLDATALOAD PUSH0 SSTORE: the word of the call becomes slot 0
		m.state.SetCode(nobody, []byte{byte(vm.PUSH1), 0, byte(vm.CALLDATALOAD), byte(vm.PUSH0), byte(vm.SSTORE)}, tracing.CodeChangeUnspecified)
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
	_, err = m.call(relayerKey, make([]byte, maxTxBytes))
	require.ErrorIs(t, err, errTooLong)
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
		ids := map[projectWord]map[score.UpdateID]bool{}
		for range r.batches() {
			updates := g.next()
			require.Len(t, updates, r.updates)
			targets, signers := map[common.Address]int{}, map[common.Address]bool{}
			for _, u := range updates {
				word := projectWord{u.Project, u.ID.Word()}
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
	domain := wallet.NewDomain(1, m.contract)

	updates := g.next()
	units, err := signed(domain, keyOf("somebody else"), updates)
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

// TestFloor is the prices' sum, by hand.
func TestFloor(t *testing.T) {
	t.Parallel()
	u := score.Update{Target: common.Address{1}, Action: 1, ScoreType: 3}
	for i := range u.ID {
		u.ID[i] = 1
	}
	slots := newUsed()
	const (
		transaction = 21_000 + 375 + 375 + 3*2_100 // its event; relayer, signer, actions
		bytes       = (32+1+1+1)*(16+8) + 19*(4+8) // id, target, type, action
	)
	gas, fresh := slots.least(batch.Single(u))
	require.EqualValues(t, transaction+bytes+2*(42+22_100), gas)
	require.Equal(t, batch.Fresh{Scores: 1, Words: 1}, fresh)

	u.ID[31]++
	again := u
	again.ID[31]++
	gas, fresh = slots.least(batch.Batch{Groups: []batch.Group{{Kind: score.KindRuns, Updates: []score.Update{u, again}}}}) // both add to one score
	require.EqualValues(t, transaction+bytes+(16+8)+2*(42+5_000), gas)
	require.Equal(t, batch.Fresh{}, fresh)
}
