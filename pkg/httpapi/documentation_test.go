package httpapi_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocumentationIsServed: without an API key, while the API still starts, and for as long as nothing changes only once.
func TestDocumentationIsServed(t *testing.T) {
	b := newBench(t, nil)
	for path, want := range map[string]struct{ file, contentType string }{
		"/docs":         {pageFile, "text/html; charset=utf-8"},
		"/openapi.yaml": {openapiFile, "application/yaml"},
	} {
		r := b.open(path).ok()
		file, err := os.ReadFile(want.file)
		require.NoError(t, err)
		require.True(t, string(file) == r.raw, path)
		require.Equal(t, want.contentType, r.header.Get("Content-Type"))
		require.Contains(t, r.header.Get("Cache-Control"), "public")
		require.Contains(t, r.header.Get("Content-Security-Policy"), "default-src 'none'")

		again := b.open(path, "If-None-Match", r.header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, again.status, path)
		require.Empty(t, again.raw)
		require.Equal(t, r.header.Get("ETag"), again.header.Get("ETag"))
		require.Equal(t, http.StatusOK, b.open(path, "If-None-Match", `"another"`).status, path)
		require.Equal(t, http.StatusOK, b.open(path, "If-Modified-Since", "nonsense").status, path)
	}
}

// TestDocumentationLoadsNothing: what it shows is in the binary, and its policy forbids the rest.
func TestDocumentationLoadsNothing(t *testing.T) {
	b := newBench(t, nil)
	page := b.open("/docs")
	for _, html := range []string{page.raw, b.open("/", "Accept", "text/html").raw} {
		require.NotContains(t, html, "<script")
		require.NotContains(t, html, "<link")
		require.NotContains(t, html, "@import")
		for _, to := range regexp.MustCompile(`(?:src|href|url)\s*[=(]\s*["']?([^"')> ]*)`).FindAllStringSubmatch(html, -1) {
			require.Regexp(t, `^(#[A-Za-z0-9_-]+|openapi\.yaml|/docs|/app|/openapi\.yaml)$`, to[1])
		}
	}
	require.Contains(t, page.header.Get("Content-Security-Policy"), "style-src 'sha256-")
	for _, to := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page.raw, -1) {
		require.Equal(t, 1, strings.Count(page.raw, `id="`+to[1]+`"`), to[1])
	}
}

// TestIndexSaysWhatThisIs to programs and to people.
func TestIndexSaysWhatThisIs(t *testing.T) {
	t.Parallel()
	b := startBench(t, nil)
	doc, _ := loadOpenAPI(t)
	browser := "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for accept, contentType := range map[string]string{
		"*/*": "application/json", "application/json": "application/json", browser: "text/html; charset=utf-8", "image/png": "application/json",
	} {
		r := b.open("/", "Accept", accept).ok()
		require.Equal(t, contentType, r.header.Get("Content-Type"), accept)
		require.Contains(t, r.raw, doc.Info.Summary)
		require.Equal(t, "Accept", r.header.Get("Vary"))
		for _, path := range []string{"/docs", "/openapi.yaml"} {
			require.Contains(t, r.raw, `"`+path+`"`)
			b.open(path).ok()
		}
	}
}
