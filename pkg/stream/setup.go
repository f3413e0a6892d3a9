package stream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// The names of everything Scorelay keeps in JetStream. Journal, leases, keys and projects belong to the packages of
// those names; they are created here so that one command sets a deployment up.
const (
	Name            = "SCORELAY"
	JournalName     = "JOURNAL"
	DeadLettersName = "DEADLETTERS"
	RejectedName    = "REJECTED"
	LeasesBucket    = "LEASES"
	KeysBucket      = "KEYS"
	ProjectsBucket  = "PROJECTS"
)

const (
	subjectPrefix     = "scorelay.lane."
	deadPrefix        = "scorelay.dead."
	rejectedPrefix    = "scorelay.rejected."
	maxMessageBytes   = 512 << 10
	minDuplicates     = time.Minute
	metaLanes         = "scorelay.lanes"
	metaChainID       = "scorelay.chain_id"
	metaContract      = "scorelay.contract"
	metaDeployBlock   = "scorelay.deploy_block"
	deadLettersMaxMiB = 1024
)

// ErrMismatch says that the stream belongs to another deployment than the one asked for.
var ErrMismatch = errors.New("the stream belongs to another deployment")

// ErrNotSetUp says that there is no stream yet: `scorelay setup` has not run on this NATS.
var ErrNotSetUp = errors.New("the stream does not exist yet: run `scorelay setup`")

// ErrUnsafe says that the stream or server is configured so that an accepted update could be lost.
var ErrUnsafe = errors.New("not durable")

// Deployment is what all processes of one installation must agree on.
type Deployment struct {
	Lanes       int            // 1 … score.MaxLanes
	ChainID     uint64         // EIP-155
	Contract    common.Address // the ScoreRegistry
	DeployBlock uint64         // the block the contract was deployed in: where reading its events begins
}

// Config is what Setup needs to know.
type Config struct {
	Deployment
	Replicas   int           // of every stream and bucket: 1, 3 or 5. Default 1
	MaxBytes   int64         // bound of the stream of accepted updates; full means 503. Default 8 GiB
	Duplicates time.Duration // how long a message id is remembered; at least a minute. Default ten minutes
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

func (c Config) validate() error {
	switch {
	case c.Lanes < 1 || c.Lanes > score.MaxLanes:
		return fmt.Errorf("the number of lanes must be from 1 to %d, is %d", score.MaxLanes, c.Lanes)
	case c.Duplicates < minDuplicates:
		return fmt.Errorf("the duplicate window must be at least %s, is %s", minDuplicates, c.Duplicates)
	case c.Contract == (common.Address{}):
		return errors.New("the contract's address is missing")
	}
	return nil
}

func (d Deployment) metadata() map[string]string {
	return map[string]string{
		metaLanes:       strconv.Itoa(d.Lanes),
		metaChainID:     strconv.FormatUint(d.ChainID, 10),
		metaContract:    d.Contract.Hex(),
		metaDeployBlock: strconv.FormatUint(d.DeployBlock, 10),
	}
}

func deploymentOf(meta map[string]string) (Deployment, error) {
	lanes, err := strconv.Atoi(meta[metaLanes])
	if err != nil || lanes < 1 || lanes > score.MaxLanes {
		return Deployment{}, fmt.Errorf("stream %s: metadata %s is %q, want 1 to %d", Name, metaLanes, meta[metaLanes], score.MaxLanes)
	}
	chainID, err := strconv.ParseUint(meta[metaChainID], 10, 64)
	if err != nil {
		return Deployment{}, fmt.Errorf("stream %s: metadata %s: %w", Name, metaChainID, err)
	}
	if !common.IsHexAddress(meta[metaContract]) {
		return Deployment{}, fmt.Errorf("stream %s: metadata %s is %q, not an address", Name, metaContract, meta[metaContract])
	}
	block, err := strconv.ParseUint(meta[metaDeployBlock], 10, 64)
	if err != nil {
		return Deployment{}, fmt.Errorf("stream %s: metadata %s: %w", Name, metaDeployBlock, err)
	}
	return Deployment{lanes, chainID, common.HexToAddress(meta[metaContract]), block}, nil
}

// Setup creates every stream and bucket that does not exist yet, the stream of accepted updates last, so that Open
// finds it only when all is there. Running it again with the same deployment does what Complete does; with another it
// is ErrMismatch.
func Setup(ctx context.Context, js jetstream.JetStream, cfg Config) error {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return err
	}
	existing, err := Open(ctx, js)
	switch {
	case err == nil && existing.deployment != cfg.Deployment:
		return fmt.Errorf("%w: it has %+v, asked for %+v", ErrMismatch, existing.deployment, cfg.Deployment)
	case err == nil:
		_, err = Complete(ctx, js)
		return err
	case !errors.Is(err, ErrNotSetUp):
		return err
	}
	for _, bucket := range []jetstream.KeyValueConfig{
		{Bucket: LeasesBucket, History: 1, Replicas: cfg.Replicas, LimitMarkerTTL: time.Second},
		{Bucket: KeysBucket, History: 1, Replicas: cfg.Replicas},
		{Bucket: ProjectsBucket, History: 1, Replicas: cfg.Replicas},
	} {
		bucket.Storage = jetstream.FileStorage
		if _, err := js.CreateKeyValue(ctx, bucket); err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
			return fmt.Errorf("couldn't create the bucket %s: %w", bucket.Bucket, err)
		}
	}
	for _, s := range []jetstream.StreamConfig{
		journalConfig(cfg), deadLettersConfig(cfg.Replicas), rejectedConfig(cfg.Replicas), streamConfig(cfg),
	} {
		if err := create(ctx, js, s); err != nil {
			return err
		}
	}
	created, err := Open(ctx, js)
	if err != nil {
		return err
	}
	if created.deployment != cfg.Deployment {
		return fmt.Errorf("%w: somebody else set it up at the same time with %+v", ErrMismatch, created.deployment)
	}
	return nil
}

