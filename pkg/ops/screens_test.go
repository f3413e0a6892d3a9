package ops_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestTheOverviewTellsWhatStatusTells, and what others wrote is only text.
func TestTheOverviewTellsWhatStatusTells(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.signIn()
	u := score.Update{Project: score.ProjectID{1}, ID: score.UpdateID{2}, Target: common.Address{1}, Signer: common.Address{2}}
	require.NoError(t, r.config.Stream.PublishEnvelope(t.Context(), "one", []score.Update{u}, nil))
	text := r.look("/ops").text
	for _, part := range []string{
		"2 of 2 lanes wait; lane 0: no relayer has its key, or none runs", "<b>1</b> waiting", "✕ waits", "✓ NATS", "✕ No relayer writes the ledger of final blocks</span>, no block", "✓ Redis", "None said anything in the last seconds",
		u.Project.String(), "begin with this API's process",
	} {
		require.Contains(t, text, part)
	}
	r.js.Conn().Close()
	require.Eventually(t, func() bool { // what was seen a second ago may still be told
		a := r.send(http.MethodGet, "/ops", nil)
		return a.status == http.StatusServiceUnavailable && strings.Contains(a.text, "NATS does not tell: ")
	}, 2*time.Minute, 50*time.Millisecond)
	require.Equal(t, http.StatusServiceUnavailable, r.send(http.MethodGet, "/ops/keys", nil).status)
}

var checkbox = regexp.MustCompile(`type="checkbox" name="id" value="(\w{12})"`)

func TestADeadLetterIsReplayedAfterAPreview(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.signIn()
	require.Contains(t, r.look("/ops/dead-letters").text, "No dead letter needs a person")
	for i := range byte(60) {
		u := &score.Update{Project: score.ProjectID{1}, ID: score.UpdateID{i}, Signer: common.Address{2}, Target: common.Address{3}, Action: 1}
		d := score.DeadLetter{Lane: 1, Seq: 3, Update: u, Outcome: score.NotMember, Reason: fmt.Sprintf("<b>reason %d", i), Tx: common.Hash{9}}
		if i == 59 {
			d.Outcome, d.Signed = score.BadSignature, true
		}
		require.NoError(t, r.config.Stream.AddDeadLetters(t.Context(), []score.DeadLetter{d}))
	}
	list := r.send(http.MethodGet, "/ops/dead-letters", nil).text
	require.Contains(t, list, "60 dead letters need a person")
	require.Contains(t, list, "not_member <b>59</b>")
	newest := checkbox.FindAllStringSubmatch(list, -1)
	require.Len(t, newest, 50)
	require.Len(t, checkbox.FindAllStringSubmatch(r.look("/ops/dead-letters?skip=50").text, -1), 10)
	require.Len(t, checkbox.FindAllStringSubmatch(r.look("/ops/dead-letters?outcome=bad_signature").text, -1), 1)

	signed, one := newest[0][1], newest[1][1]
	require.Contains(t, r.look("/ops/dead-letters/"+signed).text, "cannot be replayed: its signer signed it together with others")
	whole := r.look("/ops/dead-letters/" + one).text
	require.Contains(t, whole, "\n  \"outcome\": \"not_member\"", "in lines, and what others wrote in none of its own")
	require.Contains(t, whole, score.UpdateID{58}.String())
	require.Equal(t, http.StatusNotFound, r.send(http.MethodGet, "/ops/dead-letters/000000000000", nil).status)
	require.Equal(t, http.StatusBadRequest, r.send(http.MethodGet, "/ops/dead-letters/replay", nil).status)

	preview := r.look("/ops/dead-letters/replay?id=" + signed + "&id=" + one).text
	require.Contains(t, preview, "1 will be accepted again, 1 cannot")
	state, err := r.config.Stream.State(t.Context())
	require.NoError(t, err)
	require.Zero(t, state.Messages, "a look does nothing")
	require.Contains(t, r.post("/ops/dead-letters/replay", url.Values{"id": {one}}).text, "1 of 1 were accepted again")
	again := r.post("/ops/dead-letters/replay", url.Values{"id": {one, signed}}).text
	require.Contains(t, again, "0 of 2 were accepted again")
	require.Contains(t, again, "it was accepted again before")
	state, err = r.config.Stream.State(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, state.Messages)
	require.Contains(t, r.look("/ops/dead-letters").text, "59 dead letters need a person")
	require.Contains(t, r.look("/ops/dead-letters?replayed=1").text, "✓ replayed")
	require.Contains(t, r.log.String(), `what="replayed dead letters" operator=ada session=`)
	require.Contains(t, r.log.String(), "letters=["+one+"] replayed=1")

	all := r.look("/ops/dead-letters/replay?outcome=not_member").text
	require.Contains(t, all, "58 will be accepted again")
	require.Equal(t, 58, strings.Count(all, `type="hidden" name="id"`))
}

