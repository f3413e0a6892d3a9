package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// crossed are the headers of an answer that a browser goes by.
func crossed(h http.Header) map[string]string {
	found := map[string]string{}
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			found[strings.TrimPrefix(name, "Access-Control-")] = h.Get(name)
		}
	}
	return found
}

// preflight is what a browser asks before a page of an origin may, without a key.
func (b *bench) preflight(path, origin string) response {
	b.t.Helper()
	return b.send(http.MethodOptions, path, nil, "Origin", origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "x-api-key", "X-API-KEY", "")
}

func TestPagesOfNamedOriginsMayAsk(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.Origins = []string{"https://app.example.com", "http://localhost:5173"} }).withProject()
	path := "/projects/" + b.project.ID.String()
	for _, origin := range []string{"https://app.example.com", "http://localhost:5173"} {
		before := b.preflight(path, origin)
		require.Equal(t, http.StatusNoContent, before.status, before)
		require.Equal(t, map[string]string{
			"Allow-Origin": origin, "Allow-Methods": "GET,POST", "Allow-Headers": "Content-Type,X-API-KEY,Last-Event-ID,X-Request-Id", "Max-Age": "600",
			"Expose-Headers": "X-Request-Id,Retry-After,RateLimit,RateLimit-Policy",
		}, crossed(before.header), "credentials are never allowed")
		answer := b.send(http.MethodGet, path, nil, "Origin", origin).ok()
		require.Equal(t, origin, answer.header.Get("Access-Control-Allow-Origin"))
		require.Empty(t, answer.header.Get("Access-Control-Allow-Credentials"))
		require.Contains(t, answer.header.Get("Vary"), "Origin")
	}
	refused := b.send(http.MethodGet, "/projects/0x12", nil, "Origin", "https://app.example.com")
	require.Equal(t, "invalid_path", refused.code(), "a page reads problems, too")
	require.Equal(t, "https://app.example.com", refused.header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "Origin, Accept", b.send(http.MethodGet, "/", nil, "Origin", "https://app.example.com").header.Get("Vary"))

	for _, origin := range []string{"https://app.example.com.evil.test", "https://evil.test", "http://app.example.com", "https://app.example.com:8443", "null"} {
		require.Empty(t, b.preflight(path, origin).header.Get("Access-Control-Allow-Origin"), origin)
		answer := b.send(http.MethodGet, path, nil, "Origin", origin)
		require.Empty(t, answer.header.Get("Access-Control-Allow-Origin"), origin)
		require.Contains(t, answer.header.Get("Vary"), "Origin", "no cache gives this answer to another page")
	}
}

func TestNoPageMayAskUnlessNamed(t *testing.T) {
	b := newBench(t, nil).withProject()
	path := "/projects/" + b.project.ID.String()
	before := b.preflight(path, "https://app.example.com")
	require.Equal(t, "method_not_allowed", before.code())
	require.Empty(t, crossed(before.header))
	require.Empty(t, crossed(b.send(http.MethodGet, path, nil, "Origin", "https://app.example.com").header))
}
