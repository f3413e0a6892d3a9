package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// api is an HTTP API without a network: it remembers what it stored, and does wrong what a test wants. cmd/scorelay runs
// senders against a whole stack.
type api struct {
	mu       sync.Mutex
	stored   map[score.UpdateID]int // how often it was sent
	requests int
	groups   []int                                                              // how many updates each accepted group had
	fault    func(path string, n int) (status int, code string, retryAfter int) // of request n; 0: none, -1: no answer, -2: none, but stored
	bad      map[score.UpdateID]bool                                            // refuses a group with any of these
	silent   int                                                                // of how many updates of a group it tells nothing
	status   func(id score.UpdateID) sdk.Status
}

func newAPI() *api { return &api{stored: map[score.UpdateID]int{}} }

func (a *api) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests++
	status, code, after := 0, "", 0
	if a.fault != nil {
		status, code, after = a.fault(r.URL.Path, a.requests)
	}
	if status == -1 {
		return nil, errors.New("connection refused")
	}
	answer, problem := any(nil), ""
	if status <= 0 {
		var raw []byte
		if r.Body != nil {
			raw, _ = io.ReadAll(r.Body)
		}
		answer, problem = a.serve(r.URL.Path, raw)
	}
	switch {
	case status == -2:
		return nil, errors.New("connection reset")
	case problem != "":
		status, code = http.StatusBadRequest, problem
	case status == 0:
		status = http.StatusOK
	}
	if code != "" {
		answer = map[string]any{"status": status, "code": code}
	}
	body, err := json.Marshal(answer)
	header := http.Header{"Content-Type": {"application/problem+json"}}
	if after > 0 {
		header.Set("Retry-After", strconv.Itoa(after))
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body))}, err
}

// serve stores what is sent and tells of it.
func (a *api) serve(path string, raw []byte) (answer any, problem string) {
	var in struct {
		UpdateID  score.UpdateID   `json:"updateId"`
		Message   string           `json:"message"`
		Kind      score.Kind       `json:"kind"`
		UpdateIDs []score.UpdateID `json:"updateIds"`
	}
	_ = json.Unmarshal(raw, &in)
	switch path {
	case "/update-score":
		ms, _ := strconv.ParseInt(in.Message, 10, 64)
		if time.Since(time.UnixMilli(ms)) > 5*time.Minute {
			return nil, "message_too_old"
		}
		if a.bad[in.UpdateID] {
			return nil, "unknown_action"
		}
		if a.stored[in.UpdateID]++; a.stored[in.UpdateID] > 1 {
			return map[string]any{"status": "duplicate"}, ""
		}
		return map[string]any{"status": "accepted"}, ""
	case "/update-scores":
		var group struct {
			Updates hexutil.Bytes `json:"updates"`
		}
		_ = json.Unmarshal(raw, &group)
		updates, err := batch.DecodeBody(in.Kind, project, common.Address{}, group.Updates, score.MaxSigned)
		if err != nil || slices.ContainsFunc(updates, func(u score.Update) bool { return a.bad[u.ID] }) {
			return nil, "invalid_body"
		}
		a.groups = append(a.groups, len(updates))
		for _, u := range updates {
			a.stored[u.ID]++
		}
		return map[string]any{"status": "accepted", "accepted": len(updates) - a.silent}, ""
	case "/look-up-updates":
		out := []sdk.Status{}
		for _, id := range in.UpdateIDs {
			out = append(out, a.status(id))
		}
		return map[string]any{"updates": out}, ""
	default:
		return map[string]any{"inputActions": []score.Action{{Name: "win"}}, "scoreTypes": []string{"skill"}, "signing": domain}, ""
	}
}

// look reads what the API saw, or changes what it does.
func (a *api) look(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
}

// reports gathers what a sender tells.
type reports struct {
	mu  sync.Mutex
	all []sdk.Report
}

func (r *reports) add(one sdk.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, one)
}

func (r *reports) of(stage string) (ids []score.UpdateID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.all {
		if one.Stage == stage {
			ids = append(ids, one.Update.UpdateID)
		}
	}
	return ids
}

