package stream

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// This package creates all of these, so that one command sets up a deployment.
const (
	Name            = "SCORELAY"
	JournalName     = "JOURNAL"
	DeadLettersName = "DEADLETTERS"
	RejectedName    = "REJECTED"
	LeasesBucket    = "LEASES"
	KeysBucket      = "KEYS"
	ProjectsBucket  = "PROJECTS"
	BacklogBucket   = "BACKLOG"
	HaltBucket      = "HALT"
	LanesBucket     = "LANES"
	NoticesBucket   = "NOTICES"
	WebhooksBucket  = "WEBHOOKS"
	WebhookStates   = "WEBHOOKSTATES"
)

const (
	updatesSubject  = "scorelay.updates"
	projectPrefix   = "scorelay.project."
	fillerSubject   = "scorelay.filler"
	deadPrefix      = "scorelay.dead."
	rejectedPrefix  = "scorelay.rejected."
	maxMessageBytes = score.MostStored
	minDuplicates   = time.Minute
	metaDeployment  = "scorelay.deployment" // score.Deployment as JSON
	metaSalt        = "scorelay.salt"       // Stream.Salt in hex

	// CreatedKey is metadata that a restore writes: the stream's first creation time, in RFC 3339, since the server
	// sets a new one.
	CreatedKey        = "scorelay.created"
	deadLettersMaxMiB = 1024
)

var ErrMismatch = errors.New("the stream belongs to another deployment")

var ErrNotSetUp = errors.New("the stream does not exist yet: run `scorelay setup`")

// ErrUnsafe reports a setting of the stream or server that could lose an accepted update.
var ErrUnsafe = errors.New("not durable")

type Config struct {
	score.Deployment
	Replicas   int           // of streams and buckets: 1, 3 or 5. Default 1.
	MaxBytes   int64         // of accepted updates; full means 503. Default 8 GiB.
	Duplicates time.Duration // memory of message ids; ≥ 1 minute. Default 10 minutes.
}

func (c Config) withDefaults() Config {
	if c.Replicas == 0 {
		c.Replicas = 1
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 8 << 30
	}
	if c.Duplicates == 0 {
		c.Duplicates = 10 * time.Minute
	}
	return c
}

func validate(d score.Deployment) error {
	switch {
	case d.Lanes < 1 || d.Lanes > score.MaxLanes:
		return fmt.Errorf("the number of lanes must be from 1 to %d, is %d", score.MaxLanes, d.Lanes)
	case d.Contract == (common.Address{}):
		return errors.New("the contract's address is missing")
	}
	return nil
}

func deploymentOf(meta map[string]string) (d score.Deployment, err error) {
	if err := json.Unmarshal([]byte(meta[metaDeployment]), &d); err != nil {
		return d, fmt.Errorf("stream %s: couldn't read the metadata %s: %w", Name, metaDeployment, err)
	}
	if err := validate(d); err != nil {
		return d, fmt.Errorf("stream %s: metadata %s: %w", Name, metaDeployment, err)
	}
	return d, nil
}

func createdOf(info *jetstream.StreamInfo) (time.Time, error) {
	text, restored := info.Config.Metadata[CreatedKey]
	if !restored {
		return info.Created, nil
	}
	created, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("stream %s: the metadata %s is no time: %w", info.Config.Name, CreatedKey, err)
	}
	return created, nil
}

// saltOf reads the secret salt; its errors omit the value.
func saltOf(meta map[string]string) (salt [16]byte, err error) {
	b, err := hex.DecodeString(meta[metaSalt])
	if err != nil || len(b) != len(salt) {
		return salt, fmt.Errorf("stream %s: the metadata %s is missing or not %d bytes in hex", Name, metaSalt, len(salt))
	}
	return [16]byte(b), nil
}

