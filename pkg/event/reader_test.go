package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func idOf(log *types.Log, index int) string {
	return fmt.Sprintf("%s-%d-%d", log.BlockHash, log.Index, index)
}

// ids are the ids of events of some types, all if none are named, in order.
func ids(events []event.Event, of ...string) (found []string) {
	for _, e := range events {
		if len(of) == 0 || slices.ContainsFunc(of, func(prefix string) bool { return strings.HasPrefix(string(e.Type), prefix) }) {
			found = append(found, e.ID)
		}
	}
	return found
}

// TestEveryEventIsToldOnceFromAnyCut has a random run of updates, changes, dead letters, reorgs and failures of the endpoint, which a reader follows that is
// replaced by a new process all the time, continues from the cursor of the last event it was told, and has bounds that nothing fits into. At the end, the cursors of
// events continue with exactly what came after each.
func TestEveryEventIsToldOnceFromAnyCut(t *testing.T) {
	t.Parallel()
	p, other := project(1), project(2)
	w := newWorld(t, p, other)
	w.blocks(confirmations) // no reorg takes the projects back
	random := testrand.New(t)
	var followed []event.Event
	var at event.Cursor
	dead, r := 0, w.open(1)
	for range 24 {
		switch random.IntN(8) {
		case 0, 1, 2:
			mixed := append(w.fresh(p, 1+random.IntN(4)), w.fresh(other, random.IntN(4))...)
			if random.IntN(2) == 0 {
				mixed[0].Action = 99
				mixed = append(mixed, mixed[len(mixed)-1])
			}
			random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
			w.relay(mixed...)
		case 3:
			w.deadLetter(w.fresh(p, 1)[0])
			w.deadLetter(w.fresh(other, 1)[0])
			dead++
		case 4:
			fresh.Reorg(t, w.node, w.top()-1-uint64(random.IntN(confirmations-1)), func() { w.relay(append(w.fresh(p, 2), w.fresh(other, 1)...)...) })
		case 5:
			w.blocks(1 + random.IntN(4))
		case 6:
			r = w.open(1 << random.IntN(16))
		case 7:
			broken := w.proxy.Add(rpcproxy.Drop().Sometimes(0.3))
			w.relay(w.fresh(p, 3)...)
			w.finalize()
			some, now, err := r.Next(t.Context(), p.ID, at, 1+random.IntN(5)) // may fail
			if err == nil {
				followed, at = append(followed, some...), now
			}
			broken()
			continue
		}
		var some []event.Event
		some, at = w.to(r, p, at, 1+random.IntN(5))
		followed = append(followed, some...)
	}
	w.blocks(confirmations)
	some, _ := w.to(r, p, at, 10)
	followed = append(followed, some...)

	require.Equal(t, w.executed(p), ids(onChain(followed), "update."), "all that the contract's own logs say, in their order")
	require.Len(t, followed, len(onChain(followed))+dead)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(ids(followed)))), len(followed), "each once")
	all, _ := w.to(w.open(0), p, event.Cursor{}, 1000)
	require.Equal(t, ids(followed), ids(all), "in one order")
	require.Equal(t, event.ProjectCreated, onChain(all)[0].Type)

	readers := []*event.Reader{w.open(0), w.open(1), w.open(2000)}
	for n, i := range random.Perm(len(followed)) {
		if n == 25 { // of some sixty
			break
		}
		text, err := event.ParseCursor(followed[i].After.String())
		require.NoError(t, err)
		rest, _ := w.to(readers[i%len(readers)], p, text, 1+random.IntN(20))
		require.Equal(t, ids(followed[i+1:]), ids(rest), "after event %d", i)
	}
}

// onChain leaves out what dead letters tell.
func onChain(events []event.Event) []event.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool { return strings.HasPrefix(e.ID, "dead-") })
}

// TestReadersAtTheEndAskTheChainNothing, however many they are: they share what the process has of the ledger.
func TestReadersAtTheEndAskTheChainNothing(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.finalize()
	r := w.open(0)
	end := w.end(r)
	before := w.proxy.Stats().Total()
	var reading sync.WaitGroup
	for range 40 {
		reading.Go(func() {
			for at, n := end, 0; n < 15; {
				some, next := w.read(r, p, at, 4)
				at, n = next, n+len(some)
			}
		})
	}
	for range 5 {
		w.relay(w.fresh(p, 3)...)
		w.write()
	}
	w.finalize()
	reading.Wait()
	require.Equal(t, before, w.proxy.Stats().Total())
}