// sender is one of the API, and what it reports.
func (a *api) sender(t *testing.T, with func(*sdk.SenderOptions)) (*sdk.Sender, *reports) {
	t.Helper()
	told := &reports{}
	o := sdk.SenderOptions{Project: project, Sign: sdk.KeySigner(newKey(t)), Report: told.add}
	if with != nil {
		with(&o)
	}
	s, err := sdk.NewSender(sdk.NewClient("http://api", "key", &http.Client{Transport: a}), o)
	require.NoError(t, err)
	t.Cleanup(func() { // of a test that failed
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, _ = s.Close(ctx)
	})
	return s, told
}

func updates(n int) []sdk.NamedUpdate {
	out := make([]sdk.NamedUpdate, n)
	for i := range out {
		out[i] = sdk.NamedUpdate{ActionName: "win", ScoreType: "skill", TargetWallet: sdk.Address{1, byte(i)}}
	}
	return out
}

func enqueue(t *testing.T, s *sdk.Sender, all ...sdk.NamedUpdate) []score.UpdateID {
	t.Helper()
	ids, err := s.Enqueue(t.Context(), all...)
	require.NoError(t, err)
	return ids
}

// flush waits until all is sent.
func flush(t *testing.T, s *sdk.Sender) {
	t.Helper()
	left, err := s.Flush(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
}

// closes ends a sender, with so many updates unsent.
func closes(t *testing.T, s *sdk.Sender, unsent int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	left, err := s.Close(ctx)
	require.Len(t, left, unsent)
	require.Equal(t, unsent > 0, err != nil)
	_, err = s.Close(ctx)
	require.ErrorIs(t, err, sdk.ErrClosed)
	_, err = s.TryEnqueue(updates(1)...)
	require.ErrorIs(t, err, sdk.ErrClosed)
}

// TestSenderSendsUntilItIsAccepted: for a day nothing works, each time in another way. The ids stay, the signatures are of now, and
// the API is asked seldom.
func TestSenderSendsUntilItIsAccepted(t *testing.T) {
	t.Parallel()
	for _, grouped := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			a, began := newAPI(), time.Now()
			a.fault = func(_ string, n int) (int, string, int) {
				if time.Since(began) > 24*time.Hour {
					return 0, "", 0
				}
				switch n % 11 {
				case 10:
					return 431, "headers_too_large", 0
				case 9:
					return 415, "unsupported_encoding", 0
				case 1:
					return 503, "stream_full", 2
				case 2:
					return 429, "rate_limited", 3600
				case 3:
					return 502, "", 0
				case 4:
					return 403, "", 0 // a proxy's
				case 5:
					return 401, "invalid_api_key", 0
				case 6:
					return 400, "message_too_old", 0
				case 7:
					return -2, "", 0
				case 8:
					return 500, "internal", 0
				}
				return -1, "", 0
			}
			s, told := a.sender(t, func(o *sdk.SenderOptions) {
				if grouped {
					o.Groups = domain
				}
			})
			ids := enqueue(t, s, updates(300)...)
			require.Equal(t, ids[0].Word(), ids[255].Word(), "they count up")
			time.Sleep(12 * time.Hour)
			require.Error(t, s.State().Err)
			a.look(func() { require.Less(t, a.requests, 300, "in 12 hours") })
			flush(t, s)
			require.NoError(t, s.State().Err)
			require.Greater(t, time.Since(began), 24*time.Hour)
			require.Less(t, time.Since(began), 26*time.Hour)
			require.ElementsMatch(t, ids, told.of(sdk.Accepted), "each is told once")
			require.Len(t, told.all, 300)
			require.Len(t, a.stored, 300, "no other ids were sent")
			closes(t, s, 0)
		})
	}
}

func TestSenderHoldsABoundedNumber(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		a, down := newAPI(), true
		a.fault = func(string, int) (int, string, int) {
			if down {
				return -1, "", 0
			}
			return 0, "", 0
		}
		s, told := a.sender(t, func(o *sdk.SenderOptions) { o.Capacity = 3 })
		_, err := s.TryEnqueue(updates(4)...)
		require.ErrorIs(t, err, sdk.ErrFull)
		_, err = s.Enqueue(t.Context(), updates(4)...)
		require.ErrorIs(t, err, sdk.ErrFull, "it never fits")
		ids, err := s.TryEnqueue(updates(2)...)
		require.NoError(t, err)
		_, err = s.TryEnqueue(updates(2)...)
		require.ErrorIs(t, err, sdk.ErrFull, "all or none")
		again := updates(2)
		again[0].UpdateID, again[1].UpdateID = ids[0], ids[1]
		_, err = s.TryEnqueue(again...)
		require.NoError(t, err, "what is queued already takes no room")
		again[0].ActionName = "lose"
		_, err = s.TryEnqueue(again...)
		require.ErrorContains(t, err, "another update has the id")

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = s.Enqueue(ctx, updates(2)...)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		left, err := s.Flush(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, left, 2)
		require.Equal(t, ids[0], left[0].UpdateID)
		require.Equal(t, 2, s.State().Unsent)
		a.look(func() { down = false })
		_, err = s.Enqueue(t.Context(), updates(2)...)
		require.NoError(t, err, "there is room again")
		closes(t, s, 0)
		require.Len(t, told.of(sdk.Accepted), 4)
	})
}

