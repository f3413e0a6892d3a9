package relay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
	"github.com/scorelay/scorelay/pkg/stream"
)

func simUpdates(rng *rand.Rand, n int) []score.Update {
	out := make([]score.Update, n)
	for i := range out {
		out[i] = score.Update{
			Project: score.ProjectID{byte(1 + rng.IntN(3))}, ID: score.UpdateID{31: byte(rng.IntN(20))}, Signer: common.Address{0xbb},
			Target: common.Address{byte(rng.IntN(3))}, Action: uint8(rng.IntN(2)),
		}
	}
	return out
}

// TestSimSourceIsLikeNATS publishes, reads, purges and dead-letters the same in JetStream and in the simulation's model.
func TestSimSourceIsLikeNATS(t *testing.T) {
	t.Parallel()
	const lanes = 3
	ctx := t.Context()
	js := fresh.JetStream(t)
	require.NoError(t, stream.Setup(ctx, js, stream.Config{Deployment: score.Deployment{Lanes: lanes, ChainID: 1, Contract: common.Address{1}}}))
	real, err := stream.Open(ctx, js)
	require.NoError(t, err)
	model, rng := newSimSource(time.Now), rand.New(rand.NewPCG(7, 0))
	projects := byte(0)
	for step := range 400 {
		switch rng.IntN(8) {
		case 0: // a creation
			projects++
			p := &score.Project{ID: score.ProjectID{projects}, Name: "p", Actions: []score.Action{{Name: "up", Points: 1}}, Owners: []common.Address{{1}}, ScoreTypes: []string{"s"}}
			require.NoError(t, real.PublishProject(ctx, fmt.Sprint(step), p, 0))
			model.publish(score.Message{Project: p})
		case 1: // what cannot be read
			_, err := js.Publish(ctx, "scorelay.updates", []byte{0xff})
			require.NoError(t, err)
			model.publish(score.Message{Corrupt: errors.New("corrupt"), Raw: []byte{0xff}})
		case 2:
			compareReads(ctx, t, real, model, uint64(rng.IntN(int(model.last)+2)))
		case 3:
			state, err := real.State(ctx)
			require.NoError(t, err)
			have, err := model.State(ctx)
			require.NoError(t, err)
			require.Equal(t, []uint64{state.FirstSeq, state.LastSeq}, []uint64{have.FirstSeq, have.LastSeq})
		case 4:
			if rng.IntN(8) == 0 {
				below := 1 + uint64(rng.IntN(int(model.last)+1)) // 0 would mean all
				require.NoError(t, real.Purge(ctx, below))
				require.NoError(t, model.Purge(ctx, below))
			}
		case 5:
			letters := simLetters(rng)
			require.NoError(t, real.AddDeadLetters(ctx, letters))
			require.NoError(t, model.AddDeadLetters(ctx, letters))
		default:
			updates := simUpdates(rng, 1+rng.IntN(5))
			require.NoError(t, real.PublishEnvelope(ctx, fmt.Sprint(step), updates, nil))
			model.publish(score.Message{Updates: updates})
		}
	}
	compareLetters(ctx, t, real, model)
}

func compareReads(ctx context.Context, t *testing.T, real *stream.Stream, model *simSource, from uint64) {
	t.Helper()
	reader, err := real.Read(ctx, from)
	if err != nil { // beyond the end
		require.Greater(t, from, model.last+1)
		return
	}
	defer reader.Close()
	modelled, err := model.Read(ctx, from)
	require.NoError(t, err)
	for {
		want, err := modelled.Next(ctx)
		if errors.Is(err, errNoMore) {
			return
		}
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		have, err := reader.Next(limited)
		cancel()
		require.NoError(t, err)
		require.Equal(t, want.Seq, have.Seq)
		require.Equal(t, want.Updates, have.Updates)
		require.Equal(t, want.Project == nil, have.Project == nil)
		require.Equal(t, want.Raw, have.Raw)
	}
}

func simLetters(rng *rand.Rand) (out []score.DeadLetter) {
	for range 1 + rng.IntN(4) {
		u := simUpdates(rng, 1)[0]
		d := score.DeadLetter{Lane: score.Lane(rng.IntN(2)), Seq: uint64(rng.IntN(3)), Reason: fmt.Sprint(rng.IntN(5)), Outcome: score.NotMember, Update: &u, Signed: rng.IntN(3) == 0}
		switch rng.IntN(6) {
		case 0:
			d.Update, d.Signed, d.Raw = nil, false, []byte{1}
		case 1:
			d.Update, d.Signed, d.Project = nil, false, &score.Project{ID: u.Project}
		}
		out = append(out, d)
	}
	return out
}

