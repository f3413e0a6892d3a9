package stream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	// loadQuiet bounds the wait for the next entry while loading. Only an outage exceeds it, or a connection slower
	// than some 40 kB/s for the largest entries.
	loadQuiet = 30 * time.Second
	// loadBytes is the size of a pull request, and must fit the largest entry twice. If it were much larger, the
	// server would drop a slow connection, and keep other lanes' appends waiting.
	loadBytes = 4 << 20
)

// Journal keeps the lanes' records in a stream of its own, one subject per lane.
//
// Append publishes with the lane's last sequence as a precondition. That compare-and-set is the fence of the whole
// relayer: a session that lost its lane cannot append, and only appended transactions are sent. An append with a lost
// acknowledgement may be stored. Only loading the journal again can decide that, so Append returns lane.ErrAmbiguous
// and never retries.
//
// Journal is safe for concurrent use.
type Journal struct {
	js     jetstream.JetStream
	stream jetstream.Stream

	mu sync.Mutex
	// by lane: the highest sequence of the stream of updates in the entries read and appended
	seen map[score.Lane]uint64
}

// OpenJournal refuses a stream that could drop entries by itself.
func OpenJournal(ctx context.Context, js jetstream.JetStream) (*Journal, error) {
	stream, err := js.Stream(ctx, JournalName)
	if err != nil {
		return nil, fmt.Errorf("couldn't find the stream %s: %w", JournalName, err)
	}
	switch c := stream.CachedInfo().Config; {
	case c.Storage != jetstream.FileStorage:
		return nil, fmt.Errorf("stream %s keeps its entries in memory: it must be file storage", JournalName)
	case c.Retention != jetstream.LimitsPolicy || c.MaxAge != 0 || c.MaxMsgsPerSubject > 0:
		return nil, fmt.Errorf("stream %s forgets entries by itself: it must have limits retention, no age and no bound per subject", JournalName)
	case c.AllowDirect && c.Replicas > 1:
		return nil, fmt.Errorf("any copy of stream %s answers reads, also one that is behind: allow_direct must be off", JournalName)
	case (c.MaxBytes > 0 || c.MaxMsgs > 0) && c.Discard != jetstream.DiscardNew:
		return nil, fmt.Errorf("stream %s discards old entries when full: it must discard new ones", JournalName)
	}
	return &Journal{js: js, stream: stream, seen: map[score.Lane]uint64{}}, nil
}

func journalSubject(id score.Lane) string { return "journal." + strconv.Itoa(int(id)) }

// Load calls fold with the lane's unpurged entries, oldest first and each once, and returns the sequence of the last,
// or 0. It buffers few entries. It may take minutes: only ctx, or loadQuiet without a message, ends it. After an
// error fold has seen some of the entries.
func (j *Journal) Load(ctx context.Context, id score.Lane, fold func(lane.Entry)) (last uint64, err error) {
	last, err = j.Last(ctx, id)
	if err != nil || last == 0 {
		return last, err
	}
	seq := uint64(0)
	fail := func(err error) (uint64, error) {
		return 0, fmt.Errorf("couldn't read the journal of lane %d after sequence %d: %w", id, seq, err)
	}
	opening, cancel := context.WithTimeout(ctx, loadQuiet)
	defer cancel()
	consumer, err := j.stream.OrderedConsumer(opening, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{journalSubject(id)},
		DeliverPolicy:  jetstream.DeliverAllPolicy,

		InactiveThreshold: loadQuiet,
	})
	if err != nil {
		return fail(err)
	}
	defer func() { j.forget(ctx, consumer) }()
	messages, err := consumer.Messages(jetstream.PullMaxBytes(loadBytes), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return fail(err)
	}
	defer messages.Stop()
	for seq < last {
		msg, err := next(ctx, messages)
		if err != nil {
			return fail(err)
		}
		meta, err := msg.Metadata()
		if err != nil {
			return fail(err)
		}
		if meta.Sequence.Stream <= seq {
			continue // a recreated consumer repeats messages
		}
		seq = meta.Sequence.Stream
		if seq > last {
			break // another session is appending; the caller's own append will be fenced
		}
		entry, err := lane.DecodeEntry(msg.Data())
		if err != nil {
			return 0, fmt.Errorf("journal of lane %d, sequence %d: %w", id, seq, err)
		}
		j.saw(id, seenBy(msg.Headers()))
		fold(entry)
	}
	return last, nil
}

