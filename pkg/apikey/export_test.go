package apikey

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// NoteEvery has the view note so often which keys were used; before it runs.
func (v *View) NoteEvery(every time.Duration) { v.uses.every = every }

// OnUpdate puts fn around every compare-and-set of the store; write sends it to the server.
func (s *Store) OnUpdate(fn func(write func() error) error) { s.kv = &updates{s.kv, fn} }

type updates struct {
	jetstream.KeyValue
	around func(write func() error) error
}

func (u *updates) Update(ctx context.Context, key string, value []byte, revision uint64) (stored uint64, err error) {
	err = u.around(func() error {
		stored, err = u.KeyValue.Update(ctx, key, value, revision)
		return err
	})
	return stored, err
}
