// Package pause keeps the paused scopes: lanes, projects, or everything. They are one value in the KV bucket of the
// lane assignment, which every deployment has, under a key that earlier versions ignore. Every write is a
// compare-and-set on the revision that was read.
package pause

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// Bucket is the KV bucket's name; package stream creates it.
const Bucket = "LANES"

const key = "paused"

// errUnreadable reports that the stored value is invalid or of a newer version.
var errUnreadable = errors.New("what is paused cannot be read; `scorelay resume --all` replaces it, and nothing is paused then")

// The reason of the pause that Get returns for an invalid value. Running processes may keep earlier pauses.
const unreadable = "what is paused cannot be read, and processes that knew it before keep to that"

const (
	mostProjects = 1_000
	mostBytes    = score.MostStored
	mostReason   = 300 // bytes; a response about many updates repeats it
)

var ErrReason = fmt.Errorf("a reason has at most %d bytes of UTF-8, in one line without control characters", mostReason)

var ErrTooMuch = fmt.Errorf("at most %d projects can be paused by themselves, and all reasons together have to be shorter than %d KiB", mostProjects, mostBytes>>10)

type Pause struct {
	At      time.Time `json:"at"`
	Reason  string    `json:"reason,omitempty"`  // for people, callers included; may be empty
	Refuses bool      `json:"refuses,omitempty"` // only for a project or everything: the API refuses its updates, too
}

// Check returns ErrReason if a terminal or log may interpret a character of the reason, or the reason is too long.
func (p *Pause) Check() error {
	if len(p.Reason) > mostReason || !utf8.ValidString(p.Reason) || strings.ContainsFunc(p.Reason, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ErrReason
	}
	return nil
}

// Why returns the reason for callers; it is never empty.
func (p *Pause) Why() string {
	if p.Reason == "" {
		return "the operator paused it at " + p.At.UTC().Format(time.RFC3339)
	}
	return p.Reason
}

// What is the scope of a command: a lane, a project, or everything if both are nil.
type What struct {
	Lane    *score.Lane
	Project *score.ProjectID
}

type Pauses struct {
	All      *Pause                    `json:"all,omitempty"`
	Lanes    map[score.Lane]Pause      `json:"lanes,omitempty"`
	Projects map[score.ProjectID]Pause `json:"projects,omitempty"`
}

// Of returns the lane's own pause or that of everything; nil if the lane runs.
func (p Pauses) Of(id score.Lane) *Pause {
	if own, paused := p.Lanes[id]; paused {
		return &own
	}
	return p.All
}

// OfProject returns the pause of everything if it refuses, else the project's own or its lane's; nil if it runs.
func (p Pauses) OfProject(id score.ProjectID, carriedBy score.Lane) *Pause {
	if p.All != nil && p.All.Refuses {
		return p.All
	}
	if own, paused := p.Projects[id]; paused {
		return &own
	}
	return p.Of(carriedBy)
}

// Has reports whether exactly this scope is paused.
func (p Pauses) Has(what What) (paused bool) {
	switch {
	case what.Lane != nil:
		_, paused = p.Lanes[*what.Lane]
	case what.Project != nil:
		_, paused = p.Projects[*what.Project]
	default:
		paused = p.All != nil
	}
	return paused
}

// With returns a copy in which the scope has the pause one.
func (p Pauses) With(what What, one Pause) Pauses {
	switch {
	case what.Lane != nil:
		p.Lanes = with(p.Lanes, *what.Lane, one)
	case what.Project != nil:
		p.Projects = with(p.Projects, *what.Project, one)
	default:
		p.All = &one
	}
	return p
}

func with[K comparable](pauses map[K]Pause, key K, one Pause) map[K]Pause {
	pauses = maps.Clone(pauses)
	if pauses == nil {
		pauses = map[K]Pause{}
	}
	pauses[key] = one
	return pauses
}

// Without returns a copy without the scope's own pause; empty if the scope is everything.
func (p Pauses) Without(what What) Pauses {
	if what == (What{}) {
		return Pauses{}
	}
	p.Lanes, p.Projects = maps.Clone(p.Lanes), maps.Clone(p.Projects)
	if what.Lane != nil {
		delete(p.Lanes, *what.Lane)
	}
	if what.Project != nil {
		delete(p.Projects, *what.Project)
	}
	return p
}