func create(ctx context.Context, js jetstream.JetStream, cfg jetstream.StreamConfig) error {
	if _, err := js.CreateStream(ctx, cfg); err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return fmt.Errorf("couldn't create the stream %s: %w", cfg.Name, err)
	}
	return nil
}

// Complete brings a deployment that an earlier version set up in line with this one, and opens it: the letters that an
// event tells of too get a stream of their own, and dead letters may be stored many at a time. Where that fails,
// everything works as it did, so a caller may go on. It may repeat, and several may do it at once.
func Complete(ctx context.Context, js jetstream.JetStream) (*Stream, error) {
	s, err := Open(ctx, js)
	if err != nil {
		return nil, err
	}
	if s.rejected == nil {
		if err := create(ctx, js, rejectedConfig(s.stream.CachedInfo().Config.Replicas)); err != nil {
			return nil, err
		}
	}
	if !s.dead.atomic {
		cfg := s.dead.CachedInfo().Config
		cfg.AllowAtomicPublish = true
		if _, err := js.UpdateStream(ctx, cfg); err != nil {
			return nil, fmt.Errorf("couldn't update the stream %s: %w", DeadLettersName, err)
		}
	}
	return Open(ctx, js)
}

func streamConfig(cfg Config) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        Name,
		Description: "accepted updates and creations, by lane",
		Subjects:    []string{subjectPrefix + "*.updates", subjectPrefix + "*.project.*"},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardNew,
		MaxBytes:    cfg.MaxBytes,
		MaxMsgSize:  maxMessageBytes,
		Duplicates:  cfg.Duplicates,
		Replicas:    cfg.Replicas,
		AllowDirect: true,
		DenyDelete:  true,
		Metadata:    cfg.metadata(),
	}
}

func journalConfig(cfg Config) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        JournalName,
		Description: "what each lane has bound to slots, append-only",
		Subjects:    []string{"journal.*"},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardNew,
		Replicas:    cfg.Replicas,
		DenyDelete:  true,
	}
}

