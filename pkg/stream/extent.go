package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// BackError reports that the stream went back in time: it assigned a sequence a second time.
type BackError struct {
	Known uint64 // highest sequence known before
	Ends  uint64 // sequence of the new message
}

func (e *BackError) Error() string {
	return fmt.Sprintf("stream %s gave a message the sequence %d, and had given %d before: %v", Name, e.Ends, e.Known, ErrShorter)
}

func (e *BackError) Unwrap() error { return ErrShorter }

// Saw records that the stream has held a sequence. A stream that ends below it went back in time.
func (s *Stream) Saw(seq uint64) {
	for {
		seen := s.seen.Load()
		if seq <= seen || s.seen.CompareAndSwap(seen, seq) {
			return
		}
	}
}

// Seen returns the highest sequence known from this process's reads and publishes, and from Saw.
func (s *Stream) Seen() uint64 { return s.seen.Load() }

// purgeEvery is the number of fillers (some 100 bytes each) after which Extend purges them.
const purgeEvery = 100 * maxAtomic

// Extend publishes fillers until the stream ends at a sequence or above, then purges them. So no later message reuses
// a sequence that some process knows. (The server itself could only begin at a sequence, dropping the content.)
// Accepting must be halted. Extend may be repeated after an error. progress, which may be nil, gets the number of
// missing sequences.
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

// silentFor is shorter than the servers' election timeout (4 s) and longer than a leader's heartbeat interval (1 s).
// So a leader that heard from a majority within it is the only one.
const silentFor = 3 * time.Second

// infoOf returns a stream's state, or ErrNotLeading if the server is not the leader, became it meanwhile, or may have
// lost its majority.
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

// tookOver reports whether the server may have become leader during the request, after it read the state. Such a
// server replies with an end that it read before it led. TimeStamp and LeaderSince are by its clock, which was set
// back if their difference is negative.
func tookOver(info *jetstream.StreamInfo, took time.Duration) bool {
	if info.Cluster == nil || len(info.Cluster.Replicas) == 0 || info.Cluster.LeaderSince == nil {
		return false
	}
	leads := info.TimeStamp.Sub(*info.Cluster.LeaderSince)
	return leads >= 0 && leads <= took
}

// cutOff reports whether most of a cluster may follow another leader than the server that replied. Only a leader sets
// LeaderSince. A peer that it has never heard from has Active 0.
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
