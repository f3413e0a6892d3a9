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
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

func someone(t *testing.T) *Wallet {
	t.Helper()
	w, err := RandomWallet()
	require.NoError(t, err)
	return w
}

func TestSignaturesRecover(t *testing.T) {
	t.Parallel()
	w := someone(t)
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

func place(t *testing.T) *Place {
	t.Helper()
	return &Place{
		Project: score.ProjectID{1}, Actions: []string{"a", "b"}, ScoreType: "s", Updaters: []*Wallet{someone(t), someone(t)},
		Stranger: someone(t), Targets: RandomTargets(5),
	}
}

// TestPlanHoldsOneDuplicateAndOneInvalidPerHundred, whoever takes it, and signs as groups what it says it does.
func TestPlanHoldsOneDuplicateAndOneInvalidPerHundred(t *testing.T) {
	t.Parallel()
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
			if p.Signed {
				_, err := p.sign(t.Context(), domain())
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

func domain() wallet.Domain { return wallet.NewDomain(1, common.Address{1}) }

// fakeAPI answers update-score from a script, the last line for ever, and notes what it was asked.
type fakeAPI struct {
	mu     sync.Mutex
	script []func(w http.ResponseWriter)
	asked  []map[string]any
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	raw, _ := io.ReadAll(r.Body)
	var asked map[string]any
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
			u := Update{ID: score.UpdateID{1}, Project: score.ProjectID{2}, Action: "a", ScoreType: "s", Target: common.Address{3}, Wallet: someone(t)}
			result := client.Send(t.Context(), Alone(u), time.Now())
			require.Equal(t, c.status, strings.Join(result.Status, " "))
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
	tally.Add(client.Send(ctx, Alone(Update{Wallet: someone(t)}), time.Now()))
	require.Equal(t, 1, tally.Counts().Failed)
	require.Empty(t, tally.Promised())
}

// TestSendGroups: each update of a signed group has the answer the API gives it, and the same bytes go at every try.
func TestSendGroups(t *testing.T) {
	t.Parallel()
	at := place(t)
	updates := []Update{at.Update(0), at.Update(1), at.Update(2)}
	Assign(updates, at.Updaters[1], sdk.NewMinter(), false)
	answer := func(status string, accepted int, duplicates ...score.UpdateID) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "accepted": accepted, "duplicates": duplicates})
		}
	}
	for name, c := range map[string]struct {
		script []func(http.ResponseWriter)
		status string
		code   string
	}{
		"accepted":     {[]func(http.ResponseWriter){hangUp, answer("accepted", 3)}, "accepted accepted accepted", ""},
		"in part":      {[]func(http.ResponseWriter){answer("accepted", 2, updates[1].ID)}, "accepted duplicate accepted", ""},
		"duplicate":    {[]func(http.ResponseWriter){answer("duplicate", 0, updates[2].ID, updates[0].ID, updates[1].ID)}, "duplicate duplicate duplicate", ""},
		"refused":      {[]func(http.ResponseWriter){problem(503, "not_durable"), problem(403, "signer_not_member")}, "", "signer_not_member"},
		"miscounted":   {[]func(http.ResponseWriter){answer("accepted", 1)}, "", ""},
		"of somebody":  {[]func(http.ResponseWriter){answer("accepted", 2, score.UpdateID{9})}, "", ""},
		"contradicted": {[]func(http.ResponseWriter){answer("duplicate", 3)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := &fakeAPI{script: c.script}
			server := httptest.NewServer(api)
			defer server.Close()
			client := NewClient("secret", 4, server.URL)
			client.Domain = domain()
			defer client.Close()
			result := client.Send(t.Context(), &Post{Updates: updates, Signed: true}, time.Now())
			require.Equal(t, c.status, strings.Join(result.Status, " "))
			require.Equal(t, c.code, result.Code)
			require.Equal(t, c.status == "", result.Err != nil)
			for _, asked := range api.asked {
				require.Equal(t, api.asked[0], asked)
				require.Equal(t, at.Project.String(), asked["projectId"])
			}
		})
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	tally := NewTally()
	first, invalid := Update{ID: score.UpdateID{1}}, Update{ID: score.UpdateID{2}, Invalid: true}
	again := first
	again.Again = true
	at := time.Now()
	tally.Add(Result{Post: Alone(first), Status: []string{"duplicate"}, Retries: 1, At: at, Latency: time.Second})
	tally.Add(Result{Post: Alone(again), Status: []string{"duplicate"}, At: at.Add(time.Second)})
	tally.Add(Result{Post: Alone(invalid), Code: "unknown_action", Err: &APIError{Status: 400}})
	tally.Add(Result{Post: Alone(first), Code: "forbidden", Err: &APIError{Status: 403}})
	group := &Post{Updates: []Update{{ID: score.UpdateID{1}}, {ID: score.UpdateID{3}}, {ID: score.UpdateID{4}}}, Signed: true}
	tally.Add(Result{Post: group, Status: []string{"duplicate", "accepted", "accepted"}, At: at})
	tally.Add(Result{Post: group, Err: &APIError{Status: 503}, Retries: 2})
	counts := tally.Counts()
	require.Equal(t, Counts{
		Sent: 10, Accepted: 3, Duplicate: 2, Rejected: 2, Failed: 3, Retries: 3, Wrong: 1,
		Refusals: map[string]int{"unknown_action": 1, "forbidden": 1},
	}, counts)
	require.Equal(t, map[Key]time.Time{{ID: first.ID}: at, {ID: score.UpdateID{3}}: at, {ID: score.UpdateID{4}}: at}, tally.Promised())
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
	signer := someone(t)
	tally := NewTally()
	time.AfterFunc(300*time.Millisecond, func() { close(release) })
	missed := Open(t.Context(), client, Pace{Rate: 100, Duration: 200 * time.Millisecond, MaxInFlight: 8},
		func() *Post { return Alone(Update{Wallet: signer}) }, tally.Add)
	require.Equal(t, 12, missed, "20 were due, 8 may be in flight, nobody was answered")
	require.Equal(t, 8, tally.Counts().Accepted)
	require.Greater(t, tally.Latency().Max, 200.0)
}

// TestOpenLoopCountsUpdates: a group is due when the last of its updates is.
func TestOpenLoopCountsUpdates(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&fakeAPI{script: []func(http.ResponseWriter){ok("accepted")}})
	defer server.Close()
	client := NewClient("", 8, server.URL)
	defer client.Close()
	at := place(t)
	tally, posts := NewTally(), 0
	missed := Open(t.Context(), client, Pace{Rate: 1000, Duration: 100 * time.Millisecond, MaxInFlight: 100}, func() *Post {
		posts++
		group := []Update{at.Update(0), at.Update(1), at.Update(2), at.Update(3)}
		Assign(group, at.Updaters[0], sdk.NewMinter(), true)
		return &Post{Updates: group, Signed: true}
	}, tally.Add)
	require.Equal(t, 25, posts)
	require.Equal(t, 100, missed+tally.Counts().Sent)
}