// TestSenderTellsWhatIsRefused: one of a group, not the others; and what was refused can be queued again where it is told.
func TestSenderTellsWhatIsRefused(t *testing.T) {
	t.Parallel()
	for _, grouped := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			a := newAPI()
			var s *sdk.Sender
			told := &reports{}
			s, _ = a.sender(t, func(o *sdk.SenderOptions) {
				if grouped {
					o.Groups = domain
				}
				o.Spool = filepath.Join(t.TempDir(), "spool")
				o.Report = func(r sdk.Report) {
					told.add(r)
					if r.Stage != sdk.Refused {
						return
					}
					var e *sdk.Error
					if !errors.As(r.Err, &e) || e.Code == "" {
						panic(fmt.Sprint("no problem: ", r.Err))
					}
					a.look(func() { delete(a.bad, r.Update.UpdateID) })
					if r.Update.ActionName == "win" {
						if _, err := s.TryEnqueue(r.Update); err != nil {
							panic(err)
						}
					}
				}
			})
			all := updates(100)
			all[50].UpdateID, all[70].UpdateID, all[70].ActionName = score.UpdateID{9}, score.UpdateID{8}, "lose"
			a.bad = map[score.UpdateID]bool{{9}: true, {8}: true}
			ids := enqueue(t, s, all...)
			flush(t, s)
			require.ElementsMatch(t, []score.UpdateID{ids[50], ids[70]}, told.of(sdk.Refused))
			require.ElementsMatch(t, slices.Delete(slices.Clone(ids), 70, 71), told.of(sdk.Accepted), "of the refused, what was queued again")
			closes(t, s, 0)
		})
	}
}

// TestSenderTellsOfAllThatItsSignerMayNotSend, in one request: what is wrong is not in the group.
func TestSenderTellsOfAllThatItsSignerMayNotSend(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		a, posts := newAPI(), 0
		a.fault = func(path string, _ int) (int, string, int) {
			if path != "/update-scores" {
				return 0, "", 0
			}
			posts++
			return 403, "signer_not_member", 0
		}
		s, told := a.sender(t, func(o *sdk.SenderOptions) { o.Groups = domain })
		ids := enqueue(t, s, updates(100)...)
		closes(t, s, 0)
		require.ElementsMatch(t, ids, told.of(sdk.Refused))
		require.Equal(t, 1, posts)
	})
}

// TestSenderBelievesNoAnswerOfOtherNumbers: what an answer to a group does not tell of is not accepted.
func TestSenderBelievesNoAnswerOfOtherNumbers(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		a := newAPI()
		a.silent = 1
		s, told := a.sender(t, func(o *sdk.SenderOptions) { o.Groups = domain })
		ids := enqueue(t, s, updates(10)...)
		time.Sleep(time.Minute)
		require.ErrorIs(t, s.State().Err, sdk.ErrAnswer)
		require.Equal(t, 10, s.State().Unsent)
		require.Empty(t, told.all)
		a.look(func() { a.silent = 0 })
		closes(t, s, 0)
		require.ElementsMatch(t, ids, told.of(sdk.Accepted))
	})
}

// TestSenderThatIsClosedEndsAFlush, of a caller that would wait for as long as it takes.
func TestSenderThatIsClosedEndsAFlush(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		a := newAPI()
		a.fault = func(string, int) (int, string, int) { return -1, "", 0 }
		s, _ := a.sender(t, nil)
		ids := enqueue(t, s, updates(1)...)
		flushed := make(chan struct{})
		go func() {
			defer close(flushed)
			left, err := s.Flush(context.Background())
			if !errors.Is(err, sdk.ErrClosed) || len(left) != 1 || left[0].UpdateID != ids[0] {
				panic(fmt.Sprint(left, err))
			}
		}()
		synctest.Wait()
		closes(t, s, 1)
		synctest.Wait()
		select {
		case <-flushed:
		default:
			t.Fatal("the flush continues")
		}
	})
}