// compareLetters wants the same dead letters, each with what was said of it last.
func compareLetters(ctx context.Context, t *testing.T, real *stream.Stream, model *simSource) {
	t.Helper()
	var want, have []string
	require.NoError(t, real.DeadLetters(ctx, func(d score.DeadLetter) error {
		letter := score.DeadLetter{Lane: d.Lane, Seq: d.Seq, Update: d.Update, Signed: d.Signed, Project: d.Project, Raw: d.Raw}
		want = append(want, letterID(&letter)+" "+d.Reason)
		return nil
	}))
	for id, d := range model.letters {
		have = append(have, id+" "+d.Reason)
	}
	slices.Sort(want)
	slices.Sort(have)
	require.Equal(t, strings.Join(want, "\n"), strings.Join(have, "\n"))
	require.Greater(t, len(have), 20)
}

// statusesBoth is what both are asked.
type statusesBoth interface {
	Statuses
	index.StatusStore
}

// TestSimStatusesAreLikeRedis writes the same to Redis and to the simulation's model: every status must be the same after
// each write.
func TestSimStatusesAreLikeRedis(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client, err := redisdb.Open(fresh.Redis(t).URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	client.Timeout = 5 * time.Second
	store := status.New(client, status.Config{})
	model, rng := newSimStatuses(), rand.New(rand.NewPCG(8, 0))
	at := map[statusesBoth][]string{store: {""}, model: {""}} // where the fold is
	for step := range long.Size(1000, 2500) {
		refs := score.Refs(simUpdates(rng, 1+rng.IntN(4)))
		id, nonce, tx, block := score.Lane(rng.IntN(2)), uint64(rng.IntN(4)), common.Hash{byte(rng.IntN(4))}, uint64(rng.IntN(4))
		outcomes := make([]score.Outcome, len(refs))
		for i := range outcomes {
			outcomes[i] = score.Outcome(rng.IntN(4))
		}
		stage := []score.Stage{score.Submitted, score.Included}[rng.IntN(2)]
		what, epoch := rng.IntN(14), 1+uint64(rng.IntN(3))
		fact := score.Fact{Refs: refs, Outcomes: outcomes, Tx: tx, Block: block, Letter: rng.IntN(4) == 0, Gone: rng.IntN(4) == 0}
		wrong, flush := rng.IntN(8) == 0, rng.IntN(25) == 0
		var moved []bool
		for _, s := range []statusesBoth{store, model} {
			switch what {
			case 0, 1:
				require.NoError(t, s.Bound(ctx, id, nonce, refs, block, []common.Hash{tx, {9}}))
			case 2:
				require.NoError(t, s.Slot(ctx, id, epoch, nonce, stage, tx, block))
			case 3:
				require.NoError(t, s.Released(ctx, id, nonce, refs))
			case 4:
				require.NoError(t, s.Reopened(ctx, id, nonce, tx, refs))
			case 5:
				require.NoError(t, s.Final(ctx, tx, block, refs, outcomes))
			case 6:
				require.NoError(t, s.Accepted(ctx, refs, make([]string, len(refs))))
			case 7:
				require.NoError(t, s.RestoreAccepted(ctx, refs))
			case 8:
				_, begun, err := s.BeginRestore(ctx)
				require.NoError(t, err)
				at[s] = begun
			case 9:
				err := s.EndRestore(ctx, strings.Fields(at[s][0] + " none")[0])
				moved = append(moved, errors.Is(err, score.ErrFoldMoved))
			default:
				from, to := at[s], strings.Fields(at[s][0] + " none")[0]+" "+strconv.Itoa(step)
				if wrong {
					from = []string{"elsewhere 1"}
				}
				err := s.Fold(ctx, from, to, []score.Fact{fact})
				if moved = append(moved, err != nil); err != nil {
					require.ErrorIs(t, err, score.ErrFoldMoved)
				} else {
					at[s] = []string{to}
				}
			}
		}
		if len(moved) > 0 {
			require.Equal(t, moved[0], moved[1])
		}
		if flush {
			require.NoError(t, client.FlushDB(ctx).Err())
			model.flush()
		}
		_, want, err := store.Folded(ctx)
		require.NoError(t, err)
		require.Equal(t, want, model.complete, "step %d, %d, %v", step, what, at)
		statuses, _, err := store.Read(ctx, refs)
		require.NoError(t, err)
		for i, ref := range refs {
			require.Equal(t, statuses[i], model.of(ref))
		}
	}
}
