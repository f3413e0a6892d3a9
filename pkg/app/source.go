package app

import (
	"context"
	"time"

	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// source is the stream in the relayer's words.
type source struct{ stream *stream.Stream }

// Read returns the lane's messages from the cursor on.
func (s source) Read(ctx context.Context, id score.Lane, from score.Cursor) (relay.Reader, error) {
	r, err := s.stream.Read(ctx, id, from)
	if err != nil {
		return nil, err
	}
	return laneReader{r}, nil
}

// State tells the stream's identity and extent.
func (s source) State(ctx context.Context) (relay.StreamState, error) {
	state, err := s.stream.State(ctx)
	return relay.StreamState{Created: state.Created, FirstSeq: state.FirstSeq, LastSeq: state.LastSeq}, err
}

// Tail is the sequence of the lane's last message.
func (s source) Tail(ctx context.Context, id score.Lane) (uint64, error) {
	return s.stream.LaneTail(ctx, id)
}

// FirstSince is the sequence of the first message stored at or after a time.
func (s source) FirstSince(ctx context.Context, at time.Time) (uint64, error) {
	return s.stream.FirstSince(ctx, at)
}

// Purge removes all messages with sequences below.
func (s source) Purge(ctx context.Context, below uint64) error { return s.stream.Purge(ctx, below) }

// AddDeadLetters stores dead letters.
func (s source) AddDeadLetters(ctx context.Context, letters []relay.DeadLetter) error {
	out, now := make([]stream.DeadLetter, len(letters)), time.Now().UTC()
	for i, d := range letters {
		out[i] = stream.DeadLetter{
			Lane: d.Lane, Seq: d.Seq, Time: now, Reason: d.Reason, Outcome: d.Outcome,
			Update: d.Update, Signed: d.Signed, Project: d.Project, Tx: d.Tx, Raw: d.Raw,
		}
	}
	return s.stream.AddDeadLetters(ctx, out)
}

type laneReader struct{ *stream.Reader }

// Next waits for the lane's next message.
func (r laneReader) Next(ctx context.Context) (relay.Record, error) {
	record, err := r.Reader.Next(ctx)
	return relay.Record{
		Seq: record.Seq, Updates: record.Updates, Signed: record.Signed, Project: record.Project,
		Corrupt: record.Corrupt, Raw: record.Raw,
	}, err
}
