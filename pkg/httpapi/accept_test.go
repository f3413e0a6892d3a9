package httpapi_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
)

var updateTx = common.HexToHash("0xabc")

// answeredSingle is the body of a 200 of update-score.
func (b *bench) answeredSingle(status, name string) object {
	id := updateID(name).String()
	return object{
		"updateId": id, "projectId": b.project.ID.String(), "status": status,
		"statusUrl": "/projects/" + b.project.ID.String() + "/updates/" + id,
	}
}

func TestAnAcceptedUpdateIsInTheStream(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	body := b.update("one")
	body["actionName"], body["scoreType"] = "return", "volume"
	r := b.post("/update-score", body)
	require.Equal(t, http.StatusOK, r.status, r)
	require.Equal(t, b.answeredSingle("accepted", "one"), r.body)
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	require.Equal(t, [][]score.Update{{{
		Project: b.project.ID, ID: updateID("one"), Signer: devnet.Address(1), Target: devnet.Address(9), Action: 1, ScoreType: 1,
	}}}, b.stored())

	r = b.get("/projects/%s/updates/%s", b.project.ID, updateID("one"))
	require.Equal(t, object{
		"updateId": updateID("one").String(), "projectId": b.project.ID.String(), "status": "accepted",
		"outcome": nil, "transactionHash": nil, "blockNumber": nil,
	}, r.body)
}

// TestATimeThatIsNoneIsTold: seconds instead of milliseconds is the likeliest mistake.
func TestATimeThatIsNoneIsTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	now := time.Now()
	for message, want := range map[string]string{
		strconv.FormatInt(now.Unix(), 10):                           `^is read as 1970-01-\d\d: is it in milliseconds\?$`,
		strconv.FormatInt(now.Add(-10*time.Minute).UnixMilli(), 10): `^is 10m\d+s old; at most 5m0s is allowed$`,
		strconv.FormatInt(now.Add(10*time.Minute).UnixMilli(), 10):  `^lies (10m0|9m\d+)s in the future; at most 30s is allowed$`,
		strconv.FormatInt(now.AddDate(2, 0, 0).UnixMilli(), 10):     `^is read as 20\d\d-\d\d-\d\d: is it in milliseconds\?$`,
		strconv.FormatInt(now.AddDate(0, -6, 0).UnixMilli(), 10):    `^is \d+h\d+m\d+s old; at most 5m0s is allowed$`,
	} {
		r := b.post("/update-score", set(b.update("one"), "message", message))
		require.Equal(t, http.StatusBadRequest, r.status)
		require.Regexp(t, want, r.body["errors"].([]any)[0].(object)["detail"])
	}
}

func TestASecondPostIsADuplicate(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	for range 3 {
		r := b.post("/update-score", b.update("one"))
		require.Equal(t, http.StatusOK, r.status)
		require.Equal(t, set(b.answeredSingle("duplicate", "one"), "sameContent", true), r.body)
		require.Equal(t, http.StatusOK, b.get("%s", r.body["statusUrl"]).status)
	}
	require.Len(t, b.stored(), 1)
}

