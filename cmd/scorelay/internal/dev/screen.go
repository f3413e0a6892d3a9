package dev

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Screen is where people watch a stack: lines that stay and, on a terminal, below them a few that are written over and
// over. Elsewhere, as in a file or a pipe, all lines stay and none has a colour. It is safe for concurrent use.
type Screen struct {
	out    io.Writer
	width  func() int // columns of the terminal; nil when it is none
	colour bool

	mu    sync.Mutex
	live  []string
	drawn int // lines of live on the terminal now
}

// Colours of a line.
const (
	uncoloured = ""
	green      = "32"
	red        = "31"
	cyan       = "36"
)

const fallbackWidth = 80

// NewScreen writes to a file that may be a terminal. The environment's NO_COLOR, when set to anything, takes the colours
// away, TERM=dumb also the lines that are written over.
func NewScreen(out *os.File, getenv func(string) string) *Screen {
	s := &Screen{out: out}
	if !term.IsTerminal(int(out.Fd())) || getenv("TERM") == "dumb" {
		return s
	}
	s.colour = getenv("NO_COLOR") == ""
	s.width = func() int {
		if width, _, err := term.GetSize(int(out.Fd())); err == nil && width > 0 {
			return width
		}
		return fallbackWidth
	}
	return s
}

// Terminal tells whether lines can be written over.
func (s *Screen) Terminal() bool { return s.width != nil }

// Say writes a line that stays, broken between words where it is longer than the terminal is wide.
func (s *Screen) Say(line string) { s.say(line, uncoloured) }

func (s *Screen) say(line, colour string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	lines := []string{line}
	if s.Terminal() {
		lines = Fold(line, s.width()-1)
	}
	for _, line := range lines {
		_, _ = fmt.Fprintln(s.out, s.paint(line, colour))
	}
	s.draw()
}

// Print writes text of several lines that stays.
func (s *Screen) Print(text string) {
	for line := range strings.Lines(text) {
		s.Say(strings.TrimSuffix(line, "\n"))
	}
}

// Show replaces the lines that are written over, each cut to the terminal's width. It does nothing where there are none.
func (s *Screen) Show(lines ...string) {
	if !s.Terminal() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.live = lines
	s.draw()
}

// Release leaves the lines that are written over as they are, and continues below them.
func (s *Screen) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn > 0 {
		_, _ = fmt.Fprintln(s.out)
	}
	s.live, s.drawn = nil, 0
}

func (s *Screen) erase() {
	if s.drawn > 1 {
		_, _ = fmt.Fprintf(s.out, "\x1b[%dA", s.drawn-1)
	}
	if s.drawn > 0 {
		_, _ = io.WriteString(s.out, "\r\x1b[J")
	}
	s.drawn = 0
}

// draw writes the live lines. The last of them ends without a line break: no empty line below pushes the others up.
func (s *Screen) draw() {
	for i, line := range s.live {
		if i > 0 {
			_, _ = fmt.Fprintln(s.out)
		}
		colour := cyan
		if i == len(s.live)-1 {
			colour = green
		}
		_, _ = io.WriteString(s.out, s.paint(cut(line, s.width()-1), colour))
		s.drawn++
	}
}

func (s *Screen) paint(line, colour string) string {
	if !s.colour || colour == uncoloured || line == "" {
		return line
	}
	return "\x1b[" + colour + "m" + line + "\x1b[0m"
}

// cut shortens a line to so many columns.
func cut(line string, columns int) string {
	runes := []rune(line)
	if len(runes) <= columns {
		return line
	}
	return string(runes[:max(0, columns-1)]) + "…"
}

// Fold breaks a line between words, with the later parts indented as far as the first and two columns more. A word that
// is longer than a line stays whole.
func Fold(line string, columns int) []string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var lines []string
	for len([]rune(line)) > columns {
		at := strings.LastIndex(string([]rune(line)[:columns+1]), " ")
		if at <= len(indent)+2 {
			break
		}
		lines = append(lines, line[:at])
		line = indent + "  " + strings.TrimLeft(line[at:], " ")
	}
	return append(lines, line)
}

// Step writes a line about what happens to the stack.
func (s *Screen) Step(line string) { s.Say("· " + line) }

// Headline writes a line of good news.
func (s *Screen) Headline(line string) { s.say(line, green) }

// Verdict writes what a demo showed: the numbers and, last, the sentence.
func (s *Screen) Verdict(summary *Summary) {
	s.Print("\n" + summary.table() + "\n")
	colour := green
	if !summary.Good() {
		colour = red
	}
	s.say(summary.verdict(), colour)
}

// How often Watch reads the stack, on a terminal and elsewhere.
const (
	watchEvery    = time.Second
	watchEveryOut = 10 * time.Second
)

// Watch shows a line of the newest reading and the one before it, until ctx ends: on a terminal below what must stay in
// sight and written over, elsewhere now and then.
func (s *Screen) Watch(ctx context.Context, stack *Stack, line func(now, before Reading) string) {
	every := watchEveryOut
	if s.Terminal() {
		every = watchEvery
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	defer s.Release()
	now := stack.Meter.Read(ctx)
	before := now
	for {
		s.Show(append(stack.Sight(), line(now, before))...)
		select {
		case <-ctx.Done():
			s.Show(append(stack.Sight(), line(now, before))...) // a demo has come to its end since
			return
		case <-ticker.C:
		}
		if next := stack.Meter.Read(ctx); ctx.Err() == nil {
			now, before = next, now
			if !s.Terminal() {
				s.Say(line(now, before))
			}
		}
	}
}