// forget deletes a consumer. The server would keep it for a while, and allows a thousand per stream.
func (j *Journal) forget(ctx context.Context, consumer jetstream.Consumer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = j.stream.DeleteConsumer(ctx, consumer.CachedInfo().Name)
}

// headerSeen is the header with the highest sequence of the stream of updates in the journal up to this entry, so
// that reading the last entry suffices.
const headerSeen = "Scorelay-Seen"

func seenBy(header nats.Header) uint64 {
	seq, _ := strconv.ParseUint(header.Get(headerSeen), 10, 64) // written by Append
	return seq
}

func (j *Journal) saw(id score.Lane, seq uint64) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seen[id] = max(j.seen[id], seq)
	return j.seen[id]
}

// Seen returns the highest sequence of the stream of updates in any lane's journal, which the stream must have held.
// It reads the last entry of each lane.
func (j *Journal) Seen(ctx context.Context) (seq uint64, err error) {
	info, err := j.stream.Info(ctx, jetstream.WithSubjectFilter("journal.*"))
	if err != nil {
		return 0, fmt.Errorf("couldn't list the journals: %w", err)
	}
	for lane := range info.State.Subjects {
		msg, err := j.stream.GetLastMsgForSubject(ctx, lane)
		if err != nil {
			return 0, fmt.Errorf("couldn't read the end of %s: %w", lane, err)
		}
		seq = max(seq, seenBy(msg.Header))
	}
	return seq, nil
}

// State folds the lane's journal, as read by Load. It returns lane.ErrCorrupt if the entries contradict each other.
func (j *Journal) State(ctx context.Context, id score.Lane) (state *lane.State, last uint64, err error) {
	var folder lane.Folder
	if last, err = j.Load(ctx, id, folder.Add); err != nil {
		return nil, 0, err
	}
	if state, err = folder.State(); err != nil {
		return nil, 0, fmt.Errorf("couldn't make sense of the journal of lane %d: %w", id, err)
	}
	return state, last, nil
}

func next(ctx context.Context, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	quiet, cancel := context.WithTimeout(ctx, loadQuiet)
	defer cancel()
	msg, err := messages.Next(jetstream.NextContext(quiet))
	if err != nil && ctx.Err() == nil && quiet.Err() != nil {
		return nil, fmt.Errorf("NATS sent nothing for %s: %w", loadQuiet, err)
	}
	return msg, err
}

// Last returns the sequence of the lane's last entry; 0 if there is none.
func (j *Journal) Last(ctx context.Context, id score.Lane) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, loadQuiet)
	defer cancel()
	msg, err := j.stream.GetLastMsgForSubject(ctx, journalSubject(id))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't find the end of the journal of lane %d: %w", id, err)
	}
	return msg.Sequence, nil
}

// Append stores and syncs the entry if last is still the sequence of the lane's last entry, and returns the new last.
// It returns lane.ErrFenced if another session or an operator appended. All other errors, except of encoding, are
// lane.ErrAmbiguous: the entry may be stored.
func (j *Journal) Append(ctx context.Context, id score.Lane, last uint64, e lane.Entry) (uint64, error) {
	data, err := e.Encode()
	if err != nil {
		return 0, err
	}
	msg := nats.NewMsg(journalSubject(id))
	msg.Data = data
	msg.Header.Set(headerSeen, strconv.FormatUint(j.saw(id, e.Seen()), 10))
	ack, err := j.js.PublishMsg(ctx, msg,
		jetstream.WithExpectLastSequencePerSubject(last), jetstream.WithExpectStream(JournalName), jetstream.WithRetryAttempts(0))
	if err == nil {
		return ack.Sequence, nil
	}
	var refused *jetstream.APIError
	if errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) { // in a cluster
		return 0, fmt.Errorf("journal of lane %d: %w: %w", id, lane.ErrFenced, err)
	}
	return 0, fmt.Errorf("journal of lane %d: %w: %w", id, lane.ErrAmbiguous, err)
}

func (j *Journal) Purge(ctx context.Context, id score.Lane, below uint64) error {
	if below <= 1 {
		return nil
	}
	err := j.stream.Purge(ctx, jetstream.WithPurgeSubject(journalSubject(id)), jetstream.WithPurgeSequence(below))
	if err != nil {
		return fmt.Errorf("couldn't purge the journal of lane %d below sequence %d: %w", id, below, err)
	}
	return nil
}
