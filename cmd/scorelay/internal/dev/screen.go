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

// Screen writes permanent lines and, on a terminal, live lines below, which it overwrites. In a file or a pipe, all
// lines are permanent and without colour. Safe for concurrent use.
type Screen struct {
	out    io.Writer
	width  func() int // of the terminal, in columns; nil if there is none
	colour bool

	mu    sync.Mutex
	live  []string
	drawn int
}

const (
	uncoloured = ""
	green      = "32"
	red        = "31"
	cyan       = "36"
)

const fallbackWidth = 80

// NewScreen disables colours if NO_COLOR has a value, and colours and live lines if TERM is dumb.
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

func (s *Screen) Terminal() bool { return s.width != nil }

// Say writes a permanent line, wrapped to the terminal's width.
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

func (s *Screen) Print(text string) {
	for line := range strings.Lines(text) {
		s.Say(strings.TrimSuffix(line, "\n"))
	}
}

// Show replaces the live lines, each cut to the terminal's width. It requires a terminal, else it is a no-op.
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

// Release makes the live lines permanent.
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

// draw omits the last line break, which would scroll the lines up.
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

func cut(line string, columns int) string {
	runes := []rune(line)
	if len(runes) <= columns {
		return line
	}
	return string(runes[:max(0, columns-1)]) + "…"
}

// Fold wraps a line only between words and indents continuations by two more columns.
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

func (s *Screen) Step(line string) { s.Say("· " + line) }

func (s *Screen) Headline(line string) { s.say(line, green) }

func (s *Screen) Verdict(summary *Summary) {
	s.Print("\n" + summary.table() + "\n")
	colour := green
	if !summary.Good() {
		colour = red
	}
	s.say(summary.verdict(), colour)
}

const (
	watchEvery    = time.Second
	watchEveryOut = 10 * time.Second
)

// Watch shows line's live line until ctx ends; outside a terminal, it says one every ten seconds.
func (s *Screen) Watch(ctx context.Context, line func() string) {
	every := watchEveryOut
	if s.Terminal() {
		every = watchEvery
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	defer s.Release()
	for {
		s.Show(line())
		select {
		case <-ctx.Done():
			s.Show(line())
			return
		case <-ticker.C:
		}
		if !s.Terminal() {
			s.Say(line())
		}
	}
}
