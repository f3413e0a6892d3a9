package httpapi

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	hash1   = "0x1111111111111111111111111111111111111111111111111111111111111111"
	hash2   = "0x2222222222222222222222222222222222222222222222222222222222222222"
	wallet1 = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	wallet2 = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
)

func validUpdate() map[string]any {
	return map[string]any{
		"updateId": hash1, "projectId": hash2, "actionName": "buy", "scoreType": "reputation",
		"targetWallet": wallet1, "signature": "0x" + strings.Repeat("ab", 65), "message": "1700000000000",
	}
}

func validProject() map[string]any {
	return map[string]any{
		"projectId": hash1, "name": "Acme", "inputActions": []any{map[string]any{"name": "buy", "points": 10, "direction": 0}},
		"owners": []any{wallet1}, "updaters": []any{wallet2},
	}
}

// complaint is what is wrong, as "pointer code" lines.
func complaint(p *Problem) []string {
	if p == nil {
		return nil
	}
	if p.Code != codeInvalidBody.Name {
		return []string{p.Code}
	}
	var lines []string
	for _, e := range p.Errors {
		lines = append(lines, e.Pointer+" "+e.Code)
	}
	return lines
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// change is of one field of a valid body.
type change struct {
	field string
	value any
	want  string // empty: it is valid still
}

func check[R any](t *testing.T, changes []change, valid func() map[string]any, decode func([]byte) (*R, *Problem)) {
	t.Helper()
	for _, c := range changes {
		body := valid()
		body[c.field] = c.value
		r, p := decode([]byte(text(t, body)))
		if c.want == "" {
			require.Nil(t, p, "%s = %v: %v", c.field, c.value, complaint(p))
			require.NotNil(t, r)
			continue
		}
		require.Equal(t, []string{c.want}, complaint(p), "%s = %v", c.field, c.value)
		for _, e := range p.Errors {
			require.NotEmpty(t, e.Detail)
		}
	}
}

func TestEveryFieldOfAnUpdate(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 65)
	changes := []change{
		{"updateId", strings.ToUpper(hash1[2:]), "/updateId invalid"},
		{"updateId", hash1[:65], "/updateId invalid"},
		{"updateId", hash1 + "1", "/updateId invalid"},
		{"updateId", "0x" + strings.Repeat("AB", 32), ""},
		{"updateId", "0x" + strings.Repeat("zz", 32), "/updateId invalid"},
		{"updateId", "0X" + hash1[2:], "/updateId invalid"},
		{"projectId", "", "/projectId invalid"},
		{"actionName", "", "/actionName invalid"},
		{"actionName", long, "/actionName invalid"},
		{"actionName", long[:64], ""},
		{"scoreType", long, "/scoreType invalid"},
		{"targetWallet", strings.ToLower(wallet1), ""},
		{"targetWallet", strings.Replace(wallet1, "aA", "Aa", 1), "/targetWallet bad_checksum"},
		{"targetWallet", wallet1[:41], "/targetWallet invalid"},
		{"targetWallet", wallet1[2:], "/targetWallet invalid"},
		{"targetWallet", "0x" + strings.Repeat("0", 40), "/targetWallet invalid"},
		{"targetWallet", "vitalik.eth", "/targetWallet invalid"},
		{"signature", "0x", "/signature invalid"},
		{"signature", "0xabc", "/signature invalid"},
		{"signature", strings.Repeat("ab", 65), "/signature invalid"},
		{"signature", "0x" + strings.Repeat("ab", 1024), ""}, // a contract wallet's, perhaps
		{"signature", "0x" + strings.Repeat("ab", 1025), "/signature invalid"},
		{"message", "", "/message invalid"},
		{"message", "now", "/message invalid"},
		{"message", "0x18bcfe56800", "/message invalid"},
		{"message", "01700000000000", "/message invalid"},
		{"message", "17000000000001", "/message invalid"},
		{"message", "1700000000000.0", "/message invalid"},
		{"message", 1700000000000, "/message wrong_type"},
		{"scheme", "eip191", ""},
		{"scheme", "eip712", ""},
		{"scheme", "", "/scheme invalid"},
		{"scheme", nil, ""},
		{"extra", 1, "/extra unknown"},
		{"updateid", hash1, "/updateid unknown"},
	}
	for _, field := range []string{"updateId", "projectId", "actionName", "scoreType", "targetWallet", "signature", "message"} {
		for _, wrong := range []any{1, true, []any{}, map[string]any{}} {
			changes = append(changes, change{field, wrong, "/" + field + " wrong_type"})
		}
		changes = append(changes, change{field, nil, "/" + field + " required"})
	}
	check(t, changes, validUpdate, decodeUpdate)
	for field := range validUpdate() {
		body := validUpdate()
		delete(body, field)
		_, p := decodeUpdate([]byte(text(t, body)))
		require.Equal(t, []string{"/" + field + " required"}, complaint(p))
	}
	_, p := decodeUpdate([]byte(`{}`))
	require.Len(t, p.Errors, 7, "all that is wrong at once")
}

