package relay

import (
	"bytes"
	"context"
	"encoding/binary"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// What an endpoint says of calls.
type says int

const (
	takes   says = iota // everything
	refuses             // everything but the control
	starves             // likewise, for want of gas
	exists              // likewise, since the project exists
	bars                // likewise, since the signer is no relayer
	rejects             // everything
	silent              // refuses the work, and does not answer the control
)

// noStatuses takes what is reported and forgets it.
type noStatuses struct{ Statuses }

// requeued is a requeue with one piece of work, the endpoints that it asks, and what it did.
type requeued struct {
	*requeue
	endpoints []says
	now       time.Time
	bound     []binding
	entries   []lane.Entry
	letters   []score.DeadLetter
}

func newRequeued(t *testing.T, work lane.Work, endpoints ...says) *requeued {
	t.Helper()
	r := &requeued{endpoints: endpoints, now: time.Unix(1, 0)}
	config := Config{Rules: lane.Rules{MaxGas: 1 << 24}, Now: func() time.Time { return r.now }}.withDefaults()
	log, counts := slog.New(slog.DiscardHandler), newMetrics(noRegistry{})
	work.ID = 1
	l := lane.New(&lane.State{Queue: []lane.Work{work}, LastWork: 1}, config.Rules)
	_, err := l.Step(lane.View{Now: r.now})
	require.NoError(t, err)
	r.requeue = &requeue{
		config: &config, lane: l, ask: r.asked, ages: newAges(0, &config, newSimSource(config.Now).StoredAt, counts, log), gas: newGas(0, common.Address{}, &config, nil, func(batch.Model, uint64) {}, new(atomic.Uint64), counts, log),
		bind: func(_ context.Context, b binding) (bool, error) {
			r.bound = append(r.bound, b)
			return true, nil
		},
		append: func(_ context.Context, e lane.Entry) error {
			r.entries = append(r.entries, e)
			return nil
		},
		deadLetter: func(_ context.Context, letters []score.DeadLetter) error {
			r.letters = append(r.letters, letters...)
			return nil
		},
		reporter: newReporter(0, &config, noStatuses{}, l, func(context.Context) error { return nil }, counts.statusFails),
		waiting:  &waiting{config: &config, lane: l, metrics: counts, log: log}, metrics: counts, log: log,
	}
	return r
}

func (r *requeued) asked(_ context.Context, msg evidence.Call, _ common.Hash) (said []evidence.Called, err error) {
	control := bytes.Equal(msg.Data, registry.EncodeBatch(batch.Single(score.Update{})))
	for i, says := range r.endpoints {
		c := evidence.Called{Endpoint: string(rune('a' + i))}
		switch {
		case control && says == silent:
			continue
		case says == takes, control && says != rejects:
		case says == starves:
			c.Refusal = &evidence.RevertError{OutOfGas: true}
		case says == exists && msg.Gas > 0: // a view has no limit
			c.Refusal = &evidence.RevertError{Data: append(crypto.Keccak256([]byte("ProjectExists(bytes32)"))[:4], make([]byte, 32)...)}
		case says == bars:
			c.Refusal = &evidence.RevertError{Data: append(crypto.Keccak256([]byte("AccessControlUnauthorizedAccount(address,bytes32)"))[:4], make([]byte, 64)...)}
		default:
			c.Refusal = &evidence.RevertError{Data: []byte{1, 2, 3, 4}}
		}
		said = append(said, c)
	}
	return said, nil
}

// does is what one turn of the queue comes to.
func (r *requeued) does(t *testing.T) string {
	t.Helper()
	r.bound, r.entries, r.letters = nil, nil, nil
	did, err := r.next(t.Context())
	require.NoError(t, err)
	switch {
	case len(r.bound) > 0:
		return "binds"
	case len(r.entries) > 0 && r.entries[0].Split != nil:
		return "splits"
	case len(r.entries) > 0:
		require.NotEmpty(t, r.letters, "nothing is dropped without a dead letter")
		return "drops"
	}
	require.False(t, did)
	return "waits for " + string(r.waiting.reason)
}

func singleWork() lane.Work {
	u := score.Update{Project: score.ProjectID{1}, ID: score.UpdateID{1}, Signer: common.Address{1}, Target: common.Address{2}}
	return lane.Work{Kind: lane.Updates, Count: 1, Data: registry.EncodeBatch(batch.Single(u))}
}

func batchWork(t *testing.T) lane.Work {
	t.Helper()
	var b batch.Batch
	for i := range 4 {
		u := score.Update{Project: score.ProjectID{1}, ID: score.UpdateID{byte(i)}, Signer: common.Address{1}, Target: common.Address{2}}
		b.Groups = append(b.Groups, batch.Single(u).Groups...)
	}
	return lane.Work{Kind: lane.Updates, Count: 4, Data: registry.EncodeBatch(b)}
}

// TestWhatEndsQueuedWork: it is given up on only where the chain itself refused it, alone and more than once; what endpoints
// say decides whether gas is spent on it, and whether it is split.
func TestWhatEndsQueuedWork(t *testing.T) {
	t.Parallel()
	single, several := singleWork(), batchWork(t)
	for name, c := range map[string]struct {
		work      lane.Work
		tries     int
		halve     bool
		endpoints []says
		want      string
	}{
		"the only endpoint refuses it":                        {single, 0, false, []says{refuses}, "binds"},
		"it has too low a cap on gas":                         {single, 0, false, []says{starves}, "binds"},
		"one of two refuses it":                               {single, 0, false, []says{refuses, takes}, "binds"},
		"and the chain did, once":                             {single, 1, false, []says{refuses, takes}, "binds"},
		"all refuse it":                                       {single, 0, false, []says{refuses, starves}, "binds"},
		"all refuse it, and the chain did, once":              {single, 1, false, []says{refuses}, "binds"},
		"all refuse it, and the chain did, twice":             {single, 2, false, []says{refuses, refuses}, "drops"},
		"one refuses it, and the chain did, twice":            {single, 2, false, []says{takes, refuses}, "waits for contract"},
		"one refuses it, and the chain did, three times":      {single, 3, false, []says{takes, refuses}, "drops"},
		"none refuses it, but the chain did, three times":     {single, 3, false, []says{takes, takes}, "waits for contract"},
		"everything is refused":                               {single, 3, false, []says{rejects, rejects}, "waits for contract"},
		"everything is refused, but one says it would not":    {single, 3, false, []says{rejects, takes}, "waits for contract"},
		"everything is refused, but one lets the control by":  {single, 3, false, []says{rejects, refuses}, "waits for contract"},
		"who refuses it does not answer the control":          {single, 3, false, []says{silent, rejects}, "waits for contract"},
		"one who refuses it does not answer the control":      {single, 3, false, []says{silent, refuses}, "waits for contract"},
		"it is refused as all is, but not the control":        {single, 3, false, []says{bars}, "waits for contract"},
		"it ran out of gas twice":                             {single, 2, true, []says{takes}, "binds"},
		"it ran out of gas three times":                       {single, 3, true, []says{takes}, "drops"},
		"a batch that all refuse":                             {several, 0, false, []says{refuses, refuses}, "splits"},
		"a batch that one of two refuses":                     {several, 0, false, []says{refuses, takes}, "binds"},
		"a batch that ran out of gas":                         {several, 1, true, []says{takes}, "splits"},
		"a batch that the chain refused twice, and none else": {several, 2, false, []says{takes}, "waits for contract"},
		"a batch that the chain refused three times":          {several, 3, false, []says{takes}, "splits"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.work.Tries, c.work.Halve = c.tries, c.halve
			require.Equal(t, c.want, newRequeued(t, c.work, c.endpoints...).does(t))
		})
	}
}

