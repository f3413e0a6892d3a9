package httpapi_test

import (
	"log/slog"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/httpapi"
)

const requestID = "X-Request-Id"

// TestEachRequestHasAnID: in each kind of answer; two have never the same. Only a trusted proxy may give one.
func TestEachRequestHasAnID(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.Proxies = []netip.Prefix{netip.MustParsePrefix(another + "/32")} })
	ours := regexp.MustCompile(`^[a-z2-7]{12}-[0-9a-z]+$`)
	seen := map[string]bool{}
	given := func(from, id string) string {
		return b.dial(from).ask("GET /projects/0x12 HTTP/1.1\r\nHost: x\r\n" + requestID + ": " + id + "\r\n\r\n").header.Get(requestID)
	}
	for _, r := range []response{
		b.get("/livez"), b.get("/docs"), b.get("/nothing"), b.get("/projects/0x12"), b.post("/update-score", []byte("{")),
		b.wire("GET /livez\r\n\r\n"), b.wire("nonsense\r\n\r\n"),
	} {
		id := r.header.Get(requestID)
		require.Regexp(t, ours, id)
		require.False(t, seen[id], "another request has it: %s", id)
		seen[id] = true
	}
	longest := strings.Repeat("x", 128)
	for _, id := range []string{"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "a", longest} {
		require.Equal(t, id, given(another, id))
		require.Regexp(t, ours, given(loopback, id), "any caller could say so")
	}
	for _, id := range []string{"", longest + "x", "a b", `a"b`, "a,b", "ä", "a;b"} {
		require.Regexp(t, ours, given(another, id), id)
	}
}

// TestTheLogNamesTheRequest: as the answer does.
func TestTheLogNamesTheRequest(t *testing.T) {
	var log fresh.Log
	b := newBench(t, func(s *setup) {
		s.log = slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
		s.deps = func(d *httpapi.Deps) { d.Chain = panickingChain{d.Chain} }
	}).withProject()
	r := b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9))
	require.Equal(t, "internal", r.code())
	require.Regexp(t, `a request panicked.* request=`+r.header.Get(requestID)+` `, log.String())
	r = b.get("/projects/0x12")
	require.Regexp(t, `the API answered with a problem" request=`+r.header.Get(requestID)+` path=/projects/0x12 code=invalid_path`, log.String())
}
