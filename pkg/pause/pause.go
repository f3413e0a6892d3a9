// Package pause keeps what an operator paused, in the KV bucket of the roster, which every deployment has, under a key that earlier versions
// pass over. Every write is a compare-and-set on the revision that was read.
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

// Bucket is the KV bucket's name; package stream creates it with everything else a deployment keeps.
const Bucket = "LANES"

const key = "paused"

// errUnreadable says that a newer version, or another program, wrote what is stored.
var errUnreadable = errors.New("what is paused cannot be read; `scorelay resume --all` replaces it, and nothing is paused then")

// unreadable is the reason then: `scorelay status` shows it, too, and processes that run may do otherwise.
const unreadable = "what is paused cannot be read, and processes that knew it before keep to that"

// Bounds of what is kept in one value, which every process watches.
const (
	mostProjects = 1_000
	mostBytes    = score.MostStored
	mostReason   = 300 // bytes: an answer that tells of many updates repeats it
)

// ErrReason says that a reason is not for those who read it.
var ErrReason = fmt.Errorf("a reason has at most %d bytes of UTF-8, in one line without control characters", mostReason)

// ErrTooMuch says that no more can be paused by itself.
var ErrTooMuch = fmt.Errorf("at most %d projects can be paused by themselves, and all reasons together have to be shorter than %d KiB", mostProjects, mostBytes>>10)

// Pause is one thing that an operator paused.
type Pause struct {
	At      time.Time `json:"at"`
	Reason  string    `json:"reason,omitempty"`  // for people, callers among them; may be empty
	Refuses bool      `json:"refuses,omitempty"` // of everything, or a project: nothing is accepted either
}

// Check is ErrReason where its reason is too long, or something that a terminal or a log would act on.
func (p *Pause) Check() error {
	if len(p.Reason) > mostReason || !utf8.ValidString(p.Reason) || strings.ContainsFunc(p.Reason, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ErrReason
	}
	return nil
}

// Why is its reason, for callers; never empty.
func (p *Pause) Why() string {
	if p.Reason == "" {
		return "the operator paused it at " + p.At.UTC().Format(time.RFC3339)
	}
	return p.Reason
}

// What is paused, or resumed, by one command: a lane, a project, or everything where both are nil.
type What struct {
	Lane    *score.Lane
	Project *score.ProjectID
}

// Pauses are all of them.
type Pauses struct {
	All      *Pause                    `json:"all,omitempty"`
	Lanes    map[score.Lane]Pause      `json:"lanes,omitempty"`
	Projects map[score.ProjectID]Pause `json:"projects,omitempty"`
}

// Of is the pause of a lane: its own, or that of everything; nil if it is not paused.
func (p Pauses) Of(id score.Lane) *Pause {
	if own, paused := p.Lanes[id]; paused {
		return &own
	}
	return p.All
}

// OfProject is the pause of a project: that of everything where nothing is accepted, its own, or its lane's; nil if it is not paused.
func (p Pauses) OfProject(id score.ProjectID, carriedBy score.Lane) *Pause {
	if p.All != nil && p.All.Refuses {
		return p.All
	}
	if own, paused := p.Projects[id]; paused {
		return &own
	}
	return p.Of(carriedBy)
}

// Has tells whether a lane, or a project, is paused by itself; of everything, whether that is.
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

// With is all of them and another one, in place of the last of the same.
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

// Without is all of them but that of a lane, or a project, by itself; none where what is everything.
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

// Store reads and writes them. It is safe for concurrent use.
type Store struct {
	kv jetstream.KeyValue
	js jetstream.JetStream
}

// Open binds to the bucket, which must exist.
func Open(ctx context.Context, js jetstream.JetStream) (*Store, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Store{kv: kv, js: js}, nil
}

// Get reads them; the zero Pauses where there were none yet. Where they cannot be read, everything is paused, which harms least:
// what an operator paused, such as accepting while NATS moves, may be among it.
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

// decode reads what is stored, nil for nothing. The error is errUnreadable.
func decode(data []byte) (p Pauses, err error) {
	if data == nil {
		return p, nil
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return Pauses{}, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return p, nil
}

// Update replaces them by what change makes of them, as watched.Change does. What cannot be read is an error at once, and score.ErrNewer what
// a newer version wrote of which this one does not know all: only Clear replaces these. So is ErrTooMuch.
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

// Clear has nothing paused any more, also where what was cannot be read. It tries as Update does.
func (s *Store) Clear(ctx context.Context) error {
	return watched.Change(ctx, s.kv, key, "what is paused", func([]byte) ([]byte, error) { return Pauses{}.encode() })
}

// whole is score.ErrNewer where this program does not know all that is stored: what it wrote in its place would lack the rest.
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

// View is what is paused, in memory, kept current by Run. It is safe for concurrent use.
type View struct {
	first Pauses // until the watch has told all that is stored
	view  *watched.View[Pauses]
}

// View reads what is paused and returns a view that knows it. What is stored later and cannot be read changes nothing.
func (s *Store) View(ctx context.Context, log *slog.Logger) (*View, error) {
	first, err := s.Get(ctx)
	if err != nil {
		return nil, err
	}
	decoded := false // something since; then the view itself keeps what it knew
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

// Current is what is paused, as far as is known here.
func (v *View) Current() Pauses {
	select {
	case <-v.view.CaughtUp():
		p, _ := v.view.Get(key)
		return p
	default:
		return v.first
	}
}

// Run keeps the view current until ctx ends, and returns ctx's error. While NATS is away it keeps what it knew.
func (v *View) Run(ctx context.Context) error { return v.view.Run(ctx) }
