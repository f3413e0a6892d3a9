package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBindingsAreUpToDate(t *testing.T) {
	t.Chdir("../..") // as go generate does
	want, err := generate()
	require.NoError(t, err)
	got, err := os.ReadFile(output)
	require.NoError(t, err)
	require.True(t, string(want) == string(got), "bindings.go is stale: run go generate ./pkg/registry")
}
