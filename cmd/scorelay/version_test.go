package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/app"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	released := app.BuildInfo{
		Version: "v1.2.3", Commit: "96d7d52a", Changed: true, Go: "go1.26.8", System: "linux/amd64",
		Formats: app.Formats{Message: 1, Journal: 7, Roster: 2},
	}
	var out bytes.Buffer
	require.NoError(t, (&versionCommand{}).print(&out, released))
	require.Equal(t, "scorelay v1.2.3\ncommit   96d7d52a, with changes\nbuilt    go1.26.8, linux/amd64\nformats  messages 1, journals 7, roster 2\n", out.String())
	out.Reset()
	require.NoError(t, (&versionCommand{JSON: true}).print(&out, released))
	var told app.BuildInfo
	require.NoError(t, json.Unmarshal(out.Bytes(), &told))
	require.Equal(t, released, told)
	out.Reset()
	require.NoError(t, (&versionCommand{}).print(&out, app.Build()))
	require.Contains(t, out.String(), "scorelay development build\n") // a test is linked without a version
}