// TestOfManyAtOnceOneIsAccepted: every id is posted by several callers at the same time.
// TestADuplicateIsComparedWithWhatWasAccepted, where this API knows it.
func TestADuplicateIsComparedWithWhatWasAccepted(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	first := b.post("/update-score", b.update("1"))
	require.Equal(t, "accepted", first.body["status"])
	require.NotContains(t, first.body, "sameContent")
	sent := func(body object) any {
		t.Helper()
		r := b.post("/update-score", body)
		require.Equal(t, http.StatusOK, r.status, r)
		require.Equal(t, "duplicate", r.body["status"])
		return r.body["sameContent"]
	}
	require.Equal(t, true, sent(b.update("1")), "signed at another time")
	require.Equal(t, false, sent(set(b.update("1"), "actionName", "return")))
	require.Equal(t, false, sent(set(b.update("1"), "scoreType", "volume")))
	require.Equal(t, false, sent(set(b.update("1"), "targetWallet", devnet.Address(8))))
	require.Equal(t, true, sent(b.update("1")))

	refs := []score.Ref{score.UpdateRef(b.project.ID, updateID("2"))}
	require.NoError(t, b.status.Accepted(t.Context(), refs, []string{""}))
	require.Nil(t, sent(b.update("2")), "another replica accepted it")

	refs[0].Update = updateID("1")
	require.NoError(t, b.status.Final(t.Context(), common.Hash{1}, 1, refs, []score.Outcome{score.NotMember}))
	require.Equal(t, "accepted", b.post("/update-score", set(b.update("1"), "actionName", "return")).body["status"], "the first was rejected")
	require.Nil(t, sent(b.update("1")), "accepted twice: which of them counts is not known here")
}

func TestOfManyAtOnceOneIsAccepted(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(s *setup) { s.config.ClaimWait = 20 * time.Second }).withProject()
	const ids, callers = 20, 8
	var mu sync.Mutex
	answers := map[string]map[any]int{}
	var wg sync.WaitGroup
	for i := range ids {
		id := fmt.Sprint(i)
		answers[id] = map[any]int{}
		body := b.update(id)
		for range callers {
			wg.Go(func() {
				r := b.post("/update-score", body)
				mu.Lock()
				defer mu.Unlock()
				answers[id][r.body["status"]]++
			})
		}
	}
	wg.Wait()
	for id, got := range answers {
		require.Equal(t, map[any]int{"accepted": 1, "duplicate": callers - 1}, got, id)
	}
	total := 0
	for _, envelope := range b.stored() {
		total += len(envelope)
	}
	require.Equal(t, ids, total)
}

// allWait waits until so many posts wait for the publish after the one that is in flight.
func (b *bench) allWait(n int) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return b.server.Waiting() == n }, 2*time.Minute, time.Millisecond)
}

// TestWhatArrivesDuringAPublishSharesTheNext holds the first publish until others wait.
func TestWhatArrivesDuringAPublishSharesTheNext(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(*setup) {}).withProject()
	held, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	hold := func() error {
		once.Do(func() { close(held); <-release })
		return nil
	}
	b.publisher.before.Store(&hold)
	var wg sync.WaitGroup
	post := func(id string) {
		body := b.update(id)
		wg.Go(func() {
			r := b.post("/update-score", body)
			require.Equal(t, "accepted", r.body["status"], r)
		})
	}
	post("first")
	<-held
	const others = 30
	for i := range others {
		post(fmt.Sprint(i))
	}
	b.allWait(others)
	close(release)
	wg.Wait()
	envelopes := b.stored()
	require.Len(t, envelopes, 2, "those that waited share a publish")
	require.Len(t, envelopes[0], 1)
}

func TestAPublishThatFailedIsRetriedUnderTheSameID(t *testing.T) {
	t.Parallel()
	for name, persisted := range map[string]bool{"failed": false, "failed but persisted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil).withProject()
			if persisted {
				b.publisher.after.Store(times(2, errFault))
			} else {
				b.publisher.before.Store(times(2, errFault))
			}
			require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
			require.Len(t, b.stored(), 1, "one envelope, however often it was sent")
			require.EqualValues(t, 1+3, b.publisher.calls.Load()) // the project's, and three
		})
	}
}

// TestAnUpdateThatWasNotAckedMayBeSentAgain: the first caller gets a 503, and a retry gets through, whether or not the
// first was stored.
func TestAnUpdateThatWasNotAckedMayBeSentAgain(t *testing.T) {
	t.Parallel()
	for name, persisted := range map[string]bool{"failed": false, "failed but persisted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(s *setup) { s.config.AcceptTimeout, s.faults = 100*time.Millisecond, true }).withProject()
			want := 1
			if persisted {
				want = 2 // the contract applies one of them
				b.publisher.after.Store(always(errFault))
			} else {
				b.publisher.before.Store(always(errFault))
			}
			b.unacked("/update-score", b.update("one"))
			require.Equal(t, "update_not_found", b.get("/projects/%s/updates/%s", b.project.ID, updateID("one")).codeWhenComplete(b))

			b.publisher.before.Store(nil)
			b.publisher.after.Store(nil)
			b.accepted("/update-score", b.update("one"))
			require.Len(t, b.stored(), want)
		})
	}
}

