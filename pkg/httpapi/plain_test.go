package httpapi

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

// plainSeeds are bodies of all kinds, the first ones as clients send them.
var plainSeeds = []string{
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

// TestNoMoreGroupsAreReadThanOneRequestMayHave, neither in one pass nor by reflection, where a name in escapes has them read. So what
// a body costs, and what is answered to it, has a bound.
func TestNoMoreGroupsAreReadThanOneRequestMayHave(t *testing.T) {
	t.Parallel()
	escaped := func(body string) []byte { return []byte(strings.Replace(body, "groups", `group\u0073`, 1)) }
	require.True(t, readPlain([]byte(groupsOf(maxGroups)), new(groupsBody)))
	require.False(t, readPlain(escaped(groupsOf(maxGroups)), new(groupsBody)))
	for _, form := range []func(string) []byte{escaped, func(body string) []byte { return []byte(body) }} {
		groups, p := decodeGroups(form(groupsOf(maxGroups)))
		require.Nil(t, p)
		require.Len(t, *groups, maxGroups)
		for _, n := range []int{maxGroups + 1, 256 << 10 / len("{},")} {
			var b groupsBody
			body := form(groupsOf(n))
			require.False(t, readPlain(body, &b))
			require.LessOrEqual(t, len(b.Groups), maxGroups)
			b = groupsBody{}
			require.Nil(t, new(fields).body(body, reflect.ValueOf(&b).Elem()))
			require.Len(t, b.Groups, maxGroups)
			_, p := decodeGroups(body)
			require.Equal(t, invalidBody(FieldError{"/groups", "must hold at most 64 groups", fieldInvalid.Name}), p)
		}
	}
}

// TestPlainBodiesAreReadInOnePass, so that none of them costs a second.
func TestPlainBodiesAreReadInOnePass(t *testing.T) {
	t.Parallel()
	var u updateBody
	require.True(t, readPlain([]byte(plainSeeds[0]), &u))
	require.Equal(t, "1", *u.Message)
	var g groupBody
	require.True(t, readPlain([]byte(plainSeeds[1]), &g))
	require.EqualValues(t, 3, *g.Kind)
	var several groupsBody
	require.True(t, readPlain([]byte(plainSeeds[2]), &several))
	require.Len(t, several.Groups, 2)
	require.EqualValues(t, 1, *several.Groups[1].Kind)
}

// TestABodyIsNotKept: the server uses its memory again.
func TestABodyIsNotKept(t *testing.T) {
	t.Parallel()
	var u updateBody
	body := []byte(plainSeeds[0])
	require.True(t, readPlain(body, &u))
	clear(body)
	require.Equal(t, "reputation", *u.ScoreType)
}

// FuzzPlain compares what is read in one pass with what reflection reads: what the first takes, the second takes, too, and it says
// the same. What the second refuses is never taken.
func FuzzPlain(f *testing.F) {
	for _, seed := range plainSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		compare[updateBody](t, body)
		compare[groupBody](t, body)
		compare[groupsBody](t, body)
	})
}

func compare[B any](t *testing.T, body []byte) {
	var one, other B
	took := readPlain(body, any(&one).(plainBody))
	var wrong fields
	p := wrong.body(body, reflect.ValueOf(&other).Elem())
	if took {
		require.Nil(t, p)
		require.Empty(t, wrong.errors)
		require.Equal(t, other, one)
		return
	}
	if p == nil && len(wrong.errors) == 0 { // escaped, not ASCII, null, negative, or an integer with a point or an exponent
		require.True(t, strings.ContainsFunc(string(body), func(r rune) bool { return strings.ContainsRune(`\-.eE`, r) || r > '~' }) || strings.Contains(string(body), "null"), "%s", body)
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

// BenchmarkReading is the body of an update, read in one pass and by reflection.
func BenchmarkReading(b *testing.B) {
	raw, err := json.Marshal(validUpdate())
	require.NoError(b, err)
	b.Run("pass=one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var u updateBody
			require.True(b, readPlain(raw, &u))
		}
	})
	b.Run("pass=reflection", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var u updateBody
			require.Nil(b, new(fields).body(raw, reflect.ValueOf(&u).Elem()))
		}
	})
}
