package httpapi

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/score"
)

const existsTimeout = 2 * time.Second

type created struct {
	ProjectID score.ProjectID `json:"projectId"`
	Status    string          `json:"status"` // always accepted
	StatusURL string          `json:"statusUrl"`
}

// createProject stores one creation durably. The stream accepts one per projectId. If the projectId is taken, the
// problem reports whether the content is the same.
func (s *Server) createProject(c *fiber.Ctx, by *caller) *Problem {
	decode := func(body []byte) (*score.Project, *Problem) { return decodeProject(body, s.config.ScoreTypes) }
	project, cost, p := counted(s, c, by, decode, func(p *score.Project) (score.ProjectID, score.Cost) { return p.ID, s.priceOfCreation(p) })
	if p != nil {
		return p
	}
	if p := s.spendCreation(by, cost); p != nil {
		return p
	}
	if p := s.acceptProject(c, project); p != nil {
		if p.Code != codeNotDurable.Name {
			s.giveCreationBack(by, cost)
		}
		return p
	}
	by.counts.gas.Add(float64(cost.Gas))
	s.log(c).Info("a creation came by this key", "key", by.Key, "name", by.Name, "project", project.ID, "owners", project.Owners)
	s.metrics.creations.WithLabelValues("accepted").Inc()
	return s.send(c, created{project.ID, score.Accepted.String(), statusURL(project.ID)})
}

func (s *Server) acceptProject(c *fiber.Ctx, project *score.Project) *Problem {
	if p := s.notAccepting(&project.ID); p != nil {
		return p
	}
	ctx := s.life
	if _, taken := s.deps.Projects.lookup(project.ID); taken || s.onChain(ctx, c, project.ID) {
		by, exactly := s.deps.Projects.asCreated(project.ID)
		return projectExists(project, by, exactly)
	}

	// The commit point: if persistProject returns nil, the creation is stored and synced.
	if err := s.persistProject(ctx, project, s.spanOf(c)); err != nil {
		var taken *score.TakenError
		if errors.As(err, &taken) {
			return projectExists(project, score.RecordOf(taken.Project), true)
		}
		if errors.Is(err, score.ErrOtherMeaning) {
			return fieldProblem(codeProjectExists, "/projectId",
				"was accepted before and could not be created; another try must begin with the same actions and score types")
		}
		s.log(c).Warn("the API could not store a creation durably; it asks the caller to retry", "project", project.ID, "err", err)
		return s.notStored(err)
	}
	s.deps.Projects.acceptedHere(project) // now, since the caller's updates may precede the stream's message
	if err := s.deps.Statuses.Accepted(ctx, []score.Ref{score.CreationRef(project.ID)}, []string{""}); err != nil {
		s.log(c).Debug("the API could not write the status of an accepted creation; it is accepted all the same", "project", project.ID, "err", err)
	}
	return nil
}

// onChain reports whether the chain has a projectId that is new to the directory and the stream. If the read fails,
// it returns false, since the contract refuses a taken id anyway.
func (s *Server) onChain(ctx context.Context, c *fiber.Ctx, id score.ProjectID) bool {
	ctx, cancel := context.WithTimeout(ctx, existsTimeout)
	defer cancel()
	exists, err := s.deps.Chain.ProjectExists(ctx, id)
	if err != nil {
		s.log(c).Warn("the API could not ask the chain whether a projectId is taken; it accepts the creation, and the contract decides", "project", id, "err", err)
	}
	return err == nil && exists
}

// persistProject stores the creation, and replaces an earlier one that became a dead letter. A *score.TakenError
// means that the id has another creation. request is its span, nil if untraced.
func (s *Server) persistProject(ctx context.Context, project *score.Project, request trace.Span) (err error) {
	msgID := "project-" + s.tokens.next()
	var traces []score.Traced
	if span := publishes(s.deps.Tracer, request, spanCreation, project.ID); span != nil {
		traces = []score.Traced{{Trace: carried(span)}}
		defer func() { published(span, err) }()
	}
	return persist(ctx, s.config.AcceptTimeout, s.metrics, func(ctx context.Context) (bool, error) {
		err := s.deps.Publisher.PublishProject(ctx, msgID, project, s.deps.Projects.deadSeq(project.ID), traces...)
		var taken *score.TakenError
		switch {
		case errors.Is(err, score.ErrOtherMeaning):
			return true, err
		case !errors.As(err, &taken):
			return err == nil || notTaken(err), err
		case s.deps.Projects.deadSeq(project.ID) >= taken.Seq: // by now known to be a dead letter: try again
			return false, err
		default:
			return true, err
		}
	})
}

// projectExists returns the problem of a taken projectId. If exactly is set, by is the project as created; otherwise
// edits may have changed it.
func projectExists(project *score.Project, by *score.Record, exactly bool) *Problem {
	p := fieldProblem(codeProjectExists, "/projectId", "is taken")
	if same := reflect.DeepEqual(score.RecordOf(project), by); same || exactly {
		p.Same = &same
	}
	return p
}

func statusURL(id score.ProjectID) string { return "/projects/" + id.String() }