func TestEveryFieldOfAProject(t *testing.T) {
	t.Parallel()
	action := func(name, points, direction any) any {
		return map[string]any{"name": name, "points": points, "direction": direction}
	}
	many := func(n int, f func(i int) any) (list []any) {
		for i := range n {
			list = append(list, f(i))
		}
		return list
	}
	address := func(i int) any {
		const digits = "0123456789abcdef"
		return "0x" + strings.Repeat("0", 37) + "1" + string(digits[i/16]) + string(digits[i%16])
	}
	name := func(i int) string { return string(rune('a'+i/26)) + string(rune('a'+i%26)) }
	for _, c := range []struct {
		field string
		value any
		want  []string // nil: valid
	}{
		{"projectId", hash1[:10], []string{"/projectId invalid"}},
		{"name", "", []string{"/name invalid"}},
		{"name", strings.Repeat("x", 129), []string{"/name invalid"}},
		{"name", strings.Repeat("x", 128), nil},
		{"name", "a\u0000b", []string{"/name invalid"}},
		{"name", "Ünïcode ✓", nil},
		{"name", 7, []string{"/name wrong_type"}},
		{"name", nil, []string{"/name required"}},
		{"inputActions", nil, []string{"/inputActions required"}},
		{"inputActions", []any{}, []string{"/inputActions invalid"}},
		{"inputActions", map[string]any{}, []string{"/inputActions wrong_type"}},
		{"inputActions", []any{nil}, []string{"/inputActions/0/name required", "/inputActions/0/points required", "/inputActions/0/direction required"}},
		{"inputActions", []any{"buy"}, []string{"/inputActions/0 wrong_type"}},
		{"inputActions", many(200, func(i int) any { return action(name(i), 1, 0) }), nil},
		{"inputActions", many(201, func(i int) any { return action(name(i), 1, 0) }), []string{"/inputActions invalid"}},
		{"inputActions", []any{action("buy", 1, 0), action("buy", 2, 0)}, []string{"/inputActions/1/name invalid"}},
		{"inputActions", []any{action("", 1, 0)}, []string{"/inputActions/0/name invalid"}},
		{"inputActions", []any{action(strings.Repeat("x", 65), 1, 0)}, []string{"/inputActions/0/name invalid"}},
		{"inputActions", []any{action("buy", 0, 0)}, []string{"/inputActions/0/points invalid"}},
		{"inputActions", []any{action("buy", -1, 0)}, []string{"/inputActions/0/points invalid"}},
		{"inputActions", []any{action("buy", int64(score.MaxPoints), 1)}, nil},
		{"inputActions", []any{action("buy", int64(score.MaxPoints)+1, 0)}, []string{"/inputActions/0/points invalid"}},
		{"inputActions", []any{action("buy", 1.5, 0)}, []string{"/inputActions/0/points wrong_type"}},
		{"inputActions", []any{action("buy", "1", 0)}, []string{"/inputActions/0/points wrong_type"}},
		{"inputActions", []any{action("buy", json.Number("1e1"), json.Number("0.0"))}, nil},
		{"inputActions", []any{action("buy", json.Number("10.0"), 0)}, nil},
		{"inputActions", []any{action("buy", json.Number("1e400"), 0)}, []string{"/inputActions/0/points wrong_type"}},
		{"inputActions", []any{action("buy", json.Number("9223372036854775808"), 0)}, []string{"/inputActions/0/points wrong_type"}},
		{"inputActions", []any{action("buy", 1, 2)}, []string{"/inputActions/0/direction invalid"}},
		{"inputActions", []any{action("buy", 1, -1)}, []string{"/inputActions/0/direction invalid"}},
		{"inputActions", []any{action("buy", 1, nil)}, []string{"/inputActions/0/direction required"}},
		{"inputActions", []any{map[string]any{"name": "a", "points": 1, "direction": 0, "x": 0}}, []string{"/inputActions/0/x unknown"}},
		{"owners", []any{}, []string{"/owners invalid"}},
		{"owners", nil, []string{"/owners required"}},
		{"owners", "0x", []string{"/owners wrong_type"}},
		{"owners", []any{wallet1, strings.ToLower(wallet1)}, []string{"/owners/1 invalid"}},
		{"owners", []any{"0x0"}, []string{"/owners/0 invalid"}},
		{"owners", []any{nil}, []string{"/owners/0 invalid"}},
		{"owners", []any{wallet1, strings.Replace(wallet1, "aA", "Aa", 1)}, []string{"/owners/1 bad_checksum"}},
		{"owners", []any{"0x" + strings.Repeat("0", 40)}, []string{"/owners/0 invalid"}},
		{"owners", many(99, address), nil},
		{"owners", many(100, address), []string{"/owners invalid"}},
		{"updaters", nil, []string{"/updaters required"}},
		{"updaters", []any{}, nil},
		{"updaters", []any{wallet1}, nil}, // an owner may be updater too
		{"updaters", []any{1}, []string{"/updaters/0 wrong_type"}},
		{"scoreTypes", nil, nil},
		{"scoreTypes", []any{}, []string{"/scoreTypes invalid"}},
		{"scoreTypes", []any{"a", "a"}, []string{"/scoreTypes/1 invalid"}},
		{"scoreTypes", []any{""}, []string{"/scoreTypes/0 invalid"}},
		{"scoreTypes", []any{strings.Repeat("x", 65)}, []string{"/scoreTypes/0 invalid"}},
		{"scoreTypes", many(64, func(i int) any { return name(i) }), nil},
		{"scoreTypes", many(65, func(i int) any { return name(i) }), []string{"/scoreTypes invalid"}},
		{"scoreType", "x", []string{"/scoreType unknown"}},
		{"signedOnly", nil, nil},
		{"signedOnly", true, nil},
		{"signedOnly", false, nil},
		{"signedOnly", "true", []string{"/signedOnly wrong_type"}},
		{"signedOnly", 1, []string{"/signedOnly wrong_type"}},
	} {
		body := validProject()
		body[c.field] = c.value
		project, p := decodeProject([]byte(text(t, body)), []string{"reputation"})
		require.Equal(t, c.want, complaint(p), "%s = %v", c.field, c.value)
		if p == nil {
			require.Empty(t, project.Problems())
		}
	}
	project, p := decodeProject([]byte(text(t, validProject())), []string{"reputation"})
	require.Nil(t, p)
	require.Equal(t, []string{"reputation"}, project.ScoreTypes)
	require.Len(t, mustFail(t, map[string]any{"inputActions": many(100, func(int) any { return nil })}).Errors, maxFieldErrors)
}

