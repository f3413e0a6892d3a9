package gas

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// Of an update with no zero byte in its id: what it costs alone, by hand.
const (
	oneTransaction = 21_000 + 375 + 375 + 3*2_100              // its event; relayer, signer, actions
	oneID          = 32 * (16 + 8)                             // in calldata and in the event
	oneTarget      = (1+1)*(16+8) + 19*(4+8)                   // a byte of it and the score type are not zero
	oneAction      = 16 + 8                                    // not zero
	oneUpdate      = oneID + oneTarget + oneAction             // its bytes
	writeFresh     = 42 + 22_100                               // a key and a slot
	writeChanged   = 42 + 5_000                                // a key and a slot
	one            = oneTransaction + oneUpdate + 2*writeFresh // a word and a score
)

func someUpdate() score.Update {
	u := score.Update{Target: common.Address{1}, Action: 1, ScoreType: 3}
	for i := range u.ID {
		u.ID[i] = 1
	}
	return u
}

// together is a batch of one group.
func together(updates ...score.Update) batch.Batch {
	return batch.Batch{Groups: []batch.Group{{Kind: score.KindRuns, Updates: updates}}}
}

// TestFloor is the prices' sum, by hand.
func TestFloor(t *testing.T) {
	t.Parallel()
	u := someUpdate()
	slots := used{}
	gas, fresh := slots.least(batch.Single(u))
	require.EqualValues(t, one, gas)
	require.Equal(t, batch.Fresh{Scores: 1, Words: 1}, fresh)

	u.ID[31]++
	again := u
	again.ID[31]++
	gas, fresh = slots.least(together(u, again)) // both add to one score
	require.EqualValues(t, oneTransaction+oneUpdate+oneAction+2*writeChanged, gas)
	require.Equal(t, batch.Fresh{}, fresh)
}

// TestFloorOfWhatIsShared: what a second update of the same batch must pay, depending on what it shares with the first.
func TestFloorOfWhatIsShared(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		differs func(u *score.Update)
		more    int
		fresh   batch.Fresh
	}{
		"all":             {func(*score.Update) {}, oneAction, batch.Fresh{Words: 1, Scores: 1}},
		"not the id":      {func(u *score.Update) { u.ID[31]++ }, oneAction, batch.Fresh{Words: 1, Scores: 1}},
		"not the word":    {func(u *score.Update) { u.ID[30]++ }, oneID + oneAction + writeFresh, batch.Fresh{Words: 2, Scores: 1}},
		"not the wallet":  {func(u *score.Update) { u.Target[0]++ }, oneTarget + oneAction + writeFresh, batch.Fresh{Words: 1, Scores: 2}},
		"not the type":    {func(u *score.Update) { u.ScoreType-- }, oneTarget + oneAction, batch.Fresh{Words: 1, Scores: 1}},
		"not four types":  {func(u *score.Update) { u.ScoreType++ }, oneTarget + oneAction + writeFresh, batch.Fresh{Words: 1, Scores: 2}},
		"not the action":  {func(u *score.Update) { u.Action++ }, oneAction, batch.Fresh{Words: 1, Scores: 1}},
		"not its slot":    {func(u *score.Update) { u.Action = 8 }, oneAction + 2_100, batch.Fresh{Words: 1, Scores: 1}},
		"not the signer":  {func(u *score.Update) { u.Signer[0]++ }, oneAction + 2_100, batch.Fresh{Words: 1, Scores: 1}},
		"not the project": {func(u *score.Update) { u.Project[0]++ }, oneID + oneAction + 2*2_100 + 2*writeFresh, batch.Fresh{Words: 2, Scores: 2}},
	} {
		first, second := someUpdate(), someUpdate()
		c.differs(&second)
		gas, fresh := used{}.least(together(first, second))
		require.EqualValues(t, one+c.more, gas, name)
		require.Equal(t, c.fresh, fresh, name)
	}
}

// TestFloorOfGroups: each says its wallets itself, and a signature is read and recovered.
func TestFloorOfGroups(t *testing.T) {
	t.Parallel()
	first, second := someUpdate(), someUpdate()
	second.ID[31]++
	two := batch.Batch{Groups: []batch.Group{{Kind: score.KindWord, Updates: []score.Update{first}}, {Kind: score.KindWord, Updates: []score.Update{second}}}}
	gas, _ := used{}.least(two)
	require.EqualValues(t, one+oneTarget+oneAction, gas)
	signature := score.GroupSignature{63: 1}
	two.Groups[1].Signature = &signature
	gas, _ = used{}.least(two)
	require.EqualValues(t, one+oneTarget+oneAction+3_000+63*(4+8)+16+8, gas)
}