func deadLettersConfig(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:               DeadLettersName,
		Description:        "accepted updates and creations that were rejected, and no event tells of it",
		Subjects:           []string{deadPrefix + ">"},
		Storage:            jetstream.FileStorage,
		Retention:          jetstream.LimitsPolicy,
		Discard:            jetstream.DiscardOld,
		MaxBytes:           deadLettersMaxMiB << 20,
		MaxMsgsPerSubject:  1,
		Replicas:           replicas,
		AllowDirect:        true,
		AllowAtomicPublish: true,
	}
}

// rejectedConfig is of a stream apart, so that a flood of updates that the contract rejects pushes out only letters of
// their kind.
func rejectedConfig(replicas int) jetstream.StreamConfig {
	cfg := deadLettersConfig(replicas)
	cfg.Name, cfg.Subjects = RejectedName, []string{rejectedPrefix + ">"}
	cfg.Description = "accepted updates that the contract rejected, as its events tell too"
	return cfg
}

// unsafeBecause names the first setting of the stream that breaks its promise, or is empty.
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
	case c.Duplicates < minDuplicates:
		return fmt.Sprintf("its duplicate window is %s; it must be at least %s", c.Duplicates, minDuplicates)
	}
	return ""
}

// Stream is the handle of the streams of one deployment. It is safe for concurrent use.
type Stream struct {
	js         jetstream.JetStream
	stream     jetstream.Stream
	dead       *shelf
	rejected   *shelf // nil in a deployment of an earlier version that was not completed
	deployment Deployment
	created    time.Time
}

// Open finds the streams that Setup made. ErrNotSetUp if there are none, ErrUnsafe if a setting of the stream would
// break its promise.
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
	dead, err := openShelf(ctx, js, DeadLettersName, deadPrefix)
	if err != nil {
		return nil, err
	}
	rejected, err := openShelf(ctx, js, RejectedName, rejectedPrefix)
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, err
	}
	return &Stream{js: js, stream: s, dead: dead, rejected: rejected, deployment: deployment, created: info.Created}, nil
}

// Deployment tells what the streams were set up for.
func (s *Stream) Deployment() Deployment { return s.deployment }

// Created is when the stream of accepted updates was made: its identity.
func (s *Stream) Created() time.Time { return s.created }

// State is what the stream of accepted updates holds now.
type State struct {
	Created           time.Time
	FirstSeq, LastSeq uint64
	Messages, Bytes   uint64
}

// State asks the server for the stream's state.
func (s *Stream) State(ctx context.Context) (State, error) {
	info, err := s.stream.Info(ctx)
	if err != nil {
		return State{}, fmt.Errorf("couldn't read the state of the stream %s: %w", Name, err)
	}
	return State{info.Created, info.State.FirstSeq, info.State.LastSeq, info.State.Msgs, info.State.Bytes}, nil
}

// LaneTail is the sequence of a lane's last message, or 0 when the stream holds none of that lane.
func (s *Stream) LaneTail(ctx context.Context, lane score.Lane) (uint64, error) {
	msg, err := s.stream.GetLastMsgForSubject(ctx, laneSubject(lane, ">"))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't find the last message of lane %d: %w", lane, err)
	}
	return msg.Sequence, nil
}

// Purge deletes all messages with a sequence lower than below. Only what is final, and older than the duplicate
// window and the audit horizon, may be purged.
func (s *Stream) Purge(ctx context.Context, below uint64) error {
	if below <= 1 {
		return nil // 0 would mean all to the server
	}
	if err := s.stream.Purge(ctx, jetstream.WithPurgeSequence(below)); err != nil {
		return fmt.Errorf("couldn't purge the stream %s below sequence %d: %w", Name, below, err)
	}
	return nil
}

func laneSubject(lane score.Lane, rest string) string {
	return subjectPrefix + strconv.Itoa(int(lane)) + "." + rest
}
