package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
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

// sources are the ids of the chain and of the dead letters, each in order.
func sources(events []event.Event) (chain, dead []string) {
	chain, dead = []string{}, []string{}
	for _, e := range events {
		if strings.HasPrefix(e.ID, "dead-") {
			dead = append(dead, e.ID)
		} else {
			chain = append(chain, e.ID)
		}
	}
	return chain, dead
}

// TestEveryEventIsToldOnceFromAnyCut has a random run of updates, changes, dead letters, reorgs and failures of the endpoint, which a reader follows that is
// replaced by a new process all the time, continues from the cursor of the last event it was told, and has bounds that nothing fits into. At the end, the cursors of
// events continue with exactly what came after each.
func TestEveryEventIsToldOnceFromAnyCut(t *testing.T) {
	t.Parallel()
	p, other := project(1), project(2)
	w := newWorld(t, p, other)
	w.blocks(confirmations) // no reorg takes the projects back
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var followed []event.Event
	var at event.Cursor
	dead, log := 0, w.open(1)
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
			w.node.Reorg(t, w.top()-1-uint64(random.IntN(confirmations-1)), func() { w.relay(append(w.fresh(p, 2), w.fresh(other, 1)...)...) })
		case 5:
			w.blocks(1 + random.IntN(4))
		case 6:
			log = w.open(1 << random.IntN(16))
		case 7:
			broken := w.proxy.Add(rpcproxy.Drop().Sometimes(0.3))
			w.relay(w.fresh(p, 3)...)
			some, now, err := log.Next(t.Context(), p.ID, at, 1+random.IntN(5)) // may fail
			if err == nil {
				followed, at = append(followed, some...), now
			}
			broken()
			continue
		}
		var some []event.Event
		some, at = w.to(log, p, at, 1+random.IntN(5))
		followed = append(followed, some...)
	}
	w.blocks(confirmations)
	some, _ := w.to(log, p, at, 10)
	followed = append(followed, some...)

	require.Equal(t, w.executed(p), ids(onChain(followed), "update."), "all that the contract's own logs say, in their order")
	chain, letters := sources(followed)
	require.Len(t, letters, dead)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(ids(followed)))), len(followed), "each once")
	all, _ := w.to(w.open(0), p, event.Cursor{}, 1000)
	fromStart, lettersFromStart := sources(all)
	require.Equal(t, chain, fromStart)
	require.Equal(t, letters, lettersFromStart)
	require.Equal(t, event.ProjectCreated, all[0].Type)

	logs := []*event.Log{w.open(0), w.open(1), w.open(2000)}
	for n, i := range random.Perm(len(followed)) {
		if n == 25 { // of some sixty
			break
		}
		text, err := event.ParseCursor(followed[i].After.String())
		require.NoError(t, err)
		rest, _ := w.to(logs[i%len(logs)], p, text, 1+random.IntN(20))
		doneChain, doneDead := sources(followed[:i+1])
		restChain, restDead := sources(rest)
		require.Equal(t, chain[len(doneChain):], restChain, "after event %d", i)
		require.Equal(t, letters[len(doneDead):], restDead, "after event %d", i)
	}
}

// onChain leaves out what dead letters tell.
func onChain(events []event.Event) []event.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool { return strings.HasPrefix(e.ID, "dead-") })
}

// TestReadersAtTheEndShareOneTail counts what the chain is asked while 1 and while 40 readers follow the same blocks.
func TestReadersAtTheEndShareOneTail(t *testing.T) {
	t.Parallel()
	asked := func(readers int) int {
		p := project(1)
		w := newWorld(t, p)
		w.proven = 1000
		w.blocks(confirmations)
		log := w.open(0)
		end, err := log.End(t.Context())
		require.NoError(t, err)
		before := w.proxy.Stats().Calls
		var reading sync.WaitGroup
		for range 5 {
			w.relay(w.fresh(p, 3)...)
		}
		w.blocks(confirmations)
		for range readers {
			reading.Go(func() {
				for at, n := end, 0; n < 15; {
					some, next := w.read(log, p, at, 100)
					at, n = next, n+len(some)
				}
			})
		}
		reading.Wait()
		after := w.proxy.Stats().Calls
		return after["eth_getBlockReceipts"] + after["eth_getLogs"] - before["eth_getBlockReceipts"] - before["eth_getLogs"]
	}
	one := asked(1)
	require.Positive(t, one)
	require.Equal(t, one, asked(40))
}

// TestWhatEventsTell looks at the JSON of each type.
func TestWhatEventsTell(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	updates := w.fresh(p, 2)
	w.relay(updates[0], updates[0], score.Update{Project: p.ID, ID: updates[1].ID, Signer: devnet.Address(relayerKey), Target: updates[1].Target, Action: 1})
	w.call(ownerKey, registry.EncodeAddAction(p.ID, score.Action{Name: "win", Points: 3}))
	newest := w.fresh(p, 1)
	newest[0].Action = 2
	w.relay(newest...)
	edit := &score.SignedEdit{ProjectEdit: score.ProjectEdit{Project: p.ID, Nonce: 4, Edits: []score.Edit{{Operation: score.AddScoreType, Name: "luck"}}}, Owner: devnet.Address(ownerKey)}
	require.NoError(t, w.stream.AddDeadLetters(t.Context(), []score.DeadLetter{
		{Edit: edit, Seq: 7, Outcome: score.WrongEditNonce}, {Project: p, Seq: 3, Outcome: score.ProjectExists}, {Update: &updates[1], Work: 5, Outcome: score.Unprocessable},
	}))
	w.blocks(confirmations)
	log := w.open(0)
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
		some, next := w.read(log, p, at, 100)
		take(some)
		at = next
	}
	require.Len(t, told[event.UpdateApplied], 1)
	grown := score.RecordOf(p)
	grown.Actions = append(slices.Clone(p.Actions), score.Action{Name: "win", Points: 3})
	w.record(grown)
	some, at := w.to(log, p, at, 100)
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
	some, _ = w.to(log, p, at, 1)
	require.Equal(t, []event.Type{event.UpdateRejected, event.UpdateReplayed}, []event.Type{some[0].Type, some[1].Type}, "who has not heard of the first one hears it now")
	require.Equal(t, some[0].ID+"-replayed", some[1].ID)
}

