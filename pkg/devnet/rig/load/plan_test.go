package load

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// TestPlanHoldsOneDuplicateAndOneInvalidPerHundred, however it is sent, and signs as groups what it says it does.
func TestPlanHoldsOneDuplicateAndOneInvalidPerHundred(t *testing.T) {
	t.Parallel()
	client := script(accepted()).client()
	for _, signedOnly := range []bool{false, true} {
		at := place(t)
		at.SignedOnly = signedOnly
		seen, words := map[score.UpdateID]int{}, map[score.Word]int{}
		again, invalid, grouped, alone := 0, 0, 0, 0
		for _, p := range Plan(at, 1000) {
			require.LessOrEqual(t, len(p.Updates), score.MaxSigned)
			for _, u := range p.Updates {
				seen[u.ID]++
				words[u.ID.Word()]++
				require.Same(t, p.Updates[0].Wallet, u.Wallet)
				switch {
				case u.Again:
					again++
				case u.Invalid:
					invalid++
				case p.Signed:
					grouped++
				default:
					alone++
				}
			}
			if p.Signed && p.Updates[0].Target != (common.Address{}) {
				_, err := client.sign(t.Context(), p)
				require.NoError(t, err)
			} else {
				require.Len(t, p.Updates, 1)
			}
		}
		require.Equal(t, []int{10, 10}, []int{again, invalid})
		require.Len(t, seen, 990)
		require.Equal(t, signedOnly, alone == 0)
		require.GreaterOrEqual(t, grouped, 320)
		require.Less(t, len(words), 700, "many ids share a word")
	}
}

// TestPlansAreAlike: two plans of a place differ in nothing but their ids, and what is sent again was sent before.
func TestPlansAreAlike(t *testing.T) {
	t.Parallel()
	at := place(t)
	first, second := Plan(at, 700), Plan(at, 700)
	require.Len(t, second, len(first))
	sent := map[score.UpdateID]Update{}
	for i, p := range first {
		require.Equal(t, []bool{p.Signed, p.Forged}, []bool{second[i].Signed, second[i].Forged}, "post %d", i)
		require.Len(t, second[i].Updates, len(p.Updates), "post %d", i)
		for j, u := range p.Updates {
			other := second[i].Updates[j]
			require.NotEqual(t, u.ID, other.ID, "post %d", i)
			if u.Again {
				before, known := sent[u.ID]
				require.True(t, known && !before.Invalid, "post %d", i)
				before.Again = true
				require.Equal(t, before, u)
			}
			sent[u.ID] = u
			u.ID = other.ID
			require.Equal(t, u.Wallet.Address, other.Wallet.Address)
			u.Wallet = other.Wallet
			require.Equal(t, u, other, "post %d", i)
		}
	}
}

// TestInvalidUpdatesAreInvalidInManyWays: each turn breaks one rule, and a place of signed groups has its own.
func TestInvalidUpdatesAreInvalidInManyWays(t *testing.T) {
	t.Parallel()
	at := place(t)
	for _, signedOnly := range []bool{false, true} {
		at.SignedOnly = signedOnly
		var broken []string
		for turn := range 6 {
			p := invalid(at, at.Update(0), turn)
			u := p.Updates[0]
			require.True(t, u.Invalid)
			how := ""
			switch {
			case u.ActionIndex >= uint8(len(at.Actions)):
				how = "action"
			case u.TypeIndex == score.MaxScoreTypes:
				how = "score type"
			case u.Wallet == at.Stranger && turn == 2:
				how = "stranger"
			case u.Wallet == at.Stranger && p.Signed:
				how = "stranger's group"
			case p.Forged:
				how = "forged"
			case u.Target == common.Address{}:
				how = "target"
			case signedOnly && !p.Signed:
				how = "alone"
			}
			broken = append(broken, how)
		}
		last := "target"
		if signedOnly {
			last = "alone"
		}
		require.Equal(t, []string{"action", "score type", "stranger", "stranger's group", "forged", last}, broken)
	}
}

func TestAssignedIDs(t *testing.T) {
	t.Parallel()
	at := place(t)
	minter := sdk.NewMinter()
	words := func(random bool) int {
		updates := make([]Update, 100)
		Assign(updates, at.Updaters[1], minter, random)
		ids, seen := map[score.UpdateID]bool{}, map[score.Word]bool{}
		for _, u := range updates {
			require.Same(t, at.Updaters[1], u.Wallet)
			ids[u.ID], seen[u.ID.Word()] = true, true
		}
		require.Len(t, ids, 100)
		return len(seen)
	}
	require.Equal(t, 1, words(false))
	require.Equal(t, 100, words(true))
	require.Panics(t, func() { Assign(make([]Update, sdk.MaxRange+1), at.Updaters[0], minter, false) })
}