func mustFail(t *testing.T, body any) *Problem {
	t.Helper()
	_, p := decodeProject([]byte(text(t, body)), nil)
	require.NotNil(t, p)
	return p
}

func TestJSONIsReadStrictly(t *testing.T) {
	t.Parallel()
	valid := text(t, validUpdate())
	for body, want := range map[string]string{
		valid:                       "",
		" \n" + valid + "\r\n\t ":   "",
		"":                          "malformed_json",
		" ":                         "malformed_json",
		"null":                      "required",
		"[]":                        "malformed_json",
		`"x"`:                       "malformed_json",
		"1":                         "malformed_json",
		valid + "x":                 "malformed_json",
		valid + valid:               "malformed_json",
		valid[:len(valid)-1]:        "malformed_json",
		valid[:len(valid)-1] + ",}": "malformed_json",
		"{'updateId':1}":            "malformed_json",
		"\ufeff" + valid:            "malformed_json",
		`{"updateId":"\ud800"}`:     "malformed_json",
		"{\"updateId\":\"\xff\"}":   "malformed_json",
		strings.Replace(valid, "{", `{"updateId":"`+hash2+`",`, 1): "/updateId duplicate",
		strings.Replace(valid, "{", `{"__proto__":{},`, 1):         "/__proto__ unknown",
		strings.Replace(valid, "updateId", "UpdateId", 1):          "/UpdateId unknown, /updateId required",
		strings.Replace(valid, "updateId", `updateI\u0064`, 1):     "",
		`{"a":` + strings.Repeat("[", 50_000):                      "malformed_json",
	} {
		_, p := decodeUpdate([]byte(body))
		switch want {
		case "":
			require.Nil(t, p, body)
		case "required":
			require.Len(t, p.Errors, 7, body)
		default:
			require.Equal(t, strings.Split(want, ", "), complaint(p), body)
		}
	}
}