// TestWhatEventsTell looks at the JSON of each type.
func TestWhatEventsTell(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	updates := w.fresh(p, 2)
	w.relay(updates[0], updates[0], score.Update{Project: p.ID, ID: updates[1].ID, Signer: devnet.Address(relayerKey), Target: updates[1].Target, Action: 1})
	w.call(ownerKey, calls.AddAction(p.ID, score.Action{Name: "win", Points: 3}))
	newest := w.fresh(p, 1)
	newest[0].Action = 2
	w.relay(newest...)
	w.finalize()
	edit := &score.SignedEdit{ProjectEdit: score.ProjectEdit{Project: p.ID, Nonce: 4, Edits: []score.Edit{{Operation: score.AddScoreType, Name: "luck"}}}, Owner: devnet.Address(ownerKey)}
	require.NoError(t, w.stream.AddDeadLetters(t.Context(), []score.DeadLetter{
		{Edit: edit, Seq: 7, Outcome: score.WrongEditNonce}, {Project: p, Seq: 3, Outcome: score.ProjectExists}, {Update: &updates[1], Work: 5, Outcome: score.Unprocessable},
	}))
	w.finalize()
	r := w.open(0)
	at := event.Cursor{}
	told := map[event.Type][]string{}
	take := func(events []event.Event) {
		for _, e := range events {
			require.Regexp(t, `^[A-Za-z0-9-]{1,255}$`, e.ID)
			require.Contains(t, event.Types(), e.Type)
			require.False(t, e.Time.IsZero())
			text, err := json.Marshal(e.Data)
			require.NoError(t, err)
			told[e.Type] = append(told[e.Type], string(text))
		}
	}
	for len(told[event.UpdateRejected]) == 0 { // the directory does not have the new action yet, so its update is not told
		some, next := w.read(r, p, at, 100)
		take(some)
		at = next
	}
	require.Len(t, told[event.UpdateApplied], 1)
	grown := score.RecordOf(p)
	grown.Actions = append(slices.Clone(p.Actions), score.Action{Name: "win", Points: 3})
	w.record(grown)
	some, at := w.to(r, p, at, 100)
	take(some)
	require.Len(t, told[event.UpdateApplied], 2)
	require.Contains(t, told[event.UpdateApplied][1], `"action":"win","points":3,`)
	require.Contains(t, told[event.UpdateApplied][0], `"updateId":"`+updates[0].ID.String()+`","targetWallet":"`)
	require.Contains(t, told[event.UpdateDuplicate][0], `"outcome":"duplicate","transactionHash":"0x`)
	require.Contains(t, told[event.UpdateRejected][0], `"action":"burn","points":-7,"scoreType":"reputation","outcome":"not_member"`)
	require.Contains(t, told[event.UpdateRejected][1], `"outcome":"unprocessable","transactionHash":null,"blockNumber":null}`)
	require.Contains(t, told[event.ProjectCreated][0], `"name":"Acme","inputActions":[{"name":"buy","points":5,"direction":0}`)
	require.Contains(t, told[event.ProjectChanged][0], `{"action":{"name":"win","points":3,"direction":0},"transactionHash":"0x`)
	require.Contains(t, told[event.EditRejected][0], `"nonce":4,"owner":"`)
	require.Contains(t, told[event.ProjectRejected][0], `"outcome":"project_exists"`)

	require.NoError(t, w.stream.DeadLetters(t.Context(), func(d score.DeadLetter) error {
		if d.Update == nil {
			return nil
		}
		return w.stream.MarkReplayed(t.Context(), d, time.Now())
	}))
	some, _ = w.to(r, p, at, 1)
	require.Equal(t, []event.Type{event.UpdateRejected, event.UpdateReplayed}, []event.Type{some[0].Type, some[1].Type}, "who has not heard of the first one hears it now")
	require.Equal(t, some[0].ID+"-replayed", some[1].ID)
}

// away is a ledger that cannot be read, as long as a test wants.
type away struct {
	ledger.Store

	is atomic.Pointer[error]
}