// TestSenderGivesUpOnAnAnswerThatNeverComes, with an HTTP client that would wait for it.
func TestSenderGivesUpOnAnAnswerThatNeverComes(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		a := newAPI()
		s, err := sdk.NewSender(sdk.NewClient("http://api", "key", &http.Client{Transport: &hanging{api: a, left: 3}}), sdk.SenderOptions{Project: project, Sign: sdk.KeySigner(newKey(t))})
		require.NoError(t, err)
		enqueue(t, s, updates(1)...)
		closes(t, s, 0)
		require.Len(t, a.stored, 1)
	})
}

// hanging answers nothing to its first requests.
type hanging struct {
	*api

	left int
}

func (h *hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	if h.left--; h.left >= 0 {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return h.api.RoundTrip(r)
}

func TestSenderLingersUntilAGroupIsFull(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		a, began := newAPI(), time.Now()
		s, _ := a.sender(t, func(o *sdk.SenderOptions) { o.Groups, o.Linger = domain, time.Minute })
		for range 3 {
			enqueue(t, s, updates(10)...)
			time.Sleep(10 * time.Second)
		}
		a.look(func() { require.Empty(t, a.groups) })
		time.Sleep(time.Minute)
		a.look(func() { require.Equal(t, []int{30}, a.groups) })
		enqueue(t, s, updates(226)...)
		flush(t, s)
		a.look(func() { require.Equal(t, []int{30, 226}, a.groups) })
		require.Equal(t, 90*time.Second, time.Since(began), "a flush lets nothing linger")
		closes(t, s, 0)
	})
}

// TestSenderFollows until updates are final, and sends again what was accepted and is not known any more.
func TestSenderFollows(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		a, began := newAPI(), time.Now()
		var ids []score.UpdateID
		a.status = func(id score.UpdateID) sdk.Status {
			switch {
			case id == ids[7] && a.stored[id] < 2:
				return sdk.Status{Stage: sdk.Unknown} // its NATS lost it
			case time.Since(began) < 10*time.Second:
				return sdk.Status{Stage: "batched"}
			case id == ids[8]:
				return sdk.Status{Stage: "final", Outcome: "not_member"}
			}
			return sdk.Status{Stage: "final", Outcome: "applied"}
		}
		a.fault = func(path string, n int) (int, string, int) {
			if path == "/look-up-updates" && n%2 == 0 {
				return 503, "status_rebuilding", 2
			}
			return 0, "", 0
		}
		s, told := a.sender(t, func(o *sdk.SenderOptions) { o.Follow = true })
		minted, err := sdk.NewMinter().Range(600)
		require.NoError(t, err)
		ids = slices.Collect(minted.All())
		all := updates(600)
		for i := range all {
			all[i].UpdateID = ids[i]
		}
		enqueue(t, s, all...)
		flush(t, s)
		require.Equal(t, 600, s.State().Followed)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		require.ElementsMatch(t, ids, told.of(sdk.Final))
		require.Len(t, told.of(sdk.Accepted), 601)
		require.Equal(t, sdk.SenderState{}, s.State())
		a.look(func() { require.Equal(t, 2, a.stored[ids[7]]) })
		require.True(t, slices.ContainsFunc(told.all, func(r sdk.Report) bool { return r.Update.UpdateID == ids[8] && r.Outcome == "not_member" }))
		closes(t, s, 0)
	})
}

