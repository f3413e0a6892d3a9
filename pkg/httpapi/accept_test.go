package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
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
	b := newBench(t, nil).withProject()
	body := b.update("one")
	body["actionName"], body["scoreType"] = "return", "volume"
	r := b.post("/update-score", body).ok()
	require.Equal(t, b.answeredSingle("accepted", "one"), r.body)
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	require.Equal(t, [][]score.Update{{{
		Project: b.project.ID, ID: updateID("one"), Signer: devnet.Address(1), Target: devnet.Address(9), Action: 1, ScoreType: 1,
	}}}, b.stored())

	r = b.lookUpOne("one")
	require.Equal(t, object{
		"updateId": updateID("one").String(), "projectId": b.project.ID.String(), "status": "accepted",
		"outcome": nil, "transactionHash": nil, "blockNumber": nil,
	}, r.body)
}

// TestATimeThatIsNoneIsTold: seconds instead of milliseconds is the likeliest mistake.
func TestATimeThatIsNoneIsTold(t *testing.T) {
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
		require.Regexp(t, want, r.field()["detail"])
	}
}

func TestASecondPostIsADuplicate(t *testing.T) {
	b := newBench(t, nil).withProject()
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	for range 3 {
		r := b.post("/update-score", b.update("one")).ok()
		require.Equal(t, set(b.answeredSingle("duplicate", "one"), "sameContent", true), r.body)
		b.get("%s", r.body["statusUrl"]).ok()
	}
	require.Len(t, b.stored(), 1)
}

// TestADuplicateIsComparedWithWhatWasAccepted, where this API knows it.
func TestADuplicateIsComparedWithWhatWasAccepted(t *testing.T) {
	b := newBench(t, nil).withProject()
	first := b.post("/update-score", b.update("1"))
	require.Equal(t, "accepted", first.body["status"])
	require.NotContains(t, first.body, "sameContent")
	sent := func(body object) any {
		t.Helper()
		r := b.post("/update-score", body).ok()
		require.Equal(t, "duplicate", r.body["status"])
		return r.body["sameContent"]
	}
	require.Equal(t, true, sent(b.update("1")), "signed at another time")
	require.Equal(t, false, sent(set(b.update("1"), "actionName", "return")))
	require.Equal(t, false, sent(set(b.update("1"), "scoreType", "volume")))
	require.Equal(t, false, sent(set(b.update("1"), "targetWallet", devnet.Address(8))))
	require.Equal(t, true, sent(b.update("1")))

	require.NoError(t, b.status.Accepted(t.Context(), b.refs("2"), []string{""}))
	require.Nil(t, sent(b.update("2")), "another replica accepted it")

	require.NoError(t, b.status.Final(t.Context(), common.Hash{1}, 1, b.refs("1"), []score.Outcome{score.NotMember}))
	require.Equal(t, "accepted", b.post("/update-score", set(b.update("1"), "actionName", "return")).body["status"], "the first was rejected")
	require.Nil(t, sent(b.update("1")), "accepted twice: which of them counts is not known here")
}

// TestOfManyAtOnceOneIsAccepted: every id is posted by several callers at the same time.
func TestOfManyAtOnceOneIsAccepted(t *testing.T) {
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
	require.Len(t, slices.Concat(b.stored()...), ids)
}

// allWait waits until so many posts wait for the publish after the one that is in flight.
func (b *bench) allWait(n int) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return b.server.Waiting() == n }, 2*time.Minute, time.Millisecond)
}

// TestWhatArrivesDuringAPublishSharesTheNext holds the first publish until others wait.
func TestWhatArrivesDuringAPublishSharesTheNext(t *testing.T) {
	b := newBench(t, nil).withProject()
	held, release := b.publisher.hold()
	var wg sync.WaitGroup
	post := func(id string) {
		body := b.update(id)
		wg.Go(func() { require.Equal(t, "accepted", b.post("/update-score", body).body["status"]) })
	}
	post("first")
	<-held
	const others = 30
	for i := range others {
		post(fmt.Sprint(i))
	}
	b.allWait(others)
	release()
	wg.Wait()
	envelopes := b.stored()
	require.Len(t, envelopes, 2, "those that waited share a publish")
	require.Len(t, envelopes[0], 1)
}

func TestAPublishThatFailedIsRetriedUnderTheSameID(t *testing.T) {
	t.Parallel()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		b := startBench(t, nil).withProject()
		b.publisher.Set(fault.First(2, kind))
		require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
		require.Len(t, b.stored(), 1, "one envelope, however often it was sent")
		require.Equal(t, 3, b.publisher.Writes())
	})
}