func (a *away) Follow(ctx context.Context, from uint64, fn func(stream.Entry) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				if err := a.is.Load(); err != nil {
					cancel(*err)
				}
			}
		}
	}()
	if err := a.is.Load(); err != nil {
		return *err
	}
	return errors.Join(a.Store.Follow(ctx, from, fn), context.Cause(ctx))
}

// TestReadersOfALedgerThatCannotBeReadWait, which shows, hear why, and are told of all when that ends.
func TestReadersOfALedgerThatCannotBeReadWait(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.finalize()
	r := w.still(0)
	store := &away{Store: w.ledger}
	r.Source.Ledger = store
	w.run(r)
	at := w.end(r)
	gone := errors.New("the ledger is away")
	store.is.Store(&gone)
	w.relay(w.fresh(p, 2)...)
	w.finalize()
	var told []event.Event
	next := func() (err error) {
		told, at, err = r.Next(t.Context(), p.ID, at, 10)
		return err
	}
	require.Eventually(t, func() bool {
		err := next()
		return err != nil && strings.Contains(err.Error(), "the ledger is away") && w.shown() == 1
	}, soon, time.Millisecond)
	store.is.Store(nil)
	require.Eventually(t, func() bool { return next() == nil && len(told) > 0 }, soon, time.Millisecond)
	require.Len(t, told, 2)
	w.shows(0)
}

// TestAReaderOfBlocksThatAreNotGivenShows, though all others are told: nodes forget old logs.
func TestAReaderOfBlocksThatAreNotGivenShows(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.relay(w.fresh(p, 2)...)
	w.blocks(10)
	w.purge()
	w.relay(w.fresh(p, 2)...)
	w.finalize()
	r := w.open(0)
	end := w.end(r)
	well := w.proxy.Add(rpcproxy.Refuse(-32000, "the logs were pruned").For("eth_getLogs"))
	_, _, err := r.Next(t.Context(), p.ID, event.Cursor{}, 100)
	require.ErrorContains(t, err, "the logs were pruned")
	w.shows(1)
	require.NoError(t, r.Holds(t.Context(), end), "the end of the ledger is read")
	well()
	all, _ := w.to(r, p, event.Cursor{}, 100)
	require.Len(t, all, 5)
	w.shows(0)
}

// TestAReaderOfAProjectThatIsYetToComeWaitsForIt also ends with its context, and with nothing final.
func TestAReaderOfAProjectThatIsYetToComeWaitsForIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	r := w.open(0)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, at, err := r.Next(ctx, p.ID, event.Cursor{}, 1)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the ledger is empty")
	require.Equal(t, event.Cursor{}, at)
	w.shows(0)
	created := make(chan event.Event, 1)
	go func() {
		defer close(created)
		for at := (event.Cursor{}); ; {
			some, next := w.read(r, p, at, 10)
			if at = next; len(some) > 0 {
				created <- some[0]
				return
			}
		}
	}()
	w.finalize()
	w.create(p)
	w.finalize()
	require.Equal(t, event.ProjectCreated, (<-created).Type)
}

// TestAReaderFromTheStartBeginsWhereTheDirectorySays: the contract's own number of the creation's block may be of another
// chain. Where the directory does not get the project, it begins with the contract.
func TestAReaderFromTheStartBeginsWhereTheDirectorySays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	created := w.call(relayerKey, registry.EncodeCreateProject(p)).BlockNumber.Uint64()
	w.relay(w.fresh(p, 2)...)
	w.finalize()
	r := w.open(0)
	some, at := w.read(r, p, event.Cursor{}, 1)
	for len(some) == 0 {
		some, at = w.read(r, p, at, 1)
	}
	require.Equal(t, event.ProjectCreated, some[0].Type, "it waited for the directory, and then began with the contract")
	w.shows(1)

	rec := score.RecordOf(p)
	rec.Created = created + 1
	w.record(rec)
	all, _ := w.to(r, p, event.Cursor{}, 100)
	require.Equal(t, event.UpdateApplied, all[0].Type, "it believes the directory")
	rec = score.RecordOf(p)
	rec.Created = created
	w.record(rec)
	all, _ = w.to(r, p, event.Cursor{}, 100)
	require.Len(t, all, 3)
	require.Equal(t, event.ProjectCreated, all[0].Type)
}
