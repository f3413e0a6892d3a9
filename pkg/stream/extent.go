package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// BackError says that the stream went back in time: it gave a message a sequence that had been another's. It is an ErrShorter.
type BackError struct {
	Known uint64 // the highest sequence that was known before
	Ends  uint64 // the sequence that the message got
}

func (e *BackError) Error() string {
	return fmt.Sprintf("stream %s gave a message the sequence %d, and had given %d before: %v", Name, e.Ends, e.Known, ErrShorter)
}

func (e *BackError) Unwrap() error { return ErrShorter }

// Saw tells that the stream has held a sequence: a process that knows of a higher one than the stream ends at knows that the
// stream went back in time.
func (s *Stream) Saw(seq uint64) {
	for {
		seen := s.seen.Load()
		if seq <= seen || s.seen.CompareAndSwap(seen, seq) {
			return
		}
	}
}

// Seen is the highest sequence that the stream is known to have held: by what this process read and published, and by Saw.
func (s *Stream) Seen() uint64 { return s.seen.Load() }

// purgeEvery bounds the fillers in the stream, of some 100 bytes each.
const purgeEvery = 100 * maxAtomic

// Extend has the stream end at a sequence, or behind it, by messages that say nothing and are purged at the end: what is
// published then gets a sequence that no process has known under another meaning. The server can only be told to begin at a
// sequence, which would drop what the stream holds. Accepting must halt. After an error it may be repeated. progress is told of
// the sequences that are left, and may be nil.
func (s *Stream) Extend(ctx context.Context, to uint64, progress func(left uint64)) error {
	for since := 0; ; {
		state, err := s.State(ctx)
		if err != nil {
			return err
		}
		left := to - min(to, state.LastSeq)
		if left == 0 || since >= purgeEvery {
			if err := s.stream.Purge(ctx, jetstream.WithPurgeSubject(fillerSubject)); err != nil {
				return fmt.Errorf("couldn't purge the fillers of the stream %s: %w", Name, err)
			}
			since = 0
		}
		if left == 0 {
			return nil
		}
		if progress != nil {
			progress(left)
		}
		fillers := make([]*nats.Msg, min(left, maxAtomic*10))
		for i := range fillers {
			fillers[i] = nats.NewMsg(fillerSubject)
			fillers[i].Data = []byte{version, kindFiller}
		}
		if err := (bulk{s.js, Name}).put(ctx, fillers); err != nil {
			return err
		}
		since += len(fillers)
	}
}

// silentFor is shorter than servers wait before they elect another leader (4 s), and longer than leaders wait between heartbeats
// (1 s): a leader that heard from most of its cluster within it is the only one.
const silentFor = 3 * time.Second

// infoOf asks a stream's leader about it. A server that does not lead it, that came to only while it answered, or that may not lead it any
// more, is an error: what it tells may be old.
func infoOf(ctx context.Context, s jetstream.Stream) (*jetstream.StreamInfo, error) {
	asked := time.Now()
	info, err := s.Info(ctx)
	switch {
	case err != nil:
	case cutOff(info.Cluster):
		err = fmt.Errorf("%w: it does not lead, or does not hear from most of its cluster and may not lead it any more", ErrNotLeading)
	case tookOver(info, time.Since(asked)):
		err = fmt.Errorf("%w: it came to lead it meanwhile", ErrNotLeading)
	}
	return info, err
}

// tookOver tells whether a server may have come to lead after it had read what it answers, within the time that its answer took: one that
// knows no leader answers, too, and reads where the stream ends before it reads since when it leads. Both times are by that server's clock,
// which was set back since where it says less than none.
func tookOver(info *jetstream.StreamInfo, took time.Duration) bool {
	if info.Cluster == nil || len(info.Cluster.Replicas) == 0 || info.Cluster.LeaderSince == nil {
		return false
	}
	leads := info.TimeStamp.Sub(*info.Cluster.LeaderSince)
	return leads >= 0 && leads <= took
}

// cutOff tells whether most of a cluster may have another leader than the server that answered. One that knows no leader answers, too, also
// where it learns of one before it has answered: only who leads says since when. A peer that the server never heard has been active 0 ago.
func cutOff(cluster *jetstream.ClusterInfo) bool {
	if cluster == nil || len(cluster.Replicas) == 0 {
		return false
	}
	heard := 1 // itself
	for _, peer := range cluster.Replicas {
		if !peer.Offline && peer.Active < silentFor && (peer.Active > 0 || peer.Current) {
			heard++
		}
	}
	return cluster.LeaderSince == nil || heard <= (len(cluster.Replicas)+1)/2
}