func TestAKeyIsMadeLimitedAndRevoked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.signIn()
	form := func(more url.Values) url.Values {
		all := url.Values{"name": {"acme"}, "rate": {"1,000"}, "look-ups": {"5"}, "gas": {"0"}, "right": {"read", "update"}, "expires": {"720h"}}
		for field, values := range more {
			all[field] = values
		}
		return all
	}
	for _, wrong := range []url.Values{{"name": {""}}, {"rate": {"-1"}}, {"rate": {"9000000"}}, {"right": nil}, {"projects": {"0x12"}}, {"expires": {"soon"}}, {"gas": {"x"}}} {
		require.Equal(t, http.StatusBadRequest, r.post("/ops/keys", form(wrong)).status, wrong)
	}
	made := r.post("/ops/keys", form(nil))
	require.Equal(t, http.StatusSeeOther, made.status, made.text)
	at := made.header.Get("Location")
	require.Regexp(t, `^scorelay-ops-made=[\w-]+; Path=/ops/keys; Max-Age=\d+; HttpOnly; SameSite=Strict$`, made.header.Get("Set-Cookie"))
	sealed := r.cookies["scorelay-ops-made"]
	mine := r.cookies["scorelay-ops"]
	r.signIn()
	require.NotContains(t, r.look(at).text, "scorelay_", "another session does not see it")
	r.cookies["scorelay-ops"] = sealed
	require.Equal(t, http.StatusSeeOther, r.send(http.MethodGet, "/ops", nil).status, "it is no session")
	r.cookies["scorelay-ops"] = mine
	require.NotContains(t, r.look("/ops/keys").text, "scorelay_")
	shown := r.look(at).text
	secret := regexp.MustCompile(`scorelay_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}`).FindString(shown)
	require.NotEmpty(t, secret)
	id := strings.Split(secret, "_")[1]
	require.Equal(t, "/ops/keys/"+id, at)
	require.NotContains(t, r.cookies, "scorelay-ops-made")
	require.NotContains(t, r.look(at).text, secret, "it is shown once, and made once")
	keys, err := r.config.Keys.List(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 1)
	require.Equal(t, []string{"update", "read"}, keys[0].Rights)
	require.Equal(t, 1000, keys[0].Rate)
	require.NotNil(t, keys[0].Expires)
	for _, path := range []string{"/ops/keys", "/ops/keys/" + id} {
		text := r.look(path).text
		require.NotContains(t, text, secret, "it is shown once")
		require.Contains(t, text, "acme")
	}
	a := r.post("/ops/keys/"+id, form(url.Values{"right": {"read"}, "rate": {"7"}, "projects": {score.ProjectID{7}.String()}, "expires": {""}, "whole": {"on"}}))
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	until := keys[0].Expires
	keys, err = r.config.Keys.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"read"}, keys[0].Rights)
	require.Equal(t, 7, keys[0].Rate)
	require.Equal(t, []score.ProjectID{{7}}, keys[0].Projects)
	require.True(t, keys[0].Whole)
	require.Equal(t, until, keys[0].Expires)
	require.Equal(t, http.StatusSeeOther, r.post("/ops/keys/"+id+"/revoke", url.Values{}).status)
	require.Contains(t, r.look("/ops/keys/"+id).text, "no API takes it")
	require.Equal(t, http.StatusNotFound, r.post("/ops/keys/"+id, form(nil)).status)
	require.Equal(t, http.StatusNotFound, r.post("/ops/keys/000000000000/revoke", url.Values{}).status)
	for _, what := range []string{"created an API key", "changed an API key", "revoked an API key"} {
		require.Contains(t, r.log.String(), fmt.Sprintf("what=%q operator=ada", what))
	}
	require.NotContains(t, r.log.String(), secret)
}

func TestThingsArePausedAndResume(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.signIn()
	require.Contains(t, r.look("/ops/pauses").text, "Nothing is paused")
	project := score.ProjectID{7}.String()
	for _, wrong := range []url.Values{
		{}, {"what": {"lane"}, "id": {"2"}}, {"what": {"lane"}, "id": {"1"}, "refuses": {"on"}}, {"what": {"project"}, "id": {"0x1"}}, {"what": {"all"}, "reason": {"two\nlines"}},
	} {
		require.Equal(t, http.StatusBadRequest, r.post("/ops/pauses", wrong).status, wrong)
	}
	for _, form := range []url.Values{
		{"what": {"lane"}, "id": {"1"}, "reason": {"its node moves"}}, {"what": {"project"}, "id": {project}, "reason": {"a wrong price"}, "refuses": {"on"}}, {"what": {"all"}},
	} {
		require.Equal(t, http.StatusSeeOther, r.post("/ops/pauses", form).status, form)
	}
	text := r.look("/ops/pauses").text
	require.Contains(t, text, "3 things are paused")
	require.Contains(t, text, "its node moves")
	is, err := r.config.Pauses.Get(t.Context())
	require.NoError(t, err)
	require.True(t, is.Projects[score.ProjectID{7}].Refuses)
	require.False(t, is.All.Refuses)
	require.Equal(t, http.StatusSeeOther, r.post("/ops/pauses/resume", url.Values{"what": {"lane"}, "id": {"1"}}).status)
	require.Contains(t, r.look("/ops/pauses").text, "2 things are paused")
	require.Equal(t, http.StatusSeeOther, r.post("/ops/pauses/resume", url.Values{"what": {"all"}}).status)
	require.Contains(t, r.look("/ops/pauses").text, "Nothing is paused")
	require.Contains(t, r.log.String(), `what=paused operator=ada`)
	require.Contains(t, r.log.String(), `what=resumed operator=ada`)
}

// TestKeysAreListedUpToABound: those that are valid, the newest; the heading counts all.
func TestKeysAreListedUpToABound(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.signIn()
	var made sync.WaitGroup
	for range 510 {
		made.Go(func() {
			_, _, err := r.config.Keys.Create(t.Context(), "many", apikey.Terms{})
			assert.NoError(t, err)
		})
	}
	made.Wait()
	is := r.send(http.MethodGet, "/ops/keys", nil)
	require.Equal(t, http.StatusOK, is.status)
	require.Equal(t, 500, strings.Count(is.text, `<a href="/ops/keys/`))
	require.Contains(t, is.text, "500 are shown")
	require.Regexp(t, `of 51\d keys were`, is.text)
}
