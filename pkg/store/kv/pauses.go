package kv

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

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

const pausedKey = "paused"

// The reason of the pause that PauseStore.Get returns for an invalid document. Running processes may keep earlier
// pauses.
const unreadable = "what is paused cannot be read, and processes that knew it before keep to that"

const (
	mostProjects = 1_000
	mostBytes    = score.MostStored
	mostReason   = 300 // bytes; a response about many updates repeats it
)

var ErrReason = fmt.Errorf("a reason has at most %d bytes of UTF-8, in one line without control characters", mostReason)

// ErrTooMuch reports that the pauses exceed a limit, since every process keeps them in memory.
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

// Scope is what a pause covers: a lane, a project, or everything if both are nil.
type Scope struct {
	Lane    *score.Lane
	Project *score.ProjectID
}

type Pauses struct {
	All      *Pause                    `json:"all,omitempty"`
	Lanes    map[score.Lane]Pause      `json:"lanes,omitempty"`
	Projects map[score.ProjectID]Pause `json:"projects,omitempty"`

	newer error // the document has unknown fields, which a write would drop
}

// UnmarshalJSON reads what it knows of a newer version's document.
func (p *Pauses) UnmarshalJSON(data []byte) error {
	type document Pauses
	if err := json.Unmarshal(data, (*document)(p)); err != nil {
		return err
	}
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	p.newer = strict.Decode(new(document))
	return nil
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
func (p Pauses) Has(scope Scope) (paused bool) {
	switch {
	case scope.Lane != nil:
		_, paused = p.Lanes[*scope.Lane]
	case scope.Project != nil:
		_, paused = p.Projects[*scope.Project]
	default:
		paused = p.All != nil
	}
	return paused
}

// With returns a copy in which the scope has the pause one.
func (p Pauses) With(scope Scope, one Pause) Pauses {
	switch {
	case scope.Lane != nil:
		p.Lanes = with(p.Lanes, *scope.Lane, one)
	case scope.Project != nil:
		p.Projects = with(p.Projects, *scope.Project, one)
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
func (p Pauses) Without(scope Scope) Pauses {
	if scope == (Scope{}) {
		return Pauses{}
	}
	p.Lanes, p.Projects = maps.Clone(p.Lanes), maps.Clone(p.Projects)
	if scope.Lane != nil {
		delete(p.Lanes, *scope.Lane)
	}
	if scope.Project != nil {
		delete(p.Projects, *scope.Project)
	}
	return p
}

// PauseStore keeps the pauses in the bucket of the roster, which every deployment has. It is safe for concurrent use.
type PauseStore struct{ doc Doc[Pauses] }

// OpenPauses has the errors of OpenMap.
func OpenPauses(ctx context.Context, js jetstream.JetStream) (*PauseStore, error) {
	doc, err := OpenDoc[Pauses](ctx, js, lanesBucket, pausedKey, "what is paused")
	if err != nil {
		return nil, err
	}
	return &PauseStore{doc}, nil
}

// Get returns the pauses; zero before the first. If they are invalid, it returns a pause of everything, the safe
// choice: an operator may have paused accepting, for instance while NATS moves.
func (s *PauseStore) Get(ctx context.Context) (Pauses, error) {
	p, _, err := s.get(ctx)
	return p, err
}

func (s *PauseStore) get(ctx context.Context) (Pauses, uint64, error) {
	p, revision, err := s.doc.Get(ctx)
	if errors.Is(err, ErrInvalid) {
		p, err = Pauses{All: &Pause{At: time.Now(), Reason: unreadable, Refuses: true}}, nil
	}
	return p, revision, err
}

// Update replaces the pauses with change's result, as Map.Update does. Errors: score.ErrNewer for a document with
// unknown fields, which a write would drop, and ErrTooMuch. It never replaces an invalid document; Clear does.
func (s *PauseStore) Update(ctx context.Context, change func(Pauses) Pauses) (Pauses, error) {
	p, err := s.doc.Update(ctx, func(p *Pauses) error {
		if p.newer != nil {
			return fmt.Errorf("what is paused is more than this program knows, so it changes none of it (%w): %w", p.newer, score.ErrNewer)
		}
		*p = change(*p)
		return p.check()
	})
	if errors.Is(err, ErrInvalid) {
		err = fmt.Errorf("%w; `scorelay resume --all` replaces it, and nothing is paused then", err)
	}
	return p, err
}

// Clear removes all pauses, even an invalid document. It replaces only the revision that it read, so that its own late
// write keeps a newer pause. It tries until ctx ends; the pauses may be removed then.
func (s *PauseStore) Clear(ctx context.Context) error {
	for {
		_, revision, err := s.get(ctx)
		if err == nil {
			_, err = s.doc.Replace(ctx, Pauses{}, revision)
		}
		if err == nil || retry.Sleep(ctx, changePause) != nil {
			return err
		}
	}
}

func (p Pauses) check() error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if len(p.Projects) > mostProjects || len(data) > mostBytes {
		return ErrTooMuch
	}
	return nil
}

// PauseView is the pauses in memory, kept current by Run. Safe for concurrent use.
type PauseView struct{ view *View[Pauses] }

// View reads the pauses and returns a view of them, which ignores an invalid document stored later.
func (s *PauseStore) View(ctx context.Context, log *slog.Logger) (*PauseView, error) {
	first, revision, err := s.get(ctx)
	if err != nil {
		return nil, err
	}
	view := NewView(s.doc.of, log, func(e Entry[Pauses], err error) (Pauses, bool) {
		if err != nil {
			log.Error("what is paused cannot be read; the process keeps to what it knows of it", "err", err)
		}
		return e.Document, err == nil
	})
	view.begin(pausedKey, first, revision)
	return &PauseView{view}, nil
}

func (v *PauseView) Current() Pauses {
	p, _ := v.view.Get(pausedKey)
	return p
}

// Run keeps the view current until ctx ends, and returns ctx's error. While NATS is away the view keeps its value.
func (v *PauseView) Run(ctx context.Context) error { return v.view.Run(ctx) }