// codeWhenComplete declares the status store complete before it asks again.
func (r response) codeWhenComplete(b *bench) string {
	b.t.Helper()
	require.Equal(b.t, "status_rebuilding", r.code())
	token, _, err := b.status.BeginRestore(b.t.Context())
	require.NoError(b.t, err)
	require.NoError(b.t, b.status.EndRestore(b.t.Context(), token))
	return b.get("/projects/%s/updates/%s", b.project.ID, updateID("one")).code()
}

// TestACrashBetweenClaimAndAck: an unresolved claim keeps others out only until it expires.
func TestACrashBetweenClaimAndAck(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(s *setup) {
		s.config.ClaimWait = 50 * time.Millisecond
		s.status.Claim = 5 * time.Second
	}).withProject()
	require.Equal(t, score.ClaimWon, b.claim("one", "crashed"))
	r := b.post("/update-score", b.update("one"))
	require.Equal(t, http.StatusServiceUnavailable, r.status)
	require.Equal(t, "update_in_progress", r.code())
	require.NotEmpty(t, r.header.Get("Retry-After"))
	b.accepted("/update-score", b.update("one"))
	require.Len(t, b.stored(), 1)
}

func TestWithoutRedisUpdatesAreAccepted(t *testing.T) {
	t.Parallel()
	redis := devnet.Redis(t)
	b := newBench(t, func(s *setup) { s.redis = redis.URL; s.timeout = 0; s.config.RatePerSecond = 1000 }).withProject()
	redis.Close()
	began := time.Now()
	for i := range 20 {
		r := b.post("/update-score", b.update(fmt.Sprint(i)))
		require.Equal(t, "accepted", r.body["status"], r)
	}
	require.Less(t, time.Since(began), 2*time.Minute, "a dead Redis must not slow the API down")
	r := b.get("/projects/%s/updates/%s", b.project.ID, updateID("1"))
	require.Equal(t, "status_unavailable", r.code())
	require.Equal(t, "accepted", b.get("/projects/%s", b.project.ID).body["status"])
}

func TestARejectedUpdateMayBeSentAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	b.restored()
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	u := b.stored()[0]
	require.NoError(t, b.status.Final(t.Context(), updateTx, 7, score.Refs(u), []score.Outcome{score.NotMember}))
	r := b.get("/projects/%s/updates/%s", b.project.ID, updateID("one"))
	require.Equal(t, object{
		"updateId": updateID("one").String(), "projectId": b.project.ID.String(), "status": "final", "outcome": "not_member",
		"transactionHash": updateTx.Hex(), "blockNumber": float64(7),
	}, r.body)
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	require.NoError(t, b.status.Final(t.Context(), updateTx, 8, score.Refs(u), []score.Outcome{score.Applied}))
	require.Equal(t, "duplicate", b.post("/update-score", b.update("one")).body["status"])
}

// TestADrainAnswersEveryCaller stops the server while a publish is in flight and others wait for it.
func TestADrainAnswersEveryCaller(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(*setup) {}).withProject()
	held, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	hold := func() error {
		once.Do(func() { close(held); <-release })
		return nil
	}
	b.publisher.before.Store(&hold)
	var wg sync.WaitGroup
	post := func(id string) {
		body := b.update(id)
		wg.Go(func() { require.Equal(t, "accepted", b.post("/update-score", body).body["status"]) })
	}
	post("first")
	<-held
	const others = 4
	for i := range others {
		post(fmt.Sprint(i))
	}
	b.allWait(others)
	b.stop()
	require.Eventually(t, func() bool { return b.get("/readyz").code() == "shutting_down" }, time.Minute, 5*time.Millisecond)
	require.Equal(t, "shutting_down", b.post("/update-score", b.update("late")).code())
	close(release)
	wg.Wait()
	require.NoError(t, <-b.stopped)
	b.stopped <- nil
}

