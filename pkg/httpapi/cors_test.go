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

func (b *bench) cross(method, path, origin string, asks ...string) response {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, nil)
	require.NoError(b.t, err)
	req.Header.Set("Origin", origin)
	if len(asks) > 0 {
		req.Header.Set("Access-Control-Request-Method", asks[0])
		req.Header.Set("Access-Control-Request-Headers", strings.Join(asks[1:], ","))
		req.Header["X-Api-Key"] = nil // a browser sends none before it may
	}
	return b.do(req)
}

func TestPagesOfNamedOriginsMayAsk(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(s *setup) { s.config.Origins = []string{"https://app.example.com", "http://localhost:5173"} }).withProject()
	path := "/projects/" + b.project.ID.String()
	for _, origin := range []string{"https://app.example.com", "http://localhost:5173"} {
		before := b.cross(http.MethodOptions, path, origin, "GET", "x-api-key")
		require.Equal(t, http.StatusNoContent, before.status, before)
		require.Equal(t, map[string]string{
			"Allow-Origin": origin, "Allow-Methods": "GET,POST", "Allow-Headers": "Content-Type,X-API-KEY,Last-Event-ID,X-Request-Id", "Max-Age": "600",
			"Expose-Headers": "X-Request-Id,Retry-After,RateLimit,RateLimit-Policy",
		}, crossed(before.header), "credentials are never allowed")
		answer := b.cross(http.MethodGet, path, origin)
		require.Equal(t, http.StatusOK, answer.status)
		require.Equal(t, origin, answer.header.Get("Access-Control-Allow-Origin"))
		require.Empty(t, answer.header.Get("Access-Control-Allow-Credentials"))
		require.Contains(t, answer.header.Get("Vary"), "Origin")
	}
	refused := b.cross(http.MethodGet, "/projects/0x12", "https://app.example.com")
	require.Equal(t, "invalid_path", refused.code(), "a page reads problems, too")
	require.Equal(t, "https://app.example.com", refused.header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "Origin, Accept", b.cross(http.MethodGet, "/", "https://app.example.com").header.Get("Vary"))

	for _, origin := range []string{"https://app.example.com.evil.test", "https://evil.test", "http://app.example.com", "https://app.example.com:8443", "null"} {
		require.Empty(t, b.cross(http.MethodOptions, path, origin, "GET", "x-api-key").header.Get("Access-Control-Allow-Origin"), origin)
		answer := b.cross(http.MethodGet, path, origin)
		require.Empty(t, answer.header.Get("Access-Control-Allow-Origin"), origin)
		require.Contains(t, answer.header.Get("Vary"), "Origin", "no cache gives this answer to another page")
	}
}

func TestNoPageMayAskUnlessNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil).withProject()
	path := "/projects/" + b.project.ID.String()
	before := b.cross(http.MethodOptions, path, "https://app.example.com", "GET", "x-api-key")
	require.Equal(t, "method_not_allowed", before.code())
	require.Empty(t, crossed(before.header))
	require.Empty(t, crossed(b.cross(http.MethodGet, path, "https://app.example.com").header))
}