// TestWorkStaysWhereItsEndIsNotWritten: where the lane is another session's nothing is, since the dead letter would stay.
func TestWorkStaysWhereItsEndIsNotWritten(t *testing.T) {
	t.Parallel()
	work := singleWork()
	work.Tries = 2
	for name, c := range map[string]struct {
		fails   func(r *requeued)
		letters int
	}{
		"the lane is lost": {func(r *requeued) { r.reporter.fenced = func(context.Context) error { return lane.ErrFenced } }, 0},
		"no dead letter": {func(r *requeued) {
			r.deadLetter = func(context.Context, []score.DeadLetter) error { return errSimAway }
		}, 0},
		"no entry": {func(r *requeued) { r.append = func(context.Context, lane.Entry) error { return errSimAway } }, 1},
	} {
		r := newRequeued(t, work, refuses, refuses)
		c.fails(r)
		_, err := r.next(t.Context())
		require.Error(t, err, name)
		require.Empty(t, r.entries, name)
		require.Len(t, r.letters, c.letters, name)
	}
}

// TestAPauseComesBeforeEachFurtherTryOfWhatOnlyTheChainRefuses, so that endpoints that are wrong cost gas at a bounded rate.
func TestAPauseComesBeforeEachFurtherTryOfWhatOnlyTheChainRefuses(t *testing.T) {
	t.Parallel()
	work := singleWork()
	work.Tries = 3
	r := newRequeued(t, work, takes)
	for range 5 {
		require.Equal(t, "waits for contract", r.does(t))
		r.now = r.now.Add(retryContract)
		require.Equal(t, "waits for contract", r.does(t))
		r.now = r.now.Add(time.Minute)
		require.Equal(t, "binds", r.does(t))
		r.lane.State.Queue[0].Tries++
	}
}