// TestADrainThatTakesTooLongAnswersEveryCaller: no ack ever comes.
func TestADrainThatTakesTooLongAnswersEveryCaller(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(s *setup) {
		s.config.AcceptTimeout = time.Hour
		s.config.DrainTimeout = 50 * time.Millisecond
	}).withProject()
	publishing := make(chan struct{}, 1000)
	fail := func() error {
		publishing <- struct{}{}
		return errFault
	}
	b.publisher.before.Store(&fail)
	var wg sync.WaitGroup
	wg.Go(func() {
		require.Equal(t, http.StatusServiceUnavailable, b.post("/update-score", b.update("one")).status)
	})
	<-publishing
	b.stop()
	require.ErrorContains(t, <-b.stopped, "still in progress")
	wg.Wait()
}

// TestAFullStreamSaysSoAtOnce: back-pressure is no reason to wait.
func TestAFullStreamSaysSoAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(s *setup) { s.config.AcceptTimeout = time.Hour }).withProject()
	b.publisher.before.Store(always(fmt.Errorf("no room: %w", score.ErrFull)))
	began := time.Now()
	r := b.post("/update-score", b.update("one"))
	require.Equal(t, "stream_full", r.code())
	require.NotEmpty(t, r.header.Get("Retry-After"))
	require.Less(t, time.Since(began), 2*time.Minute)
	b.publisher.before.Store(nil)
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
}

func TestManyCallersManyUpdates(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	const callers, each = 16, 50
	message := b.update("") // one signature serves them all
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				body := object{}
				for k, v := range message {
					body[k] = v
				}
				body["updateId"] = updateID(fmt.Sprint(c, i))
				require.Equal(t, "accepted", b.post("/update-score", body).body["status"])
			}
		})
	}
	wg.Wait()
	seen := map[score.UpdateID]int{}
	for _, envelope := range b.stored() {
		for _, u := range envelope {
			seen[u.ID]++
		}
	}
	require.Len(t, seen, callers*each)
}

func TestARevokedKeyIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	require.NoError(t, b.keys.Revoke(t.Context(), strings.Split(b.secret.Reveal(), "_")[1]))
	require.Eventually(t, func() bool { return b.post("/update-score", b.update("two")).code() == "invalid_api_key" },
		time.Minute, time.Millisecond)
}

// TestAFullProjectIsToldWhenToRetry: as long as its lane needs for what is too much.
func TestAFullProjectIsToldWhenToRetry(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]struct {
		backlog
		wait string // empty: it is accepted
	}{
		"little waits":        {backlog{}, ""},
		"one more may wait":   {backlog{Waiting: 999}, ""},
		"as much as may":      {backlog{Waiting: 1_000, PerSecond: 100}, "1"},
		"too much":            {backlog{Waiting: 5_000, PerSecond: 100}, "40"},
		"nearly nothing ends": {backlog{Waiting: 1_000_000, PerSecond: 1}, "600"},
		"nothing is bound":    {backlog{Waiting: 5_000}, "60"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(s *setup) {
				s.config.MaxWaiting = 1_000
				s.deps = func(d *httpapi.Deps) { d.Backlogs = is.backlog }
			}).withProject()
			r := b.post("/update-score", b.update("one"))
			require.Equal(t, is.wait, r.header.Get("Retry-After"))
			if is.wait == "" {
				require.Equal(t, http.StatusOK, r.status)
				return
			}
			require.Equal(t, http.StatusTooManyRequests, r.status)
		})
	}
}
