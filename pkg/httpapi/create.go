package httpapi

import (
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
)

// existsTimeout bounds the question to the chain whether a projectId is taken.
const existsTimeout = 2 * time.Second

// created is the body of a 200 of create-project.
type created struct {
	ProjectID score.ProjectID `json:"projectId"`
	Status    string          `json:"status"` // a stage
	StatusURL string          `json:"statusUrl"`
}

// createProject makes one creation durable. The stream takes one per projectId: of two at once, on whatever replicas,
// one is stored. A projectId that is taken is refused, whatever the creation says: whoever lost an answer asks for the
// project and sees what was accepted.
func (s *Server) createProject(c *fiber.Ctx) *Problem {
	ctx := s.life
	body, p := jsonBody(c)
	if p != nil {
		return p
	}
	project, p := decodeProject(body, s.config.ScoreTypes)
	if p != nil {
		return p
	}
	if _, _, taken := s.projects.lookup(project.ID); taken || s.onChain(ctx, project.ID) {
		return projectExists()
	}

	// The commit point: persistProject returns nil when the creation is stored and synced.
	if err := s.persistProject(ctx, project); err != nil {
		var taken *TakenError
		if errors.As(err, &taken) {
			return projectExists()
		}
		if errors.Is(err, ErrOtherMeaning) {
			return fieldProblem(codeProjectExists, "/projectId",
				"was accepted before and could not be created; another try must begin with the same actions and score types")
		}
		s.log.Warn("a creation could not be made durable; telling its caller to send again", "project", project.ID, "err", err)
		return notStored(err)
	}
	s.projects.acceptedHere(project) // the caller's updates may come before the stream tells us
	if err := s.statuses.ProjectAccepted(ctx, project.ID); err != nil {
		s.log.Debug("an accepted creation could not be marked; it is accepted all the same", "project", project.ID, "err", err)
	}
	s.metrics.creations.WithLabelValues("accepted").Inc()
	return s.send(c, created{project.ID, score.Accepted.String(), statusURL(project.ID)})
}

// onChain asks the chain about a projectId neither the directory nor the stream knows. Without an answer the creation
// goes on: the contract refuses a taken id.
func (s *Server) onChain(ctx context.Context, id score.ProjectID) bool {
	ctx, cancel := context.WithTimeout(ctx, existsTimeout)
	defer cancel()
	exists, err := s.chain.ProjectExists(ctx, id)
	if err != nil {
		s.log.Warn("couldn't ask the chain whether a projectId is taken; accepting the creation, the contract decides", "project", id, "err", err)
	}
	return err == nil && exists
}

// persistProject stores the creation in the place of one that became a dead letter, if there is one. A *TakenError means
// that another one is there.
func (s *Server) persistProject(ctx context.Context, project *score.Project) error {
	msgID := "project-" + s.tokens.next()
	return persist(ctx, s.config.AcceptTimeout, s.metrics, func(ctx context.Context) (bool, error) {
		err := s.publisher.PublishProject(ctx, msgID, project, s.projects.deadSeq(project.ID))
		var taken *TakenError
		switch {
		case errors.Is(err, ErrOtherMeaning):
			return true, err
		case !errors.As(err, &taken):
			return err == nil || errors.Is(err, ErrFull), err
		case s.projects.deadSeq(project.ID) >= taken.Seq: // it became known only now that this one is a dead letter
			return false, err
		default:
			return true, err
		}
	})
}

func projectExists() *Problem {
	return fieldProblem(codeProjectExists, "/projectId", "is taken")
}

func statusURL(id score.ProjectID) string { return "/projects/" + id.String() }
