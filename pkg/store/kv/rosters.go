package kv

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

const rosterKey = "roster"

var ErrNoRoster = errors.New("the deployment has no roster of lanes yet: run `scorelay setup`")

var errThere = errors.New("there is a roster")

// RosterStore is safe for concurrent use.
type RosterStore struct{ doc Doc[roster.Roster] }

// OpenRoster has the errors of OpenMap.
func OpenRoster(ctx context.Context, js jetstream.JetStream) (*RosterStore, error) {
	doc, err := OpenDoc[roster.Roster](ctx, js, lanesBucket, rosterKey, "the roster of lanes")
	if err != nil {
		return nil, err
	}
	return &RosterStore{doc}, nil
}

// Get reads the roster. Errors: ErrNoRoster, score.ErrNewer, or NATS's.
func (s *RosterStore) Get(ctx context.Context) (roster.Roster, error) {
	r, revision, err := s.doc.Get(ctx)
	if err == nil && revision == 0 {
		err = ErrNoRoster
	}
	return r, err
}

// Create writes a deployment's first roster unless there is one, and returns the stored one. It retries as Map.Update
// does.
func (s *RosterStore) Create(ctx context.Context, first roster.Roster) (roster.Roster, error) {
	r, err := s.doc.Update(ctx, func(r *roster.Roster) error {
		if len(r.Lanes) > 0 {
			return errThere
		}
		*r = first
		return nil
	})
	if errors.Is(err, errThere) {
		err = nil
	}
	return r, err
}

// Update replaces the roster by the result of change, as Map.Update does. If the answer to a stored write is lost,
// another writer may write before the next try. Then change runs again on a roster that includes its own result. A
// missing roster is ErrNoRoster.
func (s *RosterStore) Update(ctx context.Context, change func(roster.Roster) (roster.Roster, error)) (roster.Roster, error) {
	return s.doc.Update(ctx, func(r *roster.Roster) (err error) {
		if len(r.Lanes) == 0 {
			return ErrNoRoster
		}
		*r, err = change(*r)
		return err
	})
}

// Gone may be repeated.
func (s *RosterStore) Gone(ctx context.Context, id score.Lane) error {
	_, err := s.Update(ctx, func(r roster.Roster) (roster.Roster, error) { return r.Gone(id) })
	return err
}

func (s *RosterStore) Wake(ctx context.Context, id score.Lane) error {
	_, err := s.Update(ctx, func(r roster.Roster) (roster.Roster, error) { return r.Wake(id) })
	return err
}

// RosterView is the newest roster. Run keeps it current.
type RosterView struct {
	*roster.Live
	*RosterStore
	view *View[roster.Roster]
}

// View has the errors of Get.
func (s *RosterStore) View(ctx context.Context, log *slog.Logger) (*RosterView, error) {
	first, revision, err := s.doc.Get(ctx)
	if err == nil && revision == 0 {
		err = ErrNoRoster
	}
	if err != nil {
		return nil, err
	}
	view := NewView(s.doc.of, log, func(e Entry[roster.Roster], err error) (roster.Roster, bool) {
		if err != nil {
			log.Error("the roster of lanes cannot be read; the process keeps to the one that it knows", "err", err)
		}
		return e.Document, err == nil
	})
	view.begin(rosterKey, first, revision)
	return &RosterView{roster.NewLive(first), s, view}, nil
}

// Run keeps the view current until ctx ends, and returns ctx's error. The view is unchanged while NATS is away or the
// roster invalid or missing.
func (v *RosterView) Run(ctx context.Context) error {
	var viewing sync.WaitGroup
	defer viewing.Wait()
	viewing.Go(func() { _ = v.view.Run(ctx) })
	for ctx.Err() == nil {
		changed := v.view.Changed()
		known, _ := v.Current()
		if r, stored := v.view.Get(rosterKey); stored && !known.Equal(r) {
			v.Set(r)
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
	return ctx.Err()
}