// TestAnEditThatOnlyTheChainRefusesEnds: an owner can have it pass in the head's state and fail in each block that has it, by direct edits,
// and the whole lane rests before each further try.
func TestAnEditThatOnlyTheChainRefusesEnds(t *testing.T) {
	t.Parallel()
	e := &score.SignedEdit{ProjectEdit: score.ProjectEdit{Project: score.ProjectID{1}, Deadline: 1 << 40}}
	work := lane.Work{Kind: lane.Edit, Count: 1, Project: &e.Project, Data: registry.EncodeEdit(e)}
	for tries, want := range []string{"binds", "binds", "waits for contract", "drops"} {
		work.Tries = tries
		r := newRequeued(t, work, takes, takes)
		require.Equal(t, want, r.does(t))
		if want == "drops" {
			require.Equal(t, score.Unprocessable, r.letters[0].Outcome)
		}
	}
}

// TestACreationIsNotTakenForDoneByTheWordOfEndpoints.
func TestACreationIsNotTakenForDoneByTheWordOfEndpoints(t *testing.T) {
	t.Parallel()
	p := &score.Project{
		ID: score.ProjectID{1}, Name: "a project", Actions: []score.Action{{Name: "up", Points: 1}},
		Owners: []common.Address{{1}}, ScoreTypes: []string{"reputation"},
	}
	work := lane.Work{Kind: lane.Creation, Count: 1, Project: &p.ID, Data: registry.EncodeCreateProject(p)}
	for tries := range refusedTries {
		work.Tries = tries
		require.Equal(t, "binds", newRequeued(t, work, exists, exists).does(t))
	}
	work.Tries = refusedTries
	require.Equal(t, "waits for node", newRequeued(t, work, exists, exists).does(t), "the chain refused it: what it has is read")
}

// TestACreationIsFoundWhereTheContractNamesAnotherChainsBlock: on some rollups the contract counts the blocks of the chain below.
func TestACreationIsFoundWhereTheContractNamesAnotherChainsBlock(t *testing.T) {
	p := &score.Project{
		ID: score.ProjectID{1}, Name: "a project", Actions: []score.Action{{Name: "up", Points: 1}},
		Owners: []common.Address{{1}}, ScoreTypes: []string{"reputation"},
	}
	work := lane.Work{Kind: lane.Creation, Count: 1, Project: &p.ID, Data: registry.EncodeCreateProject(p), Tries: refusedTries}
	r := newRequeued(t, work, exists, exists)
	calls := r.ask
	r.ask = func(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error) {
		if msg.Gas > 0 {
			return calls(ctx, msg, at)
		}
		info := make([]byte, 6*32)
		binary.BigEndian.PutUint64(info[24:], 21_000_000) // createdBlock
		info[63], info[4*32-1], info[5*32-1] = 1, 1, 1
		return []evidence.Called{{Endpoint: "a", Data: info}, {Endpoint: "b", Data: info}}, nil
	}
	var asked []uint64
	created := types.Log{Topics: []common.Hash{registry.ProjectTopics()[0], common.Hash(p.ID)}, Data: model.ProjectCreatedData(work.Data[4:])}
	r.logs = func(_ context.Context, _ common.Address, _ []common.Hash, from, to uint64, fn func(evidence.Block, []types.Log) error) error {
		if asked = append(asked, from, to); len(asked) > 2 {
			return fn(evidence.Block{Number: to}, []types.Log{created})
		}
		return fn(evidence.Block{Number: to}, nil)
	}
	require.Equal(t, "waits for node", r.does(t), "endpoints left the event out")
	r.now = r.now.Add(time.Minute)
	did, err := r.next(t.Context())
	require.NoError(t, err)
	require.True(t, did)
	require.NotNil(t, r.entries[0].Drop, "it exists as accepted")
	require.Empty(t, r.letters)
	require.Equal(t, []uint64{0, 0, 0, 0}, asked)
}
