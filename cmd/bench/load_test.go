package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestALoadReadsItsKey from the environment or a file, as the benchmarks that start it give it.
func TestALoadReadsItsKey(t *testing.T) {
	var key string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key = r.Header.Get("X-API-KEY")
		w.WriteHeader(http.StatusForbidden)
	}))
	defer api.Close()
	load := func() error { return runLoad(t.Context(), []string{"--url", api.URL}) }
	t.Setenv("SCORELAY_API_KEY", "")
	t.Setenv("SCORELAY_API_KEY_FILE", "")
	require.ErrorContains(t, load(), "set SCORELAY_API_KEY")
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte("of a file\n"), 0o600))
	t.Setenv("SCORELAY_API_KEY_FILE", file)
	require.ErrorContains(t, load(), "403")
	require.Equal(t, "of a file", key)
	t.Setenv("SCORELAY_API_KEY", "of the environment")
	require.ErrorContains(t, load(), "403")
	require.Equal(t, "of the environment", key)
}
