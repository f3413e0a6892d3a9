package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// answering is a client of an API that gives one answer, and what the last request of it was. docs/ids.md and the tests
// of docs/examples run the client against a whole stack.
func answering(t *testing.T, status int, header map[string]string, answer string) (client *sdk.Client, asked *string, body *map[string]any) {
	asked, body = new(string), &map[string]any{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = r.Method + " " + r.URL.RequestURI()
		if raw, _ := io.ReadAll(r.Body); len(raw) > 0 {
			*body = nil
			if json.Unmarshal(raw, body) != nil || r.Header.Get("Content-Type") != "application/json" {
				panic("the client did not send JSON")
			}
		}
		if r.Header.Get("X-API-KEY") != "key" {
			panic("the client did not send its API key")
		}
		if status >= 400 {
			w.Header().Set("Content-Type", "application/problem+json")
		}
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return sdk.NewClient(server.URL+"/", "key", server.Client()), asked, body
}

// onVirtualTime runs a test beside others, on time that passes when all of it waits.
func onVirtualTime(t *testing.T, test func(t *testing.T)) {
	t.Parallel()
	synctest.Test(t, test)
}

// TestACreationMayBeSentAgain: a projectId that is taken by this very creation is no error.
func TestACreationMayBeSentAgain(t *testing.T) {
	t.Parallel()
	for answer, refused := range map[string]bool{
		`{"code":"project_exists","same":true}`: false, `{"code":"project_exists","same":false}`: true, `{"code":"project_exists"}`: true,
	} {
		client, _, _ := answering(t, 409, nil, answer)
		require.Equal(t, refused, client.CreateProject(t.Context(), &score.Project{ID: project}) != nil, answer)
	}
}

func TestCreateProject(t *testing.T) {
	t.Parallel()
	client, asked, body := answering(t, 200, nil, `{"status":"accepted"}`)
	p := &score.Project{
		ID: project, Name: "Acme", Actions: []score.Action{{Name: "win", Points: 5, Direction: score.Subtract}}, Owners: []common.Address{{1}},
	}
	require.NoError(t, client.CreateProject(t.Context(), p))
	require.Equal(t, "POST /create-project", *asked)
	want := map[string]any{
		"projectId": project.String(), "name": "Acme", "updaters": []any{}, "owners": []any{"0x0100000000000000000000000000000000000000"},
		"inputActions": []any{map[string]any{"name": "win", "points": 5.0, "direction": 1.0}},
	}
	require.Equal(t, want, *body)
	p.SignedOnly, p.ScoreTypes, p.Updaters = true, []string{"skill"}, p.Owners
	require.NoError(t, client.CreateProject(t.Context(), p))
	want["signedOnly"], want["scoreTypes"], want["updaters"] = true, []any{"skill"}, want["owners"]
	require.Equal(t, want, *body)
}

func TestUpdateScoreSignsTheTimeOrAll(t *testing.T) {
	t.Parallel()
	client, asked, body := answering(t, 200, nil, `{"status":"duplicate"}`)
	key := newKey(t)
	u := sdk.NamedUpdate{UpdateID: score.UpdateID{1}, ProjectID: project, ActionName: "win", ScoreType: "skill", TargetWallet: common.Address{2}}
	duplicate, err := client.UpdateScore(t.Context(), u, sdk.KeySigner(key))
	require.NoError(t, err)
	require.True(t, duplicate)
	require.Equal(t, "POST /update-score", *asked)
	message := (*body)["message"].(string)
	at, err := wallet.ParseTime(message)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), at, time.Minute)
	requireSignedBy(t, key, hexutil.MustDecode((*body)["signature"].(string)), wallet.PersonalDigest(message))
	delete(*body, "message")
	delete(*body, "signature")
	require.Equal(t, map[string]any{
		"updateId": u.UpdateID.String(), "projectId": project.String(), "actionName": "win", "scoreType": "skill",
		"targetWallet": "0x0200000000000000000000000000000000000000",
	}, *body)

	// The same, signed as a whole.
	_, err = client.UpdateScore(t.Context(), u, sdk.KeySigner(key), sdk.EIP712(domain))
	require.NoError(t, err)
	require.Equal(t, "eip712", (*body)["scheme"])
	at, err = wallet.ParseTime((*body)["message"].(string))
	require.NoError(t, err)
	requireSignedBy(t, key, hexutil.MustDecode((*body)["signature"].(string)), domain.Digest(wallet.Payload{
		Update: u.UpdateID, Project: project, ActionName: "win", ScoreType: "skill", Target: u.TargetWallet, Message: uint64(at.UnixMilli()),
	}))
	_, err = client.UpdateScore(t.Context(), u, sdk.KeySigner(key), sdk.EIP712(wallet.Domain{}))
	require.ErrorIs(t, err, sdk.ErrDomain)

	broken := errors.New("no key")
	_, err = client.UpdateScore(t.Context(), u, func(context.Context, common.Hash) ([]byte, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
}

func TestUpdateScores(t *testing.T) {
	t.Parallel()
	id := score.UpdateID{7}
	client, asked, body := answering(t, 200, nil, `{"status":"accepted","accepted":1,"duplicates":["`+id.String()+`"]}`)
	accepted, duplicates, err := client.UpdateScores(t.Context(), &sdk.SignedGroup{ProjectID: project, Kind: score.KindFree, Updates: []byte{1}, Signature: []byte{2}})
	require.NoError(t, err)
	require.Equal(t, 1, accepted)
	require.Equal(t, []score.UpdateID{id}, duplicates)
	require.Equal(t, "POST /update-scores", *asked)
	require.Equal(t, map[string]any{"projectId": project.String(), "kind": 3.0, "updates": "0x01", "signature": "0x02"}, *body)
}

func TestUpdateGroups(t *testing.T) {
	t.Parallel()
	id := score.UpdateID{7}
	groups := []*sdk.SignedGroup{
		{ProjectID: project, Kind: score.KindFree, Updates: []byte{1}, Signature: []byte{2}}, {Kind: score.KindWord}, {Kind: score.KindRuns},
	}
	client, asked, body := answering(t, 200, nil, `{"groups":[{"status":"accepted","accepted":1,"duplicates":["`+id.String()+`"]},
		{"status":"refused","accepted":0,"duplicates":[],"problem":{"status":400,"code":"invalid_body","errors":[{"pointer":"/groups/1/kind","detail":"is","code":"invalid"}]}},
		{"status":"refused","accepted":0,"duplicates":[],"problem":{"status":503,"code":"stream_full"},"retryAfter":5}]}`)
	results, err := client.UpdateGroups(t.Context(), groups)
	require.NoError(t, err)
	require.Equal(t, sdk.GroupResult{Stored: 1, Duplicates: []score.UpdateID{id}}, results[0])
	require.Equal(t, "POST /update-groups", *asked)
	sent := (*body)["groups"].([]any)
	require.Len(t, sent, 3)
	require.Equal(t, map[string]any{"projectId": project.String(), "kind": 3.0, "updates": "0x01", "signature": "0x02"}, sent[0])
	var refused *sdk.Error
	require.ErrorAs(t, results[1].Err, &refused)
	require.Equal(t, "/groups/1/kind", refused.Fields[0].Pointer)
	require.Zero(t, refused.RetryAfter)
	require.ErrorAs(t, results[2].Err, &refused)
	require.Equal(t, 5*time.Second, refused.RetryAfter)

	_, err = client.UpdateGroups(t.Context(), groups[:2])
	require.ErrorIs(t, err, sdk.ErrAnswer, "about another number of groups")
}

func TestReserveIDs(t *testing.T) {
	t.Parallel()
	first := score.UpdateID{1, 31: 250}
	client, asked, body := answering(t, 200, nil, `{"projectId":"`+project.String()+`","first":"`+first.String()+`","count":10}`)
	ids, err := client.ReserveIDs(t.Context(), project, 10)
	require.NoError(t, err)
	require.Equal(t, sdk.IDRange{First: first, Count: 10}, ids)
	require.Equal(t, score.UpdateID{1, 30: 1, 31: 3}, ids.At(9), "the counter carries")
	require.Equal(t, "POST /reserve-ids", *asked)
	require.Equal(t, map[string]any{"projectId": project.String(), "count": 10.0}, *body)
}

func TestLookups(t *testing.T) {
	t.Parallel()
	client, asked, _ := answering(t, 200, nil, `{"projectId":"`+project.String()+`","status":"final","outcome":"applied",
		"transactionHash":"0x0100000000000000000000000000000000000000000000000000000000000000","blockNumber":7,"name":"Acme",
		"inputActions":[{"name":"win","points":5,"direction":0},{"name":"win","points":6,"direction":0}],"scoreTypes":["reputation"],
		"owners":["0x0100000000000000000000000000000000000000"],"updaters":[],"signedOnly":true}`)
	p, err := client.Project(t.Context(), project)
	require.NoError(t, err)
	require.Equal(t, "GET /projects/"+project.String(), *asked)
	require.Equal(t, sdk.Status{Stage: "final", Outcome: "applied", Tx: &common.Hash{1}, Block: 7}, p.Status)
	require.True(t, p.SignedOnly)
	action, ok := p.ActionIndex("win")
	require.True(t, ok)
	require.EqualValues(t, 1, action, "the newest of the name")
	_, ok = p.ScoreTypeIndex("skill")
	require.False(t, ok)

	client, asked, _ = answering(t, 200, nil, `{"status":"accepted","outcome":null,"transactionHash":null,"blockNumber":null}`)
	status, err := client.Update(t.Context(), project, score.UpdateID{1})
	require.NoError(t, err)
	require.Equal(t, "GET /projects/"+project.String()+"/updates/"+score.UpdateID{1}.String(), *asked)
	require.Equal(t, &sdk.Status{Stage: "accepted"}, status)
	require.False(t, status.Final())

	client, asked, _ = answering(t, 200, nil, `{"blockNumber":7,"scores":[{"scoreType":"skill","score":"-9223372036854775808"},
		{"scoreType":"fame","score":"3"}]}`)
	scores, err := client.Scores(t.Context(), project, common.Address{1})
	require.NoError(t, err)
	require.Equal(t, "GET /projects/"+project.String()+"/scores/"+common.Address{1}.Hex(), *asked)
	require.EqualValues(t, 7, scores.Block)
	require.EqualValues(t, math.MinInt64, scores.Of("skill"))
	require.EqualValues(t, 3, scores.Of("fame"))
	require.Zero(t, scores.Of("reputation"))
}

// TestNothingIsSignedForAnotherDomain: the API's word is taken only where nothing else is known.
func TestNothingIsSignedForAnotherDomain(t *testing.T) {
	t.Parallel()
	contract := common.HexToAddress("0x5fbdb2315678afecb367f032d93f642f64180aa3")
	expected := wallet.NewDomain(1337, contract)
	const own = `"name":"Scorelay","version":"1","chainId":1337,"verifyingContract":"0x5fbdb2315678afecb367f032d93f642f64180aa3"`
	ask := func(answer string, expect ...wallet.Domain) (wallet.Domain, error) {
		client, _, _ := answering(t, 200, nil, answer)
		for _, domain := range expect {
			client = client.Expecting(domain)
		}
		var p *sdk.ProjectState
		err := sdk.Retry(t.Context(), func() (err error) { p, err = client.Project(t.Context(), project); return err })
		if err != nil {
			return wallet.Domain{}, err
		}
		return p.Domain, nil
	}
	for _, expect := range [][]wallet.Domain{nil, {expected}} {
		got, err := ask(`{"status":"final","signing":{`+own+`}}`, expect...)
		require.NoError(t, err)
		require.Equal(t, expected, got)
	}
	for _, other := range []wallet.Domain{wallet.NewDomain(1, contract), wallet.NewDomain(1337, common.Address{1}), {}} {
		_, err := ask(`{"signing":{`+own+`}}`, other)
		require.ErrorIs(t, err, sdk.ErrDomain)
		require.ErrorContains(t, err, other.String())
	}
	for _, unknown := range []string{`{"signing":{}}`, `{"signing":{"name":"Permit2",` + own[len(`"name":"Scorelay",`):] + `}}`} {
		_, err := ask(unknown)
		require.ErrorIs(t, err, sdk.ErrDomain, "it does not come right by asking again")
		require.ErrorIs(t, err, wallet.ErrDomain)
	}
	for _, silent := range []string{`{"status":"final"}`, `{"signing":null}`} {
		_, err := ask(silent, expected)
		require.ErrorIs(t, err, sdk.ErrDomain)
		none, err := ask(silent)
		require.NoError(t, err, "looking up is no signing")
		groups, err := sdk.BuildGroups(project, []sdk.Update{{UpdateID: score.UpdateID{1}, TargetWallet: common.Address{1}}})
		require.NoError(t, err)
		_, err = groups[0].Sign(t.Context(), none, sdk.KeySigner(newKey(t)))
		require.ErrorIs(t, err, sdk.ErrDomain)
	}
}

// TestErrorsSayWhatToDo: what may pass is sent again when the answer says, what cannot is not.
func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		header string
		body   string
		want   sdk.Error
		text   string
	}{
		{
			503, "7", `{"code":"stream_full","detail":"later","requestId":"r-1"}`,
			sdk.Error{Status: 503, Code: "stream_full", Detail: "later", RetryAfter: 7 * time.Second, RequestID: "r-1"},
			"the API answered 503 stream_full: later (request r-1)",
		},
		{429, "", `{"code":"rate_limited"}`, sdk.Error{Status: 429, Code: "rate_limited", RetryAfter: time.Second}, "the API answered 429 rate_limited"},
		{408, "0", `{"code":"request_timeout"}`, sdk.Error{Status: 408, Code: "request_timeout", RetryAfter: time.Second}, "the API answered 408 request_timeout"},
		{502, "soon", "<html>", sdk.Error{Status: 502, RetryAfter: time.Second}, "the API answered 502 "},
		{403, "7", `{"code":"signer_not_member"}`, sdk.Error{Status: 403, Code: "signer_not_member"}, "the API answered 403 signer_not_member"},
		{
			400, "", `{"code":"invalid_body","errors":[{"pointer":"/kind","detail":"is required","code":"required"}]}`,
			sdk.Error{Status: 400, Code: "invalid_body", Fields: []sdk.FieldError{{Pointer: "/kind", Detail: "is required", Code: "required"}}},
			"the API answered 400 invalid_body; /kind is required",
		},
	} {
		client, _, _ := answering(t, c.status, map[string]string{"Retry-After": c.header}, c.body)
		_, err := client.Update(t.Context(), project, score.UpdateID{})
		var got *sdk.Error
		require.ErrorAs(t, err, &got, strconv.Itoa(c.status))
		require.Equal(t, c.want, *got)
		require.EqualError(t, err, c.text)
	}
	for _, media := range []string{"application/json", "", "text/html; charset=utf-8"} {
		client, _, _ := answering(t, 403, map[string]string{"Content-Type": media}, `{"code":"access_denied"}`)
		_, err := client.Update(t.Context(), project, score.UpdateID{})
		require.EqualError(t, err, "the API answered 403 ", "a proxy's code")
	}
}