// Setup creates the missing streams and buckets, the stream of accepted updates last, so that Open finds only
// complete deployments. It may be repeated. ErrMismatch: another deployment exists.
func Setup(ctx context.Context, js jetstream.JetStream, cfg Config) error {
	cfg = cfg.withDefaults()
	if err := validate(cfg.Deployment); err != nil {
		return err
	}
	if cfg.Duplicates < minDuplicates {
		return fmt.Errorf("the duplicate window must be at least %s, is %s", minDuplicates, cfg.Duplicates)
	}
	deployment, err := json.Marshal(cfg.Deployment)
	if err != nil {
		return fmt.Errorf("couldn't encode the deployment: %w", err)
	}
	existing, err := Open(ctx, js)
	switch {
	case err == nil && existing.deployment != cfg.Deployment:
		return fmt.Errorf("%w: it has %+v, asked for %+v", ErrMismatch, existing.deployment, cfg.Deployment)
	case err == nil:
		return existing.Complete(ctx)
	case !errors.Is(err, ErrNotSetUp):
		return err
	}
	if err := createBuckets(ctx, js, cfg); err != nil {
		return err
	}
	if err := LeadReads(ctx, js); err != nil { // for the buckets of an interrupted setup
		return err
	}
	for _, s := range streamConfigs(cfg, string(deployment)) {
		if _, err := js.CreateStream(ctx, s); err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return notCreated(s, err)
		}
	}
	created, err := Open(ctx, js)
	if err != nil {
		return err
	}
	if created.deployment != cfg.Deployment {
		return fmt.Errorf("%w: another setup at the same time made it with %+v", ErrMismatch, created.deployment)
	}
	// here, since processes that create a replicated stream at the same moment take minutes to get ready
	_, err = created.Ledger(ctx, nil)
	return err
}

// streamConfigs returns the configurations of all streams except the ledger, accepted updates last.
func streamConfigs(cfg Config, deployment string) []jetstream.StreamConfig {
	journal := jetstream.StreamConfig{
		Name:        JournalName,
		Description: "what each lane has bound to slots, append-only",
		Subjects:    []string{"journal.*"},
		Discard:     jetstream.DiscardNew,
		DenyDelete:  true,
	}
	dead := jetstream.StreamConfig{
		Name:               DeadLettersName,
		Description:        "accepted updates and creations that were rejected, and no event tells of it",
		Subjects:           []string{deadPrefix + ">"},
		Discard:            jetstream.DiscardOld,
		MaxBytes:           deadLettersMaxMiB << 20,
		MaxMsgsPerSubject:  1,
		AllowAtomicPublish: true,
	}
	rejected := dead
	rejected.Name, rejected.Subjects = RejectedName, []string{rejectedPrefix + ">"}
	rejected.Description = "accepted updates that the contract rejected, as its events tell too"
	var salt [16]byte
	_, _ = rand.Read(salt[:]) // never fails
	accepted := jetstream.StreamConfig{
		Name:        Name,
		Description: "accepted updates and creations",
		Subjects:    []string{updatesSubject, projectPrefix + "*", fillerSubject},
		Discard:     jetstream.DiscardNew,
		MaxBytes:    cfg.MaxBytes,
		MaxMsgSize:  maxMessageBytes,
		Duplicates:  cfg.Duplicates,
		DenyDelete:  true,
		Metadata:    map[string]string{metaDeployment: deployment, metaSalt: hex.EncodeToString(salt[:])},

		AllowAtomicPublish: true, // for Extend
	}
	configs := []jetstream.StreamConfig{journal, dead, rejected, accepted}
	for i := range configs {
		configs[i].Storage, configs[i].Retention, configs[i].Replicas = jetstream.FileStorage, jetstream.LimitsPolicy, cfg.Replicas
	}
	return configs
}

