package deadletter

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

var (
	// ErrNoReplay refuses a corrupt message.
	ErrNoReplay = errors.New("its message cannot be read, so there is nothing to accept")
	ErrReplayed = errors.New("it was accepted again before; if it was rejected again, that is another dead letter")
	// ErrEdit refuses an edit, since it may be invalid by now. The API checks a resubmitted edit.
	ErrEdit = errors.New("an owner's edit is not replayed: have the owner sign it again, and send it to POST /projects/{projectId}/edits; its nonce is free")
	// ErrSigned refuses an update of a signed group, since the signature covers the whole group and is gone. Without
	// it, the update would rest on the service's word instead of its signer's.
	ErrSigned = errors.New("its signer signed it together with others, and replayed alone it would go without that signature; " +
		"have the backend sign it and send it again: its updateId is unused")
	ErrSignedOnly = errors.New("the project takes signed groups only, and this update was not in one; " +
		"have the backend sign it and send it to POST /update-scores: its updateId is unused")
)

// Replays is safe for concurrent use.
type Replays struct {
	stream   *stream.Stream
	projects *kv.Projects
	marks    halt.Marks
}

func Open(ctx context.Context, js jetstream.JetStream, s *stream.Stream) (*Replays, error) {
	projects, err := kv.OpenProjects(ctx, js)
	if err != nil {
		return nil, err
	}
	marks, err := halt.Open(ctx, js)
	if err != nil {
		return nil, err
	}
	return &Replays{stream: s, projects: projects, marks: marks}, nil
}

// Replay accepts the content of dead letters again. It continues after one that cannot be replayed; the error names
// each of these. While accepting halts, it replays none.
func (r *Replays) Replay(ctx context.Context, letters []score.DeadLetter) (replayed int, err error) {
	marker, _, err := r.marks.Get(ctx)
	if err != nil {
		return 0, err
	}
	if marker.Halts() {
		return 0, fmt.Errorf("accepting halts, see `scorelay halt show`: %s", marker.Reason)
	}
	var left []error
	for _, letter := range letters {
		if err := r.replay(ctx, letter); err != nil {
			left = append(left, fmt.Errorf("couldn't replay %s (%s): %w", ID(&letter), Subject(&letter), err))
		}
	}
	return len(letters) - len(left), errors.Join(left...)
}

// replay accepts the letter's content, and then marks the letter, which stays as the outcome of the first acceptance.
// If a replay dies before the mark, a repetition within the duplicate window accepts the content once, by its message
// id. A later one accepts an update twice, which applies once; a creation is accepted once.
func (r *Replays) replay(ctx context.Context, letter score.DeadLetter) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := r.Replayable(ctx, letter); err != nil {
		return err
	}
	msgID := "replay-" + letter.ID
	var err error
	switch {
	case letter.Update != nil:
		// so that a letter stored again under the same id has another msgID
		msgID += "-" + strconv.FormatInt(letter.Time.UnixNano(), 36)
		err = r.stream.PublishEnvelope(ctx, msgID, []score.Update{*letter.Update}, nil)
	default:
		err = r.stream.PublishProject(ctx, msgID, letter.Project, letter.Seq)
	}
	if err != nil {
		return err
	}
	return r.stream.MarkReplayed(ctx, letter, time.Now().UTC())
}

// Replayable returns nil if a dead letter may be replayed, else the reason.
func (r *Replays) Replayable(ctx context.Context, letter score.DeadLetter) error {
	switch {
	case !letter.Replayed.IsZero():
		return ErrReplayed
	case letter.Edit != nil:
		return ErrEdit
	case letter.Update == nil && letter.Project == nil:
		return ErrNoReplay
	case letter.Update == nil:
		return nil
	case letter.Signed || letter.Outcome == score.BadSignature:
		return ErrSigned
	}
	record, err := r.projects.Project(ctx, letter.Update.Project)
	if err == nil && record != nil && record.SignedOnly {
		err = ErrSignedOnly
	}
	return err
}
