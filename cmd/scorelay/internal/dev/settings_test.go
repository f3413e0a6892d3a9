package dev

import (
	"strings"
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

func TestEnvironIsWhatParsesBack(t *testing.T) {
	var want app.APISettings
	require.NoError(t, defaults(&want))
	want.RedisURL, want.ScoreTypes, want.FreshFor = "redis://u:p@h/1", []string{"a", "b"}, time.Hour
	want.ChainRPC, want.AllowUnsafe, want.Rate = []app.Secret{"http://a", "http://b"}, true, 7
	for _, variable := range environ(&want) {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	var got struct {
		app.ConfigFile
		app.APISettings
	}
	parser, err := app.NewParser("api", "", &got)
	require.NoError(t, err)
	_, err = parser.Parse(nil)
	require.NoError(t, err)
	require.Equal(t, want, got.APISettings)
}