// unsafeBecause returns why a stream is unsafe; "" if it is safe.
func unsafeBecause(c jetstream.StreamConfig) string {
	switch {
	case c.Storage != jetstream.FileStorage:
		return "its storage is memory; it must be file"
	case c.Retention != jetstream.LimitsPolicy:
		return fmt.Sprintf("its retention is %s; it must be limits", c.Retention)
	case c.Discard != jetstream.DiscardNew:
		return "it discards old messages when full; it must discard new ones"
	case c.MaxAge != 0:
		return fmt.Sprintf("it deletes messages after %s; it must not have a maximum age", c.MaxAge)
	case c.MaxMsgsPerSubject > 0:
		return "it bounds the messages of a subject; it must not"
	case c.PersistMode != jetstream.DefaultPersistMode:
		return "its persist mode is asynchronous; it must be the default"
	case c.NoAck:
		return "it does not acknowledge publishes"
	case c.AllowDirect && c.Replicas > 1:
		return "any of its copies answers reads (allow_direct), also one that is behind; `scorelay setup` changes that"
	case c.Duplicates < minDuplicates:
		return fmt.Sprintf("its duplicate window is %s; it must be at least %s", c.Duplicates, minDuplicates)
	}
	return ""
}

// Stream is safe for concurrent use.
type Stream struct {
	js         jetstream.JetStream
	stream     jetstream.Stream
	dead       *deadLetterStream
	rejected   *deadLetterStream
	deployment score.Deployment
	salt       [16]byte
	created    time.Time
	seen       atomic.Uint64 // highest sequence known
}

// Open finds the streams of Setup. Errors: ErrNotSetUp, ErrUnsafe.
func Open(ctx context.Context, js jetstream.JetStream) (*Stream, error) {
	s, err := js.Stream(ctx, Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, ErrNotSetUp
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't find the stream %s: %w", Name, err)
	}
	info := s.CachedInfo()
	if why := unsafeBecause(info.Config); why != "" {
		return nil, fmt.Errorf("stream %s is %w: %s", Name, ErrUnsafe, why)
	}
	deployment, err := deploymentOf(info.Config.Metadata)
	if err != nil {
		return nil, err
	}
	salt, err := saltOf(info.Config.Metadata)
	if err != nil {
		return nil, err
	}
	created, err := createdOf(info)
	if err != nil {
		return nil, err
	}
	dead, err := openDeadLetters(ctx, js, DeadLettersName, deadPrefix)
	if err != nil {
		return nil, err
	}
	rejected, err := openDeadLetters(ctx, js, RejectedName, rejectedPrefix)
	if err != nil {
		return nil, err
	}
	return &Stream{js: js, stream: s, dead: dead, rejected: rejected, deployment: deployment, salt: salt, created: created}, nil
}

func (s *Stream) Deployment() score.Deployment { return s.deployment }

// Salt returns the deployment's secret, drawn by Setup. Hashing callers' values with it keeps callers from choosing
// the hash. Never log it.
func (s *Stream) Salt() [16]byte { return s.salt }

// Created returns when the stream was first created, before any restore: its identity.
func (s *Stream) Created() time.Time { return s.created }

// State returns the stream's state, or ErrNotLeading.
func (s *Stream) State(ctx context.Context) (score.StreamState, error) {
	info, err := infoOf(ctx, s.stream)
	if err != nil {
		return score.StreamState{}, fmt.Errorf("couldn't read the state of the stream %s: %w", Name, err)
	}
	created, err := createdOf(info)
	if err != nil {
		return score.StreamState{}, err
	}
	return score.StreamState{
		Created: created, FirstSeq: info.State.FirstSeq, LastSeq: info.State.LastSeq, LastTime: info.State.LastTime, Messages: info.State.Msgs, Bytes: info.State.Bytes,
		MaxBytes: uint64(max(info.Config.MaxBytes, 0)),
	}, nil
}

// Now returns the leader's clock, read during the call.
func (s *Stream) Now(ctx context.Context) (time.Time, error) {
	info, err := s.stream.Info(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("couldn't read the time of the server that leads the stream %s: %w", Name, err)
	}
	return info.TimeStamp, nil
}

// Purge deletes all messages below a sequence. They must be final and older than the duplicate window.
func (s *Stream) Purge(ctx context.Context, below uint64) error {
	if below <= 1 {
		return nil // to the server, 0 would mean all
	}
	if err := s.stream.Purge(ctx, jetstream.WithPurgeSequence(below)); err != nil {
		return fmt.Errorf("couldn't purge the stream %s below sequence %d: %w", Name, below, err)
	}
	return nil
}
