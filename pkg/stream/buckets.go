package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// LeadReads has the leaders of all streams and buckets answer reads of single messages, where older versions of this program had
// any of their copies answer. A copy that is behind tells what is past: that a creation does not exist, or a project's record as
// it was, and what is decided by that is wrong. What does not exist, or has one copy, is passed over. Processes that run ask as they did
// when they started, and get no answer any more.
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

// Lanes is the stream behind the bucket of the roster of lanes.
const Lanes = "KV_" + LanesBucket

// Steady are the subjects of Lanes that may not change while copies are made: the roster, with which the journals agree, and what is paused.
// The record of top-ups may: it is written with each payment, and an older one stops them until an operator looks.
func Steady() []string {
	return []string{"$KV." + LanesBucket + ".roster", "$KV." + LanesBucket + ".paused"}
}

// Names are all that a deployment keeps in JetStream.
func Names() []string { return append(BackedUp(), LedgerName) }

// BackedUp are those of Names that a backup holds, in the order in which they are copied, since the copies are of one
// moment only nearly. What is older than what comes after it costs work again: journals that are older than the dead
// letters and the accepted updates write the same letters again and bind updates again, which the contract applies
// once. The other way round they would have bound what is not there, and dropped what no letter tells of. The ledger is
// left out: the chain has all that is in it.
func BackedUp() (names []string) {
	for _, bucket := range buckets(Config{}) {
		names = append(names, "KV_"+bucket.Bucket)
	}
	return append(names, JournalName, DeadLettersName, RejectedName, Name)
}

// buckets are those of all packages.
func buckets(cfg Config) []jetstream.KeyValueConfig {
	all := []jetstream.KeyValueConfig{
		{Bucket: LeasesBucket, History: 1, LimitMarkerTTL: time.Second},
		{Bucket: KeysBucket, History: 1},
		{Bucket: ProjectsBucket, History: 1},
		{Bucket: BacklogBucket, History: 1},
		{Bucket: NoticesBucket, History: 1},
		{Bucket: HaltBucket, History: 1},
		{Bucket: LanesBucket, History: 64}, // what it was before, for people
		{Bucket: WebhooksBucket, History: 1},
		{Bucket: WebhookStates, History: 1}, // an older copy delivers again
	}
	for i := range all {
		all[i].Storage, all[i].Replicas = jetstream.FileStorage, cfg.Replicas
	}
	return all
}

// Complete creates the buckets that a deployment of an earlier version lacks, with as many copies as the stream has.
func (s *Stream) Complete(ctx context.Context) error {
	return createBuckets(ctx, s.js, Config{Replicas: s.stream.CachedInfo().Config.Replicas})
}

// createBuckets creates those that do not exist yet.
func createBuckets(ctx context.Context, js jetstream.JetStream, cfg Config) error {
	for _, bucket := range buckets(cfg) {
		_, err := js.KeyValue(ctx, bucket.Bucket)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			if _, err = js.CreateKeyValue(ctx, bucket); errors.Is(err, jetstream.ErrBucketExists) { // another process was first
				err = nil
			}
			err = errors.Join(err, leadReads(ctx, js, []string{"KV_" + bucket.Bucket})) // the client has any copy answer
		}
		if err != nil {
			return fmt.Errorf("couldn't create the bucket %s: %w", bucket.Bucket, err)
		}
	}
	return nil
}