func TestAWrongURLIsNotRetried(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "api", "ftp://api"} {
		err := sdk.Retry(t.Context(), func() error {
			_, err := sdk.NewClient(url, "key", nil).Project(t.Context(), sdk.ProjectID{1})
			return err
		})
		require.ErrorContains(t, err, "the API's URL must be like https://scorelay.example.com")
	}
}

func TestNoAnswerIsSentAgain(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := sdk.NewClient(server.URL, "key", nil).Project(t.Context(), project)
	var none *sdk.Error
	require.ErrorAs(t, err, &none)
	require.Zero(t, none.Status)
	require.Positive(t, none.RetryAfter)
	require.ErrorContains(t, none, "no answer")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	client, _, _ := answering(t, 200, nil, `{}`)
	_, err = client.Update(ctx, project, score.UpdateID{})
	require.ErrorIs(t, err, context.Canceled)

	for name, answer := range map[string]string{"no JSON": "<html>", "cut short": `{"status":`} {
		client, _, _ = answering(t, 200, nil, answer)
		_, err = client.Project(t.Context(), project)
		require.ErrorAs(t, err, &none, name)
		require.Positive(t, none.RetryAfter, "%s: what became of the request is unknown", name)
	}
}

func TestRetry(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		began, calls := time.Now(), 0
		require.NoError(t, sdk.Retry(t.Context(), func() error {
			calls++
			if calls < 3 {
				return &sdk.Error{Status: 503, RetryAfter: 2 * time.Second}
			}
			return nil
		}))
		require.Equal(t, 3, calls)
		require.Equal(t, 4*time.Second, time.Since(began))

		refused := &sdk.Error{Status: 400}
		require.ErrorIs(t, sdk.Retry(t.Context(), func() error { return refused }), refused)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		busy := &sdk.Error{Status: 503, RetryAfter: time.Minute}
		require.ErrorIs(t, sdk.Retry(ctx, func() error { return busy }), busy)
		require.Equal(t, 5*time.Second, time.Since(began), "it does not wait longer than ctx lasts")
	})
}

// TestTheKeyIsNotSentElsewhere: a proxy before the API may lead to its own login page.
func TestTheKeyIsNotSentElsewhere(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Error("it was sent", r.Header) }))
	t.Cleanup(elsewhere.Close)
	api := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(api.Close)
	for _, given := range []*http.Client{nil, {}} {
		client := sdk.NewClient(api.URL, "key", given)
		_, err := client.Project(t.Context(), project)
		refused := (*sdk.Error)(nil)
		require.ErrorAs(t, err, &refused)
		require.Equal(t, http.StatusTemporaryRedirect, refused.Status)
		ctx, cancel := context.WithCancel(t.Context())
		for _, err := range client.Events(ctx, project, sdk.EventOptions{Trouble: func(error) { cancel() }}) {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
}
