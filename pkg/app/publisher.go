package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// publisher is the stream in the API's words.
type publisher struct{ stream *stream.Stream }

// PublishEnvelope stores updates of one lane as one message.
func (p publisher) PublishEnvelope(
	ctx context.Context, lane score.Lane, msgID string, updates []score.Update, signed []score.Signed,
) error {
	return forAPI(p.stream.PublishEnvelope(ctx, lane, msgID, updates, signed))
}

// PublishProject stores a creation, once per projectId.
func (p publisher) PublishProject(ctx context.Context, msgID string, project *score.Project, replaces uint64) error {
	return forAPI(p.stream.PublishProject(ctx, msgID, project, replaces))
}

func forAPI(err error) error {
	var taken *stream.TakenError
	switch {
	case errors.As(err, &taken):
		return &httpapi.TakenError{Seq: taken.Seq, Project: taken.Project}
	case errors.Is(err, stream.ErrFull):
		return fmt.Errorf("%w: %w", httpapi.ErrFull, err)
	case errors.Is(err, stream.ErrOtherMeaning):
		return fmt.Errorf("%w: %w", httpapi.ErrOtherMeaning, err)
	default:
		return err
	}
}
