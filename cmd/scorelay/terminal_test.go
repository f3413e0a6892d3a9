package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// terminal is as much of a terminal as our output needs, and it notes what goes beyond that: a line that is longer than
// it is wide, and sequences that it does not know.
type terminal struct {
	cols, rows int
	lines      [][]rune // those on the screen, at most rows
	x, y       int
	rest       []byte // the beginning of a sequence or character whose end has not come
	wrapped    []string
	unknown    []string
}

func newTerminal(cols, rows int) *terminal {
	return &terminal{cols: cols, rows: rows, lines: [][]rune{nil}}
}

var sequence = regexp.MustCompile(`^\x1b\[([0-9;]*)([A-Za-z])`)

func (t *terminal) write(p []byte) {
	t.rest = append(t.rest, p...)
	for len(t.rest) > 0 {
		if t.rest[0] == '\x1b' {
			found := sequence.FindSubmatch(t.rest)
			if found == nil && len(t.rest) < 16 {
				return // it may still come
			}
			if found == nil {
				t.unknown = append(t.unknown, strconv.Quote(string(t.rest[:16])))
				t.rest = t.rest[1:]
				continue
			}
			t.control(string(found[1]), string(found[2]))
			t.rest = t.rest[len(found[0]):]
			continue
		}
		if !utf8.FullRune(t.rest) {
			return
		}
		r, size := utf8.DecodeRune(t.rest)
		t.rest = t.rest[size:]
		t.put(r)
	}
}

func (t *terminal) put(r rune) {
	switch r {
	case '\r':
		t.x = 0
	case '\n':
		t.down()
	default:
		if t.x >= t.cols {
			t.wrapped = append(t.wrapped, string(t.lines[t.y]))
			t.x = 0
			t.down()
		}
		for len(t.lines[t.y]) <= t.x {
			t.lines[t.y] = append(t.lines[t.y], ' ')
		}
		t.lines[t.y][t.x] = r
		t.x++
	}
}

func (t *terminal) down() {
	if t.y++; t.y == len(t.lines) {
		t.lines = append(t.lines, nil)
	}
	if len(t.lines) > t.rows {
		t.lines = slices.Delete(t.lines, 0, 1)
		t.y--
	}
}

func (t *terminal) control(argument, command string) {
	n, _ := strconv.Atoi(argument)
	switch command {
	case "A":
		t.y = max(0, t.y-max(1, n))
	case "J":
		t.lines = t.lines[:t.y+1]
		t.lines[t.y] = t.lines[t.y][:min(t.x, len(t.lines[t.y]))]
	case "m": // a colour
	default:
		t.unknown = append(t.unknown, argument+command)
	}
}

// String is what is on the screen.
func (t *terminal) String() string {
	var out strings.Builder
	for _, line := range t.lines {
		out.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return out.String()
}

func TestTheTerminalOfTheseTests(t *testing.T) {
	t.Parallel()
	term := newTerminal(5, 3)
	term.write([]byte("one\r\ntwo\r\nthree\x1b[1A\r\x1b[J\x1b[32m2·\x1b"))
	term.write([]byte("[0m"))
	require.Equal(t, "one\n2·\n", term.String())
	require.Empty(t, term.wrapped)
	term.write([]byte("\r\na\r\nb"))
	require.Equal(t, "2·\na\nb\n", term.String(), "it scrolls")
	term.write([]byte("cdefg\x1b[2K"))
	require.Equal(t, []string{"bcdef"}, term.wrapped)
	require.Equal(t, []string{"2K"}, term.unknown)
}
