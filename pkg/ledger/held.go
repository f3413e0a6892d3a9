package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/stream"
)

type State struct {
	Oldest uint64    // block of the oldest message
	Newest uint64    // all up to this block was written; 0: the ledger is empty
	At     time.Time // UTC: time of that block, or of a later incomplete block
	Bytes  uint64
	Bound  uint64 // above this number of bytes, the oldest messages are purged; 0: unbounded
}

func StateOf(ctx context.Context, l *stream.Ledger) (s State, err error) {
	_, bound, bytes, err := l.Config(ctx)
	if err != nil {
		return s, err
	}
	s.Bytes, s.Bound = bytes, uint64(bound)
	for {
		first, last, err := l.Bounds(ctx)
		if err != nil || first > last {
			return s, err
		}
		oldest, err := storedAt(ctx, l, first)
		if errors.Is(err, stream.ErrGone) { // purged meanwhile
			continue
		}
		if err != nil {
			return s, err
		}
		newest, err := storedAt(ctx, l, last)
		if err != nil {
			return s, err
		}
		s.Oldest, s.Newest, s.At = oldest.Number, newest.at().Block, time.Unix(int64(newest.Time), 0).UTC()
		return s, nil
	}
}

func storedAt(ctx context.Context, l Store, seq uint64) (*stored, error) {
	entry, err := l.At(ctx, seq)
	if err != nil {
		return nil, err
	}
	return decodeStored(entry.Data)
}

// Raw is a message with its logs in the chain's form, for a comparison.
type Raw struct {
	Kind  Kind
	Block evidence.Ref
	Whole bool
	Logs  []types.Log
}

// ReadRaw calls fn with all messages in the ledger, in order.
func ReadRaw(ctx context.Context, l Store, fn func(Raw) error) error {
	return l.Read(ctx, 1, func(e stream.Entry) error {
		s, err := decodeStored(e.Data)
		if err != nil {
			return err
		}
		raw := Raw{Kind: s.Kind, Block: evidence.Ref{Number: s.Number, Hash: s.Hash}, Whole: s.Whole}
		for i := range s.Txs {
			for _, l := range s.Txs[i].Logs {
				raw.Logs = append(raw.Logs, types.Log{
					Topics: l.Topics, Data: l.Data,
					BlockNumber: s.Number, BlockHash: s.Hash, TxHash: s.Txs[i].Hash, Index: uint(l.Index),
				})
			}
		}
		return fn(raw)
	})
}