// TestAnUpdateThatWasNotAckedMayBeSentAgain: the first caller gets a 503, and a retry gets through, whether or not the
// first was stored.
func TestAnUpdateThatWasNotAckedMayBeSentAgain(t *testing.T) {
	t.Parallel()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		b := startBench(t, func(s *setup) { s.config.AcceptTimeout, s.faults = 100*time.Millisecond, true }).withProject()
		b.publisher.Set(fault.Always(kind))
		b.unacked("/update-score", b.update("one"))
		require.Equal(t, "status_rebuilding", b.lookUpOne("one").code())
		b.restored()
		require.Equal(t, "update_not_found", b.lookUpOne("one").code())

		b.publisher.Set(nil)
		b.accepted("/update-score", b.update("one"))
		require.Len(t, b.stored(), map[fault.Kind]int{fault.Failed: 1, fault.Persisted: 2}[kind], "the contract applies one of them")
	})
}

// TestACrashBetweenClaimAndAck: an unresolved claim keeps others out only until it expires.
func TestACrashBetweenClaimAndAck(t *testing.T) {
	b := newBench(t, func(s *setup) {
		s.config.ClaimWait = 50 * time.Millisecond
		s.status.Claim = 10 * time.Second
	}).withProject()
	require.Equal(t, score.ClaimWon, b.claim("one", "crashed"))
	require.Equal(t, "update_in_progress", b.post("/update-score", b.update("one")).code())
	b.accepted("/update-score", b.update("one"))
	require.Len(t, b.stored(), 1)
}

func TestWithoutRedisUpdatesAreAccepted(t *testing.T) {
	t.Parallel()
	redis := fresh.Redis(t)
	b := startBench(t, func(s *setup) { s.redis = redis.URL; s.timeout = 0; s.config.RatePerSecond = 1000 }).withProject()
	redis.Close()
	began := time.Now()
	for i := range 20 {
		require.Equal(t, "accepted", b.post("/update-score", b.update(fmt.Sprint(i))).body["status"])
	}
	require.Less(t, time.Since(began), 2*time.Minute, "a dead Redis must not slow the API down")
	require.Equal(t, "status_unavailable", b.lookUpOne("1").code())
	require.Equal(t, "accepted", b.get("/projects/%s", b.project.ID).body["status"])
}

func TestARejectedUpdateMayBeSentAgain(t *testing.T) {
	b := newBench(t, nil).withProject()
	b.restored()
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	u := b.stored()[0]
	require.NoError(t, b.status.Final(t.Context(), updateTx, 7, score.Refs(u), []score.Outcome{score.NotMember}))
	r := b.lookUpOne("one")
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
	b := newBench(t, nil).withProject()
	held, release := b.publisher.hold()
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
	release()
	wg.Wait()
	require.NoError(t, <-b.stopped)
	b.stopped <- nil
}

// TestADrainThatTakesTooLongAnswersEveryCaller: no ack ever comes.
func TestADrainThatTakesTooLongAnswersEveryCaller(t *testing.T) {
	b := newBench(t, func(s *setup) {
		s.config.AcceptTimeout = time.Hour
		s.config.DrainTimeout = 50 * time.Millisecond
	}).withProject()
	publishing := make(chan struct{}, 1000)
	b.publisher.meet(func() error {
		publishing <- struct{}{}
		return fault.Err
	})
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
	b := newBench(t, func(s *setup) { s.config.AcceptTimeout = time.Hour }).withProject()
	b.publisher.refuse(fmt.Errorf("no room: %w", score.ErrFull))
	began := time.Now()
	require.Equal(t, "stream_full", b.post("/update-score", b.update("one")).code())
	require.Less(t, time.Since(began), 2*time.Minute)
	b.publisher.refuse(nil)
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
}

func TestARevokedKeyIsRefused(t *testing.T) {
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
			b := newBench(t, func(s *setup) {
				s.config.MaxWaiting = 1_000
				s.deps = func(d *httpapi.Deps) { d.Backlogs = is.backlog }
			}).withProject()
			r := b.post("/update-score", b.update("one"))
			require.Equal(t, is.wait, r.header.Get("Retry-After"))
			require.Equal(t, is.wait != "", r.code() == "backlog_full", r)
		})
	}
}
