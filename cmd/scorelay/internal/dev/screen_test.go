package dev

import (
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// env is an environment of these variables.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestLinesAreWrittenOverBelowThoseThatStay(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := &Screen{out: &out, width: func() int { return 12 }}
	s.Show("API  here", "key  a long one", "1 waiting")
	require.Equal(t, "API  here\nkey  a lon…\n1 waiting", out.String(), "cut, never wrapped")
	out.Reset()
	s.Say("started")
	require.Equal(t, "\x1b[2A\r\x1b[Jstarted\nAPI  here\nkey  a lon…\n1 waiting", out.String())
	out.Reset()
	s.Show("2 waiting")
	require.Equal(t, "\x1b[2A\r\x1b[J2 waiting", out.String())
	out.Reset()
	s.Release()
	s.Say("a line of many words")
	require.Equal(t, "\na line of\n  many\n  words\n", out.String())
}

func TestLongLinesAreBrokenBetweenWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"short"}, Fold("short", 10))
	require.Equal(t, []string{"  one two", "    three"}, Fold("  one two three", 10))
	require.Equal(t, []string{"0123456789abcdef"}, Fold("0123456789abcdef", 10), "a word stays whole")
	require.Equal(t, []string{""}, Fold("", 10))
	require.Equal(t, "· ä", cut("· ä", 3))
	require.Equal(t, "·…", cut("· ä", 2))
}

func TestAPipeGetsPlainLines(t *testing.T) {
	t.Parallel()
	read, written, err := os.Pipe()
	require.NoError(t, err)
	s := NewScreen(written, env("TERM", "xterm"))
	require.False(t, s.Terminal())
	s.Headline("up")
	s.Show("not seen")
	s.Print("one\n\ntwo " + strings.Repeat("x ", 100) + "\n")
	s.Release()
	require.NoError(t, written.Close())
	raw := make([]byte, 4096)
	n, err := read.Read(raw)
	require.NoError(t, err)
	require.Equal(t, "up\none\n\ntwo "+strings.Repeat("x ", 100)+"\n", string(raw[:n]), "no colour, no movement, no folding")
}

func TestColoursAreForTerminalsThatWantThem(t *testing.T) {
	t.Parallel()
	ours, theirs, err := pty.Open()
	require.NoError(t, err)
	defer func() { _, _ = ours.Close(), theirs.Close() }()
	require.NoError(t, pty.Setsize(ours, &pty.Winsize{Rows: 24, Cols: 80}))
	s := NewScreen(theirs, env("TERM", "xterm"))
	require.True(t, s.Terminal())
	require.Equal(t, 80, s.width())
	require.Equal(t, "\x1b[32mup\x1b[0m", s.paint("up", green))
	require.Equal(t, "up", s.paint("up", uncoloured))
	require.Equal(t, "up", NewScreen(theirs, env("NO_COLOR", "1")).paint("up", green))
	require.False(t, NewScreen(theirs, env("TERM", "dumb")).Terminal())
}