// TestACursorWhoseBlockWasReplacedIsRefused: finality did not hold. What began again at the beginning is told all that there is.
func TestACursorWhoseBlockWasReplacedIsRefused(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	base := w.top()
	w.relay(w.fresh(p, 3)...)
	w.blocks(confirmations)
	log := w.open(0)
	all, at := w.to(log, p, event.Cursor{}, 100)
	require.Len(t, all, 4)
	waiting := make(chan error, 1)
	go func() {
		for now := at; ; {
			_, next, err := log.Next(t.Context(), p.ID, now, 10)
			if errors.Is(err, event.ErrReplaced) || t.Context().Err() != nil {
				waiting <- err
				return
			}
			now = next
		}
	}()
	w.node.Reorg(t, base, func() { w.relay(w.fresh(p, 5)...) })
	w.blocks(confirmations)
	require.ErrorIs(t, <-waiting, event.ErrReplaced)
	for _, each := range []*event.Log{log, w.open(0)} {
		require.ErrorIs(t, each.Holds(t.Context(), all[3].After), event.ErrReplaced)
		require.NoError(t, each.Holds(t.Context(), all[0].After))
		_, now, err := each.Next(t.Context(), p.ID, all[3].After, 10)
		require.ErrorIs(t, err, event.ErrReplaced)
		require.Equal(t, all[3].After, now)
		again, _ := w.to(each, p, event.Cursor{}, 100)
		require.Len(t, again, 6)
		require.Equal(t, all[0].ID, again[0].ID, "what is in both chains has the same id")
	}
}

// poisoned is a chain with a block at which its reader panics.
type poisoned struct {
	event.Chain

	is atomic.Bool
}

func (p *poisoned) FinalBlock(ctx context.Context, confirmations uint64) (evidence.Block, error) {
	if p.is.Load() {
		panic("planted")
	}
	return p.Chain.FinalBlock(ctx, confirmations)
}

// TestReadersOfAChainThatDoesNotAnswerWait, or at whose blocks the log panics, which shows, hear why, and are told of all when that ends.
func TestReadersOfAChainThatDoesNotAnswerWait(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.blocks(confirmations)
	log := w.still(0)
	chain := &poisoned{Chain: log.Chain}
	log.Chain = chain
	w.run(log)
	end, err := log.End(t.Context())
	require.NoError(t, err)
	told, why := make(chan []event.Event, 1), make(chan error, 1)
	read := func(from event.Cursor) {
		for at := from; ; {
			some, next, err := log.Next(t.Context(), p.ID, at, 10)
			if len(some) > 0 || t.Context().Err() != nil {
				told <- some
				return
			}
			if err != nil {
				select {
				case why <- err:
				default:
				}
				time.Sleep(time.Millisecond)
			}
			at = next
		}
	}
	go read(end)
	well := w.proxy.Add(rpcproxy.Drop())
	w.relay(w.fresh(p, 2)...)
	w.blocks(confirmations)
	w.shows(1)
	require.ErrorContains(t, <-why, "couldn't read the final block")
	well()
	some := <-told
	require.Len(t, some, 2)
	w.shows(0)

	go read(some[1].After)
	chain.is.Store(true)
	w.relay(w.fresh(p, 3)...)
	w.blocks(confirmations)
	w.shows(1)
	for panicked := (*retry.PanicError)(nil); !errors.As(<-why, &panicked); { // those of before may still be there
	}
	chain.is.Store(false)
	require.Len(t, <-told, 3)
}

// TestAReaderOfBlocksThatAreNotGivenShows, though all others are told: nodes forget old logs.
func TestAReaderOfBlocksThatAreNotGivenShows(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.relay(w.fresh(p, 2)...)
	w.blocks(10)
	w.relay(w.fresh(p, 2)...)
	w.blocks(confirmations)
	log := w.open(1) // the tail is the newest block
	_, err := log.End(t.Context())
	require.NoError(t, err)
	well := w.proxy.Add(rpcproxy.Refuse(-32000, "the logs were pruned").For("eth_getLogs"))
	_, _, err = log.Next(t.Context(), p.ID, event.Cursor{}, 100)
	require.ErrorContains(t, err, "the logs were pruned")
	w.shows(1)
	_, err = log.End(t.Context())
	require.NoError(t, err, "the end of the chain is read")
	well()
	all, _ := w.to(log, p, event.Cursor{}, 100)
	require.Len(t, all, 5)
	w.shows(0)
}

// TestAReaderOfAProjectThatIsYetToComeWaitsForIt also ends with its context, and with nothing final.
func TestAReaderOfAProjectThatIsYetToComeWaitsForIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	log := w.open(0)
	end, err := log.End(t.Context())
	require.NoError(t, err)
	require.Equal(t, event.Cursor{}, end, "nothing is final yet")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, at, err := log.Next(ctx, p.ID, end, 1)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, end, at)
	created := make(chan event.Event, 1)
	go func() {
		defer close(created)
		for at := (event.Cursor{}); ; {
			some, next := w.read(log, p, at, 10)
			if at = next; len(some) > 0 {
				created <- some[0]
				return
			}
		}
	}()
	w.blocks(confirmations)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	w.blocks(confirmations)
	require.Equal(t, event.ProjectCreated, (<-created).Type)
}