// TestSenderResumesFromItsSpool: exactly what was not accepted is sent by the next sender, and what was accepted is followed.
func TestSenderResumesFromItsSpool(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		a := newAPI()
		a.status = func(score.UpdateID) sdk.Status { return sdk.Status{Stage: "batched"} }
		spooled := func(o *sdk.SenderOptions) { o.Spool, o.Follow = filepath.Join(t.ArtifactDir(), "spool"), true }
		s, _ := a.sender(t, spooled)
		first := enqueue(t, s, updates(10)...)
		flush(t, s)
		a.look(func() { a.fault = func(string, int) (int, string, int) { return -1, "", 0 } })
		second := enqueue(t, s, updates(10)...)
		closes(t, s, 10)

		_, err := sdk.NewSender(sdk.NewClient("http://api", "key", nil), sdk.SenderOptions{Project: sdk.ProjectID{1}, Sign: sdk.KeySigner(newKey(t)), Spool: filepath.Join(t.ArtifactDir(), "spool")})
		require.ErrorContains(t, err, "holds updates of the project")

		a.status = func(score.UpdateID) sdk.Status { return sdk.Status{Stage: "final", Outcome: "applied"} }
		s, told := a.sender(t, spooled)
		require.Equal(t, 10, s.State().Unsent)
		a.look(func() { a.fault = nil })
		time.Sleep(5 * time.Second)
		synctest.Wait()
		require.ElementsMatch(t, second, told.of(sdk.Accepted))
		require.ElementsMatch(t, slices.Concat(first, second), told.of(sdk.Final))
		closes(t, s, 0)
		for _, id := range slices.Concat(first, second) {
			require.Equal(t, 1, a.stored[id])
		}
		s, told = a.sender(t, spooled)
		require.Equal(t, sdk.SenderState{}, s.State())
		closes(t, s, 0)
		require.Empty(t, told.all)
	})
}

// TestSenderServesManyAtOnce, with a spool that they share.
func TestSenderServesManyAtOnce(t *testing.T) {
	t.Parallel()
	a := newAPI()
	s, told := a.sender(t, func(o *sdk.SenderOptions) {
		o.Groups, o.Linger, o.Capacity, o.Spool = domain, time.Millisecond, 50, filepath.Join(t.TempDir(), "spool")
	})
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 10 {
				if _, err := s.Enqueue(context.Background(), updates(3)...); err != nil {
					panic(err)
				}
			}
		})
	}
	all.Wait()
	closes(t, s, 0)
	require.Len(t, told.of(sdk.Accepted), 480)
	require.Len(t, a.stored, 480)
}

func TestSenderNeedsItsOptions(t *testing.T) {
	t.Parallel()
	client, sign := sdk.NewClient("http://api", "key", nil), sdk.KeySigner(newKey(t))
	for _, o := range []sdk.SenderOptions{{Sign: sign}, {Project: project}, {Project: project, Sign: sign, Capacity: -1}, {Project: project, Sign: sign, Spool: t.TempDir()}} {
		_, err := sdk.NewSender(client, o)
		require.Error(t, err)
	}
	s, _ := newAPI().sender(t, nil)
	for _, u := range []sdk.NamedUpdate{{}, {ProjectID: sdk.ProjectID{1}, TargetWallet: sdk.Address{1}}} {
		_, err := s.TryEnqueue(u)
		require.Error(t, err)
	}
	closes(t, s, 0)
}

// TestSenderSendsARequeuedUpdateOnce: it was queued again when its refusal was reported, and the process died before the spool forgot the first.
func TestSenderSendsARequeuedUpdateOnce(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		a := newAPI()
		path := filepath.Join(t.ArtifactDir(), "spool")
		var s *sdk.Sender
		s, _ = a.sender(t, func(o *sdk.SenderOptions) {
			o.Groups, o.Spool = domain, path
			o.Report = func(r sdk.Report) {
				if r.Stage != sdk.Refused {
					return
				}
				a.look(func() { clear(a.bad) })
				r.Update.ActionName = "win"
				_, err := s.TryEnqueue(r.Update)
				raw, read := os.ReadFile(path)
				if err = errors.Join(err, read, os.WriteFile(path+".crashed", raw, 0o600)); err != nil {
					panic(err)
				}
			}
		})
		all := updates(2)
		all[0].UpdateID, all[1].ActionName = score.UpdateID{9}, "lose" // one is right when it comes again, the other is corrected
		a.bad = map[score.UpdateID]bool{{9}: true}
		ids := enqueue(t, s, all...)
		flush(t, s)
		closes(t, s, 0)

		a.stored = map[score.UpdateID]int{}
		s, told := a.sender(t, func(o *sdk.SenderOptions) { o.Groups, o.Spool = domain, path+".crashed" })
		flush(t, s)
		closes(t, s, 0)
		require.ElementsMatch(t, ids, told.of(sdk.Accepted))
		require.Empty(t, told.of(sdk.Refused))
		require.Equal(t, map[score.UpdateID]int{ids[0]: 1, ids[1]: 1}, a.stored)
	})
}