// TestAllThatIsWrongIsToldAtOnce: fields that are unknown, repeated, of the wrong type, missing, and against a rule, at any depth; each once.
func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	t.Parallel()
	_, p := decodeProject([]byte(`{"projectid":"`+hash1+`","projectId":7,"owners":["`+wallet1+`","0x1",2],"owners":[],
		"inputActions":[{"name":"buy","points":0,"direction":0,"note":"x"},{"name":"buy","points":1.5,"direction":3},4],"scoretype":[],"updaters":{}}`), []string{"reputation"})
	require.ElementsMatch(t, []string{
		"/projectid unknown", "/projectId wrong_type", "/owners duplicate", "/owners/1 invalid", "/owners/2 wrong_type", "/name required",
		"/inputActions/0/note unknown", "/inputActions/0/points invalid", "/inputActions/1/points wrong_type", "/inputActions/1/direction invalid",
		"/inputActions/1/name invalid", "/inputActions/2 wrong_type", "/scoretype unknown", "/updaters wrong_type",
	}, complaint(p))
	details := map[string]string{}
	for _, e := range p.Errors {
		details[e.Pointer] = e.Detail
	}
	require.Contains(t, details["/projectid"], `is not a field of this request; there are "projectId", `)
	require.Contains(t, details["/scoretype"], `there are "scoreTypes", `)
	require.Equal(t, "must be a string, is 7", details["/projectId"])
	require.Equal(t, "must be an integer, is 1.5", details["/inputActions/1/points"])
	require.Equal(t, "must be an array, is an object", details["/updaters"])

	_, p = decodeGroup([]byte(`{"kind":"3","update":"0x","signature":"0x"}`))
	require.Equal(t, []string{"/kind wrong_type", "/update unknown", "/projectId required", "/updates required", "/signature invalid"}, complaint(p))

	for body, want := range map[string]string{
		"": "the body is empty", " \n": "the body is empty", "[1]": "the body must be a JSON object, is an array",
		`"x"`: "the body must be a JSON object, is a string", "{": "the body ends before its object does", "{}{}": "up to byte 3 there is more than one object",
		`{"updateId":`: "the body ends before its object does",
	} {
		_, p := decodeUpdate([]byte(body))
		require.Equal(t, []string{"malformed_json"}, complaint(p), body)
		require.Equal(t, want, p.Detail)
	}
}

func FuzzDecodeUpdate(f *testing.F) {
	seed, _ := json.Marshal(validUpdate())
	f.Add(seed)
	f.Add([]byte(`{"updateId":"0x","updateId":null}`))
	f.Add([]byte(`{"message":1e9,"signature":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, p := decodeUpdate(body)
		checkDecoded(t, r == nil, p)
		if r != nil && (r.ActionName == "" || r.at.UnixMilli() < 0 || len(r.signature) > maxSignatureBytes || uint64(r.at.UnixMilli()) != r.Message) {
			t.Fatalf("accepted %q as %+v", body, r)
		}
	})
}

func FuzzDecodeProject(f *testing.F) {
	seed, _ := json.Marshal(validProject())
	f.Add(seed)
	f.Add([]byte(`{"inputActions":[null,{"points":-1}],"owners":[""]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		project, p := decodeProject(body, []string{"reputation"})
		checkDecoded(t, project == nil, p)
		if project != nil {
			if problems := project.Problems(); len(problems) > 0 {
				t.Fatalf("accepted %q although %v", body, problems)
			}
		}
	})
}

// checkDecoded: either a value or a problem, and a problem is a valid document.
func checkDecoded(t *testing.T, none bool, p *Problem) {
	t.Helper()
	if none != (p != nil) {
		t.Fatal("neither a value nor a problem, or both")
	}
	if p == nil {
		return
	}
	if p.Status != 400 || p.Code == codeInvalidBody.Name && len(p.Errors) == 0 || len(p.Errors) > maxFieldErrors {
		t.Fatalf("a bad problem: %+v", p)
	}
	for _, e := range p.Errors {
		if !strings.HasPrefix(e.Pointer, "/") || !utf8.ValidString(e.Pointer) || e.Detail == "" || e.Code == "" {
			t.Fatalf("a bad field error: %+v", e)
		}
	}
}