// Store is safe for concurrent use.
type Store struct {
	kv jetstream.KeyValue
	js jetstream.JetStream
}

func Open(ctx context.Context, js jetstream.JetStream) (*Store, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Store{kv: kv, js: js}, nil
}

// Get returns the pauses; zero before the first. If they are invalid, it returns a pause of everything, the safe
// choice: an operator may have paused accepting, for instance while NATS moves.
func (s *Store) Get(ctx context.Context) (Pauses, error) {
	data, _, err := watched.Stored(ctx, s.kv, key)
	if err != nil {
		return Pauses{}, fmt.Errorf("couldn't read what is paused: %w", err)
	}
	if p, err := decode(data); err == nil {
		return p, nil
	}
	return Pauses{All: &Pause{At: time.Now(), Reason: unreadable, Refuses: true}}, nil
}

// decode returns errUnreadable if data is invalid, and zero if it is nil.
func decode(data []byte) (p Pauses, err error) {
	if data == nil {
		return p, nil
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return Pauses{}, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return p, nil
}

// Update replaces the pauses with change's result, by watched.Change. Errors: errUnreadable for an invalid value,
// score.ErrNewer for one with unknown fields, and ErrTooMuch. Only Clear replaces values of the first two errors.
func (s *Store) Update(ctx context.Context, change func(Pauses) Pauses) (p Pauses, err error) {
	err = watched.Change(ctx, s.kv, key, "what is paused", func(stored []byte) ([]byte, error) {
		if p, err = decode(stored); err != nil {
			return nil, err
		}
		if err := whole(stored); err != nil {
			return nil, err
		}
		p = change(p)
		return p.encode()
	})
	return p, err
}

// Clear removes all pauses, even an invalid value. It retries as Update does.
func (s *Store) Clear(ctx context.Context) error {
	return watched.Change(ctx, s.kv, key, "what is paused", func([]byte) ([]byte, error) { return Pauses{}.encode() })
}

// whole returns score.ErrNewer if the value has unknown fields, which a rewrite would drop.
func whole(stored []byte) error {
	if stored == nil {
		return nil
	}
	strict := json.NewDecoder(bytes.NewReader(stored))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&Pauses{}); err != nil {
		return fmt.Errorf("what is paused is more than this program knows, so it changes none of it (%w): %w", err, score.ErrNewer)
	}
	return nil
}

func (p Pauses) encode() ([]byte, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode what is paused: %w", err)
	}
	if len(p.Projects) > mostProjects || len(data) > mostBytes {
		return nil, ErrTooMuch
	}
	return data, nil
}

// View is the pauses in memory, kept current by Run. Safe for concurrent use.
type View struct {
	first Pauses // until the view has caught up
	view  *watched.View[Pauses]
}

// View reads the pauses and returns a view of them, which ignores an invalid value stored later.
func (s *Store) View(ctx context.Context, log *slog.Logger) (*View, error) {
	first, err := s.Get(ctx)
	if err != nil {
		return nil, err
	}
	decoded := false // whether a value was decoded after first; then the view keeps the last one
	return &View{first: first, view: watched.NewView(s.js.Conn(), s.kv, log, func(e jetstream.KeyValueEntry) (p Pauses, ok bool) {
		if e.Key() != key {
			return p, false
		}
		if err := json.Unmarshal(e.Value(), &p); err != nil {
			log.Error("what is paused cannot be read; the process keeps to what it knows of it", "err", err)
			return first, !decoded
		}
		decoded = true
		return p, true
	})}, nil
}

func (v *View) Current() Pauses {
	select {
	case <-v.view.CaughtUp():
		p, _ := v.view.Get(key)
		return p
	default:
		return v.first
	}
}

// Run keeps the view current until ctx ends, and returns ctx's error. While NATS is away the view keeps its value.
func (v *View) Run(ctx context.Context) error { return v.view.Run(ctx) }
