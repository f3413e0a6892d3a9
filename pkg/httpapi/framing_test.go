package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// malformed are requests that a program in front of the API could see other ends of than the API, by flaw, each with
// the code of its problem. A KEY in them is a valid API key.
var malformed = map[string]struct{ flaw, code string }{
	"POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": {"length_and_encoding", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n": {"length_and_encoding", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": {"length_and_encoding", "malformed_request"},
	"GET /livez HTTP/1.1\nHost: x\n\n":                     {"line", "malformed_request"},
	"GET /livez HTTP/1.1\r\nHost: x\n\r\n":                 {"line", "malformed_request"},
	"GET /livez HTTP/1.1\r\nHost: x\r\n\n":                 {"line", "malformed_request"},
	"GET /livez HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n": {"line", "malformed_request"},
	"\n": {"line", "malformed_request"},
	"\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n":                                                                          {"request_line", "malformed_request"},
	"\r\n\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n":                                                                            {"line", "malformed_request"},
	"\r\n GET /livez HTTP/1.1\r\nHost: x\r\n\r\n":                                                                             {"request_line", "malformed_request"},
	"GET /livez HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n":                                                                    {"folded", "malformed_request"},
	"GET /livez HTTP/1.1\r\nHost: x\r\nA: b\r\n\tContent-Length: 5\r\n\r\n":                                                   {"folded", "malformed_request"},
	"GET /livez HTTP/1.1\r\n Host: x\r\n\r\n":                                                                                 {"folded", "malformed_request"},
	"GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nabcde":                                                       {"name", "malformed_request"},
	"GET /livez HTTP/1.1\r\nHost: x\r\nX-API KEY: 5\r\n\r\n":                                                                  {"name", "malformed_request"},
	"GET /livez HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n":                                                                      {"name", "malformed_request"},
	"GET /livez HTTP/1.1\r\nHost: x\r\n: 5\r\n\r\n":                                                                           {"name", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}":                              {"length", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}":                              {"length", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 2, 2\r\n\r\n{}":                                                {"length", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\n{}":                                                  {"length", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 0x2\r\n\r\n{}":                                                 {"length", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\n{}":                                                    {"length", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551618\r\n\r\n{}":                                {"length", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n":                                           {"encoding", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n":                             {"encoding", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n":                                  {"encoding", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n":                               {"encoding", "malformed_request"},
	"POST /update-score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n":     {"encoding", "malformed_request"},
	"POST /update-score HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n":         {"encoding", "malformed_request"},
	"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nTrailer: X-API-KEY\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n":          {"trailer", "malformed_request"},
	"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-API-KEY: KEY\r\n\r\n":   {"trailer", "malformed_request"},
	"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nX-API-KEY: KEY\r\n\r\n0\r\nA: b\r\n\r\n":      {"trailer", "malformed_request"},
	"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n":                   {"chunk", "malformed_request"},
	"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2 ;a=b\r\n{}\r\n0\r\n\r\n":                {"chunk", "malformed_request"},
	"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n":                    {"chunk", "malformed_request"},
	"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1000000000002\r\n{}":                      {"chunk", "malformed_request"},
	"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n":                       {"line", "malformed_request"},
	"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;" + strings.Repeat("a", 300) + "\r\n{}": {"chunk", "malformed_request"},
	"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;" + strings.Repeat("a", 300):            {"chunk", "malformed_request"},
	"GET /livez HTTP/1.1 \r\nHost: x\r\n\r\n":                                                                                 {"request_line", "malformed_request"},
	"GET  /livez HTTP/1.1\r\nHost: x\r\n\r\n":                                                                                 {"request_line", "malformed_request"},
	"GET /livez\r\n\r\n":                        {"request_line", "malformed_request"},
	"GET /livez http/1.1\r\nHost: x\r\n\r\n":    {"request_line", "malformed_request"},
	"G\x00T /livez HTTP/1.1\r\nHost: x\r\n\r\n": {"request_line", "malformed_request"},
	"PUSH /livez HTTP/1.1\r\nHost: x\r\n\r\n":   {"method", "unknown_method"},
	"get /livez HTTP/1.1\r\nHost: x\r\n\r\n":    {"method", "unknown_method"},
	"GET /livez HTTP/1.2\r\nHost: x\r\n\r\n":    {"version", "unsupported_http_version"},
	"GET /livez HTTP/2.0\r\nHost: x\r\n\r\n":    {"version", "unsupported_http_version"},
	"GET /livez HTTP/0.9\r\n\r\n":               {"version", "unsupported_http_version"},
}

// TestWhatIsNotFramedWellIsRefused: with a problem document, at the beginning of a connection and behind a request that is
// answered first; and nothing behind it is served, whichever caller's key it has.
func TestWhatIsNotFramedWellIsRefused(t *testing.T) {
	b := newBench(t, nil)
	seen := map[string]int{}
	for text, want := range malformed {
		text = strings.ReplaceAll(text, "KEY: KEY", "KEY: "+b.secret.Reveal())
		for _, before := range []string{"", livez, b.keyed()} {
			l := b.begin(before + text + b.keyed() + b.keyed())
			switch before {
			case livez:
				require.Equal(t, "ok\n", l.answer().raw, "%q", text)
			case b.keyed():
				require.Equal(t, "invalid_path", l.answer().code(), "%q", text)
			}
			r := l.answer()
			require.Equal(t, want.code, r.code(), "%q: %s", text, r.raw)
			if want.code == "malformed_request" {
				require.NotEmpty(t, r.body["detail"])
			}
			l.ends()
			seen[want.flaw]++
		}
	}
	counted := map[string]int{}
	for _, m := range b.metric("scorelay_api_malformed_total") {
		counted[m.GetLabel()[0].GetValue()] = int(m.GetCounter().GetValue())
	}
	require.Equal(t, seen, counted, "every flaw that there is, as often as it was")
}

// TestAHiddenRequestDoesNotRunUnderTheNextKey: a caller hides the beginning of a request in a body that a naive proxy passes on
// whole; the next caller's request, over the same connection of the proxy, must not complete it.
func TestAHiddenRequestDoesNotRunUnderTheNextKey(t *testing.T) {
	b := newBench(t, nil).withProject()
	hidden := "0\r\n\r\nGET /projects/" + b.project.ID.String() + " HTTP/1.1\r\nHost: x\r\nX-Ignore: "
	for _, encoding := range []string{"Transfer-Encoding: chunked", "Transfer-Encoding : chunked", "X: y\r\n Transfer-Encoding: chunked", "X: y\nTransfer-Encoding: chunked"} {
		l := b.dial(loopback)
		attack := fmt.Sprintf("POST /look-up-updates HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n\r\n%s", len(hidden), encoding, hidden)
		r := l.ask(attack + b.keyed())
		require.Equal(t, "malformed_request", r.code(), encoding)
		l.ends()
	}
}

// TestWhatIsFramedWellIsServed: all that RFC 9112 allows and clients do, over one connection, however it is cut into pieces.
func TestWhatIsFramedWellIsServed(t *testing.T) {
	b := newBench(t, nil)
	key := "X-API-KEY: " + b.secret.Reveal() + "\r\n"
	post := "POST /look-up-updates HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + key
	requests := []struct{ text, code string }{
		{livez, ""},
		{post + "Content-Length: 2\r\n\r\n{}", "invalid_body"},
		{post + "content-length:002 \t\r\n\r\n{}", "invalid_body"},
		{post + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;ext=\"a\"\r\n}\r\n0\r\n\r\n", "invalid_body"},
		{post + "TRANSFER-ENCODING: Chunked\r\n\r\n0002\r\n{}\r\n000;last\r\n\r\n", "invalid_body"},
		{"POST /look-up-updates HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "missing_api_key"},
		{"DELETE /livez HTTP/1.1\r\nHost: x\r\n\r\n", "method_not_allowed"},
		{"GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n\r\n\n", ""},
		{"GET /nothing HTTP/1.1\r\nHost: x\r\nEmpty:\r\nTE: trailers\r\n\r\n", "not_found"},
		{"\r\n" + livez, ""}, // one empty line is ignored
		{"\r\n" + post + "Content-Length: 2\r\n\r\n{}", "invalid_body"},
		{"\r\nGET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", ""},
	}
	var all strings.Builder
	for _, request := range requests {
		all.WriteString(request.text)
	}
	text := all.String()
	for _, size := range []int{1, 2, 7, 64, 300, len(text)} {
		l := b.dial(loopback)
		go func() {
			for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
				if _, err := io.WriteString(l, rest[:min(size, len(rest))]); err != nil {
					return
				}
			}
		}()
		for _, request := range requests {
			r := l.answer()
			require.Equal(t, request.code, r.code(), "%q: %s", request.text, r.raw)
			require.Equal(t, request.code == "", r.status == http.StatusOK, r)
		}
	}
	require.Zero(t, b.count("scorelay_api_malformed_total"))
}

// TestNoBodyIsAskedForBeforeTheKeyIsKnown: `Expect: 100-continue` is answered with the problem of the key, or of a body that is
// too large; with a valid key the body is asked for.
func TestNoBodyIsAskedForBeforeTheKeyIsKnown(t *testing.T) {
	b := newBench(t, nil)
	expect := func(key, framing string) *line {
		l := b.begin("POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n" + key + framing + "\r\n\r\n")
		return l
	}
	valid := "X-API-KEY: " + b.secret.Reveal() + "\r\n"
	for _, c := range []struct{ key, framing, code string }{
		{"", "Content-Length: 2", "missing_api_key"},
		{"", "Transfer-Encoding: chunked", "missing_api_key"},
		{"X-API-KEY: guess\r\n", "Content-Length: 1000000", "invalid_api_key"},
		{valid, "Content-Length: 1000000", "body_too_large"},
	} {
		l := expect(c.key, c.framing)
		r := l.answer() // not 100
		require.Equal(t, c.code, r.code(), r)
		l.ends()
	}
	for framing, body := range map[string]string{"Content-Length: 2": "{}", "Transfer-Encoding: chunked": "2\r\n{}\r\n0\r\n\r\n"} {
		l := expect(valid, framing)
		require.Equal(t, http.StatusContinue, l.answer().status)
		require.Equal(t, "invalid_body", l.ask(body).code())
		require.Equal(t, "ok\n", l.ask(livez).raw, "the connection is good for the next")
	}
}
