package app

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// NewAuditor returns an auditor of the deployment. confirmations is the relayers' finality rule or a stricter one; 0
// is the chain's finalized tag.
func NewAuditor(ctx context.Context, js jetstream.JetStream, s *stream.Stream, c *chain.Client, confirmations uint64) (*index.Auditor, error) {
	journals, err := stream.OpenJournal(ctx, js)
	if err != nil {
		return nil, err
	}
	lanes, err := kv.OpenRoster(ctx, js)
	if err != nil {
		return nil, err
	}
	return &index.Auditor{
		Deployment: s.Deployment(), Confirmations: confirmations, Chain: c, Source: s, Journals: journals,
		Lanes: func(ctx context.Context) (int, error) {
			r, err := lanes.Get(ctx)
			return len(r.Lanes), err
		},
		Ledger: func(ctx context.Context, fn func(ledger.Raw) error) error {
			facts, err := s.FindLedger(ctx)
			if errors.Is(err, stream.ErrNoLedger) {
				return nil
			}
			if err != nil {
				return err
			}
			return ledger.ReadRaw(ctx, facts, fn)
		},
	}, nil
}
