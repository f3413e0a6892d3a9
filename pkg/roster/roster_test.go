package roster_test

import (
	"encoding/json"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

func signer(n int) common.Address { return common.Address{1, byte(n >> 8), byte(n)} }

func first(t require.TestingT, n int) roster.Roster {
	var signers []common.Address
	for i := range n {
		signers = append(signers, signer(i))
	}
	r, err := roster.First(signers)
	require.NoError(t, err)
	return r
}

// owned counts the buckets of each active lane.
func owned(r roster.Roster) map[score.Lane]int {
	out := map[score.Lane]int{}
	for _, l := range r.Lanes {
		if l.State == roster.Active {
			out[l.ID] = 0
		}
	}
	for _, owner := range r.Owners {
		out[owner]++
	}
	return out
}

// fewest is how many buckets must move, at least, until the active lanes of after share evenly.
func fewest(before, after roster.Roster) (moves int) {
	shares := owned(after)
	have := map[score.Lane]int{}
	for _, owner := range before.Owners {
		have[owner]++
	}
	small, large := score.Buckets/len(shares), score.Buckets%len(shares)
	kept, odd := 0, 0
	for id := range shares {
		kept += min(have[id], small)
		if have[id] > small {
			odd++
		}
	}
	return score.Buckets - kept - min(odd, large)
}

func moved(before, after roster.Roster) (n int) {
	for b, owner := range before.Owners {
		if after.Owners[b] != owner {
			n++
		}
	}
	return n
}

// TestChanges plays any changes, and holds each against what a roster promises.
func TestChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := first(t, rapid.IntRange(1, 12).Draw(t, "lanes"))
		next := 1000
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			before, encoded := r, encode(t, r)
			id := score.Lane(rapid.IntRange(0, len(r.Lanes)).Draw(t, "lane"))
			next++
			var after roster.Roster
			var err error
			kind := rapid.SampledFrom([]string{"add", "remove", "replace", "cut", "gone"}).Draw(t, "kind")
			switch kind {
			case "add":
				after, id, err = r.Add(signer(next))
			case "remove":
				after, err = r.Remove(id, true)
			case "replace":
				after, _, err = r.Replace(id, signer(next), true)
			case "cut":
				after, err = r.Cut(id, rapid.Bool().Draw(t, "dead"))
			case "gone":
				after, err = r.Gone(id)
			}
			require.Equal(t, encoded, encode(t, before), "the roster that was changed stays as it was")
			if err != nil {
				continue
			}
			for _, l := range before.Lanes {
				now, found := after.Lane(l.ID)
				require.True(t, found)
				require.Equal(t, l.Signer, now.Signer)
				if l.State == roster.Gone {
					require.Equal(t, l, now)
				}
			}
			shares := owned(after)
			low, high := score.Buckets, 0
			for id, n := range shares {
				l, found := after.Lane(id)
				require.True(t, found)
				require.Equal(t, roster.Active, l.State)
				low, high = min(low, n), max(high, n)
			}
			require.LessOrEqual(t, high-low, 1, "shares from %d to %d", low, high)
			switch was, _ := before.Lane(id); {
			case kind == "replace":
				require.Len(t, before.Wanted(id), moved(before, after))
			case kind == "gone", kind == "cut" && was.State != roster.Active:
				require.Zero(t, moved(before, after))
			default:
				require.Equal(t, fewest(before, after), moved(before, after))
			}
			decoded, err := decode(encode(t, after))
			require.NoError(t, err)
			require.Equal(t, after, decoded)
			r = after
		}
	})
}

func encode(t require.TestingT, r roster.Roster) []byte {
	data, err := json.Marshal(r)
	require.NoError(t, err)
	return data
}

func decode(data []byte) (r roster.Roster, err error) {
	err = json.Unmarshal(data, &r)
	return r, err
}

