package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// LeadReads turns allow_direct off, so that leaders answer reads of single messages, since outdated copies lead to
// wrong decisions. It skips missing streams and those with one copy. Running processes continue with direct reads,
// and get no more replies to them.
func LeadReads(ctx context.Context, js jetstream.JetStream) error { return leadReads(ctx, js, Names()) }

func leadReads(ctx context.Context, js jetstream.JetStream, names []string) error {
	for _, name := range names {
		s, err := js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("couldn't find the stream %s: %w", name, err)
		}
		config := s.CachedInfo().Config
		if !config.AllowDirect || config.Replicas < 2 {
			continue
		}
		config.AllowDirect = false
		if _, err := js.UpdateStream(ctx, config); err != nil {
			return fmt.Errorf("couldn't have the leader of the stream %s answer its reads: %w", name, err)
		}
	}
	return nil
}

// Lanes is the stream behind LanesBucket.
const Lanes = "KV_" + LanesBucket

// Steady returns the subjects of Lanes that must stay unchanged during a backup: the lane assignment, which agrees
// with the journals, and the paused scopes. The record of top-ups may change, since an outdated one only stops
// payments until an operator looks.
func Steady() []string {
	return []string{"$KV." + LanesBucket + ".roster", "$KV." + LanesBucket + ".paused"}
}

func Names() []string { return append(BackedUp(), LedgerName) }

// BackedUp returns the Names in a backup, in copying order, since they are copied one after another. Journals precede
// dead letters and accepted updates: older journals only repeat work, since letters are replaced and the contract
// applies updates once. Newer journals would refer to updates that the copy lacks, and to dropped ones without a
// letter. The ledger is left out, since the chain holds its content.
func BackedUp() (names []string) {
	for _, bucket := range buckets(Config{}) {
		names = append(names, "KV_"+bucket.Bucket)
	}
	return append(names, JournalName, DeadLettersName, RejectedName, Name)
}

func buckets(cfg Config) []jetstream.KeyValueConfig {
	all := []jetstream.KeyValueConfig{
		{Bucket: LeasesBucket, History: 1, LimitMarkerTTL: time.Second},
		{Bucket: KeysBucket, History: 1},
		{Bucket: ProjectsBucket, History: 1},
		{Bucket: BacklogBucket, History: 1},
		{Bucket: NoticesBucket, History: 1},
		{Bucket: HaltBucket, History: 1},
		{Bucket: LanesBucket, History: 64}, // earlier states, for operators
		{Bucket: WebhooksBucket, History: 1},
		{Bucket: WebhookStates, History: 1}, // after a restore, events are delivered again
	}
	for i := range all {
		all[i].Storage, all[i].Replicas = jetstream.FileStorage, cfg.Replicas
	}
	return all
}

// Complete creates the buckets that an earlier version lacked, with as many copies as the stream has.
func (s *Stream) Complete(ctx context.Context) error {
	return createBuckets(ctx, s.js, Config{Replicas: s.stream.CachedInfo().Config.Replicas})
}

func createBuckets(ctx context.Context, js jetstream.JetStream, cfg Config) error {
	for _, bucket := range buckets(cfg) {
		_, err := js.KeyValue(ctx, bucket.Bucket)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			// another process was first
			if _, err = js.CreateKeyValue(ctx, bucket); errors.Is(err, jetstream.ErrBucketExists) {
				err = nil
			}
			// CreateKeyValue turned allow_direct on
			err = errors.Join(err, leadReads(ctx, js, []string{"KV_" + bucket.Bucket}))
		}
		if err != nil {
			return fmt.Errorf("couldn't create the bucket %s: %w", bucket.Bucket, err)
		}
	}
	return nil
}
