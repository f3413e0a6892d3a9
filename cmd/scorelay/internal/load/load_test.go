package load

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

func wallet(t *testing.T) *Wallet {
	t.Helper()
	w, err := RandomWallet()
	require.NoError(t, err)
	return w
}

func TestSignaturesRecover(t *testing.T) {
	t.Parallel()
	w := wallet(t)
	at := time.UnixMilli(1_700_000_000_123)
	message, signature, err := w.Sign(at)
	require.NoError(t, err)
	require.Equal(t, "1700000000123", message)
	raw, err := hex.DecodeString(strings.TrimPrefix(signature, "0x"))
	require.NoError(t, err)
	require.Contains(t, []byte{27, 28}, raw[64])
	raw[64] -= 27
	key, err := crypto.SigToPub(accounts.TextHash([]byte(message)), raw)
	require.NoError(t, err)
	require.Equal(t, w.Address, crypto.PubkeyToAddress(*key))
	again, same, err := w.Sign(at)
	require.NoError(t, err)
	require.Equal(t, [2]string{message, signature}, [2]string{again, same})
}

func TestIDs(t *testing.T) {
	t.Parallel()
	ids := NewIDs(true)
	a, b := ids.Next(), ids.Next()
	require.Equal(t, a.Word(), b.Word())
	require.Equal(t, a.Low()+1, b.Low())
	require.NotEqual(t, NewIDs(true).Next().Word(), a.Word())
	random := NewIDs(false)
	require.NotEqual(t, random.Next().Word(), random.Next().Word())
}

func TestPlanHoldsOneDuplicateAndOneInvalidPerHundred(t *testing.T) {
	t.Parallel()
	place := &Place{
		Actions: []string{"a", "b"}, ScoreType: "s", Updaters: []*Wallet{wallet(t), wallet(t)}, Stranger: wallet(t),
		Targets: RandomTargets(5),
	}
	updates := Plan(place, 1000)
	seen := map[score.UpdateID]int{}
	again, invalid := 0, 0
	for _, u := range updates {
		seen[u.ID]++
		if u.Again {
			again++
		}
		if u.Invalid {
			invalid++
		}
	}
	require.Equal(t, 10, again)
	require.Equal(t, 10, invalid)
	require.Len(t, seen, 990)
}

// fakeAPI answers update-score from a script, the last line for ever, and notes what it was asked.
type fakeAPI struct {
	mu     sync.Mutex
	script []func(w http.ResponseWriter)
	asked  []map[string]string
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	raw, _ := io.ReadAll(r.Body)
	var asked map[string]string
	_ = json.Unmarshal(raw, &asked)
	asked["key"] = r.Header.Get("X-API-KEY")
	f.asked = append(f.asked, asked)
	answer := f.script[0]
	if len(f.script) > 1 {
		f.script = f.script[1:]
	}
	answer(w)
}

func ok(status string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"status":"`+status+`"}`) }
}

func problem(status int, code string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"code":"`+code+`","detail":"d","status":`+strconv.Itoa(status)+`}`)
	}
}

func hangUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func TestSendRetriesWhatMayPass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script []func(http.ResponseWriter)
		status string
		code   string
		tries  int
	}{
		"at once":         {[]func(http.ResponseWriter){ok("accepted")}, "accepted", "", 1},
		"503, then well":  {[]func(http.ResponseWriter){problem(503, "not_durable"), ok("accepted")}, "accepted", "", 2},
		"cut, then twice": {[]func(http.ResponseWriter){hangUp, ok("duplicate")}, "duplicate", "", 2},
		"refused":         {[]func(http.ResponseWriter){problem(400, "unknown_action")}, "", "unknown_action", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := &fakeAPI{script: c.script}
			server := httptest.NewServer(api)
			defer server.Close()
			client := NewClient("secret", 4, server.URL)
			defer client.Close()
			u := &Update{ID: score.UpdateID{1}, Project: score.ProjectID{2}, Action: "a", ScoreType: "s", Target: common.Address{3}, Wallet: wallet(t)}
			result := client.Send(t.Context(), u, time.Now())
			require.Equal(t, c.status, result.Status)
			require.Equal(t, c.code, result.Code)
			require.Equal(t, c.status == "", result.Err != nil)
			require.Equal(t, c.tries-1, result.Retries)
			require.Len(t, api.asked, c.tries)
			require.Equal(t, u.ID.String(), api.asked[0]["updateId"])
			require.Equal(t, "secret", api.asked[0]["key"])
			require.Equal(t, "0x0300000000000000000000000000000000000000", api.asked[0]["targetWallet"])
		})
	}
}

func TestSendGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&fakeAPI{script: []func(http.ResponseWriter){problem(503, "not_durable")}})
	defer server.Close()
	client := NewClient("", 1, server.URL)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	tally := NewTally()
	tally.Add(client.Send(ctx, &Update{Wallet: wallet(t)}, time.Now()))
	require.Equal(t, 1, tally.Counts().Failed)
	require.Empty(t, tally.Promised())
}

func TestTally(t *testing.T) {
	t.Parallel()
	tally := NewTally()
	first, invalid := &Update{ID: score.UpdateID{1}}, &Update{ID: score.UpdateID{2}, Invalid: true}
	again := *first
	again.Again = true
	at := time.Now()
	tally.Add(Result{Update: first, Status: "duplicate", Retries: 1, At: at, Latency: time.Second})
	tally.Add(Result{Update: &again, Status: "duplicate", At: at.Add(time.Second)})
	tally.Add(Result{Update: invalid, Code: "unknown_action", Err: &APIError{Status: 400}})
	tally.Add(Result{Update: first, Code: "forbidden", Err: &APIError{Status: 403}})
	counts := tally.Counts()
	require.Equal(t, Counts{
		Sent: 4, Accepted: 1, Duplicate: 1, Rejected: 2, Retries: 1, Wrong: 1,
		Refusals: map[string]int{"unknown_action": 1, "forbidden": 1},
	}, counts)
	require.Equal(t, map[Key]time.Time{{ID: first.ID}: at}, tally.Promised())
	require.Equal(t, 1000.0, tally.Latency().Max)
	require.Zero(t, PercentilesOf(nil))
}

func TestOpenLoopKeepsItsPace(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-release
		ok("accepted")(w)
	}))
	defer server.Close()
	client := NewClient("", 8, server.URL)
	defer client.Close()
	signer := wallet(t)
	tally := NewTally()
	time.AfterFunc(300*time.Millisecond, func() { close(release) })
	missed := Open(t.Context(), client, Pace{Rate: 100, Duration: 200 * time.Millisecond, MaxInFlight: 8},
		func() *Update { return &Update{Wallet: signer} }, tally.Add)
	require.Equal(t, 12, missed, "20 were due, 8 may be in flight, nobody was answered")
	require.Equal(t, 8, tally.Counts().Accepted)
	require.Greater(t, tally.Latency().Max, 200.0)
}
