package httpapi

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

// bodySeeds are bodies of all kinds, the first ones as clients send them.
var bodySeeds = []string{
	`{"updateId":"0x11","projectId":"0x22","actionName":"buy","scoreType":"reputation","targetWallet":"0x33","signature":"0x44","message":"1"}`,
	` { "projectId" : "0x22", "kind" : 3, "updates":"0x", "signature":"~" } ` + "\n",
	`{"groups":[{"projectId":"0x22","kind":3,"updates":"0x","signature":"0x44"},{"kind":1}]}`,
	`{"signature":"é"}`, `{"kind":00}`, `{"kind":}`, `{"kind":1 2}`, `{,}`, `{"kind" :1 , "updates": "" }`, "{\"message\":\"\x7f\"}", "{}\x00", "{\x00}",
	`{"scheme":"eip712"}`, `{}`, `{"groups":[]}`, `{"groups":null}`, `{"groups":[null]}`, `{"groups":{}}`, `{"groups":[{}],"groups":[]}`, `{"groups":[{"kind":1,"kind":1}]}`,
	`{"groups":[{}` + "\xff" + `]}`, `{"groups":[{} {}]}`, `{"groups":[{},]}`, `{"groups":[[]]}`, `{"groups":[{"group":1}]}`, `{"groups":[{"kind":1}]`, `{"groups":1}`,
	groupsOf(maxGroups), groupsOf(maxGroups + 1),
	`{"kind":-0}`, `{"kind":-1}`, `{"kind":1.0}`, `{"kind":1e0}`, `{"kind":01}`, `{"kind":9223372036854775808}`, `{"kind":"1"}`, `{"kind":null}`,
	`{"message":null}`, `{"message":1}`, `{"message":"\u0031"}`, `{"message":"\\"}`, `{"messag\u0065":"1"}`, `{"Message":"1"}`, `{"message":["1"]}`,
	`{"message":"1","message":"1"}`, `{"message":"1","messag\u0065":"2"}`, `{"message":"1",}`, `{"message":"1"`, `{"message":"1"}}`, `{"message":"1"}{}`,
	"{\"message\":\"\xff\"}", "{\"message\":\"\x01\"}", "{\"message\":\"\xed\xa0\x80\"}", "\xef\xbb\xbf{}", `{"message":"` + "\u2028" + `"}`,
	`[]`, `null`, `"message"`, `1`, ``, ` `, `{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, `{"message" "1"}`, `{1:"1"}`, `{"message":tru}`,
}

// groupsOf is a body of so many groups, of which each says nothing.
func groupsOf(n int) string {
	return `{"groups":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + `]}`
}

// TestNoMoreGroupsAreReadThanOneRequestMayHave. So a body's cost, and the answer to it, has a bound.
func TestNoMoreGroupsAreReadThanOneRequestMayHave(t *testing.T) {
	t.Parallel()
	groups, p := decodeGroups([]byte(groupsOf(maxGroups)))
	require.Nil(t, p)
	require.Len(t, *groups, maxGroups)
	for _, n := range []int{maxGroups + 1, 256 << 10 / len("{},")} {
		var b groupsBody
		body := []byte(groupsOf(n))
		require.Nil(t, new(fields).body(body, reflect.ValueOf(&b).Elem()))
		require.Len(t, b.Groups, maxGroups)
		_, p := decodeGroups(body)
		require.Equal(t, invalidBody(FieldError{"/groups", "must hold at most 64", fieldInvalid.Name}), p)
	}
}

// TestMoreUnknownMembersCostNoMoreLists: of those beyond the errors that an answer holds, no one is told what there is instead.
func TestMoreUnknownMembersCostNoMoreLists(t *testing.T) { //nolint:paralleltest // it counts the process's allocations
	work := func(members int) float64 {
		body := []byte("{" + strings.Repeat(`"a":0,`, members) + `"a":0}`)
		return testing.AllocsPerRun(3, func() { _, _ = decodeUpdate(body) })
	}
	some, more := work(maxFieldErrors), work(maxFieldErrors+1000)
	require.Less(t, (more-some)/1000, 10.0)
	require.Greater(t, some/maxFieldErrors, 20.0, "a list costs more than that")
}

// TestABodyIsNotKept: the server uses its memory again.
func TestABodyIsNotKept(t *testing.T) {
	t.Parallel()
	body := []byte(bodySeeds[0])
	scoreType, p := decode(body, func(b *updateBody, _ *fields) *string { return b.ScoreType })
	require.Nil(t, p)
	clear(body)
	require.Equal(t, "reputation", *scoreType)
}

// FuzzBody compares the two readers of a body: what the library reads, the other reads alike.
func FuzzBody(f *testing.F) {
	for _, seed := range bodySeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		compare[updateBody](t, body)
		compare[groupBody](t, body)
		compare[createBody](t, body)
	})
}

func compare[B any](t *testing.T, body []byte) {
	var one, other B
	err := json.Unmarshal(body, &one, json.RejectUnknownMembers(true))
	var wrong fields
	p := wrong.body(body, reflect.ValueOf(&other).Elem())
	switch {
	case err == nil:
		require.Nil(t, p)
		require.Empty(t, wrong.errors)
		require.Equal(t, other, one)
	case p == nil && len(wrong.errors) == 0: // an integer with a point or an exponent
		require.True(t, strings.ContainsAny(string(body), ".eE"), "%s: %v", body, err)
	}
}

// TestTheAnswerIsWrittenAsReflectionWouldWriteIt.
func TestTheAnswerIsWrittenAsReflectionWouldWriteIt(t *testing.T) {
	t.Parallel()
	u := updateAccepted{score.UpdateID{1}, score.ProjectID{2}, statusDuplicate, statusURL(score.ProjectID{2}) + "/updates/" + score.UpdateID{1}.String(), &waits{"paused", "a \"wrong\" price"}, new(bool)}
	want, err := json.Marshal(u)
	require.NoError(t, err)
	require.Equal(t, string(want), string(u.appendJSON(nil)))
}

// BenchmarkReading is the body of an update, read by the library and member by member.
func BenchmarkReading(b *testing.B) {
	raw, err := json.Marshal(validUpdate())
	require.NoError(b, err)
	b.Run("by=library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var u updateBody
			require.NoError(b, json.Unmarshal(raw, &u, json.RejectUnknownMembers(true)))
		}
	})
	b.Run("by=member", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var u updateBody
			require.Nil(b, new(fields).body(raw, reflect.ValueOf(&u).Elem()))
		}
	})
}