func TestFirst(t *testing.T) {
	t.Parallel()
	r := first(t, 3)
	for b, owner := range r.Owners {
		require.Equal(t, score.FirstOwner(score.Bucket(b), 3), owner)
	}
	_, err := roster.First(nil)
	require.Error(t, err)
	_, err = roster.First(make([]common.Address, score.MaxLanes+1))
	require.Error(t, err)
	_, err = roster.First([]common.Address{signer(1), signer(1)})
	require.ErrorIs(t, err, roster.ErrSigner)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	one := first(t, 1)
	_, err := one.Remove(0, true)
	require.ErrorIs(t, err, roster.ErrLast)
	require.ErrorContains(t, err, "scorelay lanes add")
	_, err = one.Cut(0, false)
	require.ErrorIs(t, err, roster.ErrLast)
	_, err = one.Gone(0)
	require.ErrorIs(t, err, roster.ErrState)
	_, err = one.Remove(1, true)
	require.ErrorIs(t, err, roster.ErrNoLane)
	same, id, err := one.Add(signer(0))
	require.NoError(t, err)
	require.Equal(t, score.Lane(0), id)
	require.Equal(t, one, same)
	_, _, err = one.Add(common.Address{})
	require.Error(t, err)

	two, id, err := one.Replace(0, signer(1), true)
	require.NoError(t, err, "the last active lane may be replaced")
	require.Equal(t, score.Lane(1), id)
	require.Len(t, two.Wanted(1), score.Buckets)
	two, err = two.Cut(0, false)
	require.NoError(t, err, "one that leaves may be cut: its key may be lost meanwhile")
	_, err = two.Remove(0, true)
	require.ErrorIs(t, err, roster.ErrState)
	require.False(t, two.Lanes[0].Dead)
	two, err = two.Cut(0, true)
	require.NoError(t, err)
	two, err = two.Cut(0, false)
	require.NoError(t, err)
	require.True(t, two.Lanes[0].Dead, "it is not taken back")
	two, err = two.Gone(0)
	require.NoError(t, err)
	_, err = two.Cut(0, true)
	require.ErrorIs(t, err, roster.ErrState)
	_, _, err = two.Add(signer(0))
	require.ErrorIs(t, err, roster.ErrSigner, "a signer has one lane for life")

	full := first(t, score.MaxLanes)
	_, _, err = full.Add(signer(5000))
	require.ErrorIs(t, err, roster.ErrFull)
}

// TestChangesMayBeRepeated, also where the lane was found to be never driven meanwhile.
func TestChangesMayBeRepeated(t *testing.T) {
	t.Parallel()
	for _, driven := range []bool{true, false} {
		state := map[bool]roster.State{true: roster.Leaving, false: roster.Cut}[driven]
		removed, err := first(t, 2).Remove(0, driven)
		require.NoError(t, err)
		require.Equal(t, state, removed.Lanes[0].State)
		replaced, successor, err := first(t, 1).Replace(0, signer(1), driven)
		require.NoError(t, err)
		require.Equal(t, state, replaced.Lanes[0].State)
		for range 2 {
			again, err := removed.Remove(0, driven)
			require.NoError(t, err)
			require.Equal(t, removed, again)
			again, id, err := replaced.Replace(0, signer(1), driven)
			require.NoError(t, err)
			require.Equal(t, successor, id)
			require.Equal(t, replaced, again)
			removed, err = removed.Gone(0)
			require.NoError(t, err)
			replaced, err = replaced.Gone(0)
			require.NoError(t, err)
		}
	}
	leaving, err := first(t, 2).Remove(0, true)
	require.NoError(t, err)
	cut, err := leaving.Remove(0, false)
	require.NoError(t, err)
	require.Equal(t, roster.Cut, cut.Lanes[0].State)
	leaving, _, err = first(t, 1).Replace(0, signer(1), true)
	require.NoError(t, err)
	cut, id, err := leaving.Replace(0, signer(1), false)
	require.NoError(t, err)
	require.Equal(t, score.Lane(1), id)
	require.Equal(t, roster.Cut, cut.Lanes[0].State)
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	good := string(encode(t, first(t, 2)))
	_, err := decode([]byte(`{"version":2,"what":1}`))
	require.ErrorIs(t, err, score.ErrNewer)
	broken := first(t, 2)
	broken.Lanes[1].State = roster.Leaving // and it shall own buckets
	_, err = decode(encode(t, broken))
	require.ErrorContains(t, err, "not active")
	for _, bad := range []string{"", "{}", good[:len(good)-1], `{"version":1,"lanes":[],"owners":[0]}`} {
		_, err := decode([]byte(bad))
		require.Error(t, err, bad)
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	live := roster.NewLive(first(t, 1))
	r, changed := live.Current()
	require.Len(t, r.Lanes, 1)
	live.Set(first(t, 2))
	<-changed
	r, _ = live.Current()
	require.Len(t, r.Lanes, 2)
}
