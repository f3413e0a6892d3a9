package webhook

import (
	"context"
	"net/netip"

	"github.com/nats-io/nats.go/jetstream"
)

// OnSave puts fn around every compare-and-set of states; write sends it to the server.
func (s *Store) OnSave(fn func(write func() error) error) { s.states = &saves{s.states, fn} }

type saves struct {
	jetstream.KeyValue
	around func(write func() error) error
}

func (s *saves) Update(ctx context.Context, key string, value []byte, revision uint64) (stored uint64, err error) {
	err = s.around(func() error {
		stored, err = s.KeyValue.Update(ctx, key, value, revision)
		return err
	})
	return stored, err
}

func (s *saves) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (stored uint64, err error) {
	err = s.around(func() error {
		stored, err = s.KeyValue.Create(ctx, key, value, opts...)
		return err
	})
	return stored, err
}

// Controls are asked before a connection is made: for https://, and for http://.
func Controls(allow []netip.Prefix) (secure, plain control) {
	return controls(allow)
}
