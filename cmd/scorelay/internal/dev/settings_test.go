package dev

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/app"
)

func TestDefaultsAreNotTheEnvironment(t *testing.T) {
	t.Setenv("SCORELAY_LISTEN", ":1")
	var s app.APISettings
	require.NoError(t, defaults(&s))
	require.NoError(t, s.Validate())
	require.Equal(t, ":8080", s.Listen)
	require.Equal(t, 5*time.Minute, s.FreshFor)
	require.Equal(t, []string{"reputation"}, s.ScoreTypes)
}
