package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// readTimeout bounds one question to the chain.
const readTimeout = 5 * time.Second

// unknown is the status of what nothing is known of.
const unknown = "unknown"

// progress is how far something has come, in the words of responses. What does not apply (yet) is null.
type progress struct {
	Status          string       `json:"status"`
	Outcome         *string      `json:"outcome"`
	TransactionHash *common.Hash `json:"transactionHash"`
	BlockNumber     *uint64      `json:"blockNumber"`
}

func progressOf(st score.Status) progress {
	p := progress{Status: cmp.Or(st.Stage.String(), unknown)}
	if st.Stage == score.Final {
		outcome := st.Outcome.String()
		p.Outcome = &outcome
	}
	if st.Tx != (common.Hash{}) {
		p.TransactionHash = &st.Tx
	}
	if st.Block != 0 {
		p.BlockNumber = &st.Block
	}
	return p
}

type projectView struct {
	ProjectID score.ProjectID `json:"projectId"`
	progress
	Name         string           `json:"name"`
	InputActions []score.Action   `json:"inputActions"` // by index: a later one of the same name is the valid one
	ScoreTypes   []string         `json:"scoreTypes"`
	Owners       []common.Address `json:"owners"`
	Updaters     []common.Address `json:"updaters"`
	SignedOnly   bool             `json:"signedOnly"`
	Signing      wallet.Domain    `json:"signing"` // what EIP-712 signatures are made under: the deployment's
}

// project tells of a project, and how far its creation has come.
func (s *Server) project(c *fiber.Ctx) *Problem {
	id, p := projectParam(c)
	if p != nil {
		return p
	}
	rec, stage, ok := s.projects.lookup(id)
	var st score.Status
	if ok {
		st = s.projectStatus(id, stage)
	} else if rec, ok = s.projects.deadCreation(id); ok {
		st = s.deadStatus(id)
	} else {
		return problem(codeProjectNotFound, "")
	}
	return s.send(c, projectView{
		ProjectID: id, progress: progressOf(st), Name: rec.Name, InputActions: rec.Actions, ScoreTypes: rec.ScoreTypes,
		Owners: membersOf(rec, score.Owner), Updaters: membersOf(rec, score.Updater),
		SignedOnly: rec.SignedOnly, Signing: s.domain,
	})
}

// projectStatus is what the status store knows, if it is not behind the directory: that one knows final events only.
func (s *Server) projectStatus(id score.ProjectID, stage score.Stage) score.Status {
	st, err := s.statuses.Project(s.life, id)
	created := st.Stage == score.Final && st.Outcome == score.Applied
	switch {
	case err == nil && (created || stage != score.Final && st.Stage != 0 && st.Stage != score.Final):
		return st
	case stage == score.Final:
		return score.Status{Stage: score.Final, Outcome: score.Applied}
	default: // Redis knows nothing, or tells of an earlier creation that failed
		return score.Status{Stage: stage}
	}
}

// deadStatus is the status of a creation that became a dead letter.
func (s *Server) deadStatus(id score.ProjectID) score.Status {
	st, err := s.statuses.Project(s.life, id)
	if err != nil || st.Stage != score.Final || !st.Outcome.Rejected() {
		return score.Status{Stage: score.Final, Outcome: score.Unprocessable}
	}
	return st
}

func membersOf(rec *score.Record, role score.Role) []common.Address {
	members := []common.Address{}
	for member, roles := range rec.Members {
		if roles&role != 0 {
			members = append(members, member)
		}
	}
	slices.SortFunc(members, func(a, b common.Address) int { return bytes.Compare(a[:], b[:]) })
	return members
}

type scoresView struct {
	ProjectID   score.ProjectID `json:"projectId"`
	Wallet      common.Address  `json:"wallet"`
	BlockNumber uint64          `json:"blockNumber"` // the state of which block was read: the newest
	Scores      []scoreView     `json:"scores"`
}

type scoreView struct {
	ScoreType string `json:"scoreType"`
	Score     string `json:"score"` // a decimal integer; may be negative
}

// scores tells a wallet's scores of all score types, as they are on the chain now.
func (s *Server) scores(c *fiber.Ctx) *Problem {
	project, p := projectParam(c)
	if p != nil {
		return p
	}
	target, err := wallet.ParseAddress(c.Params("wallet"))
	if err != nil {
		return problem(codeInvalidPath, "the wallet "+err.Error())
	}
	rec, _, ok := s.projects.lookup(project)
	if !ok {
		return problem(codeProjectNotFound, "")
	}
	ctx, cancel := context.WithTimeout(s.life, readTimeout)
	defer cancel()
	values, block, err := s.chain.Scores(ctx, project, target)
	if err != nil {
		s.log.Warn("couldn't read scores from the chain; asking the caller to come back", "project", project, "err", err)
		return retry(codeChainUnavailable, retryAfterFailure, "")
	}
	view := scoresView{ProjectID: project, Wallet: target, BlockNumber: block, Scores: make([]scoreView, len(rec.ScoreTypes))}
	for i, name := range rec.ScoreTypes {
		value := int64(0)
		if i < len(values) {
			value = values[i]
		}
		view.Scores[i] = scoreView{name, strconv.FormatInt(value, 10)}
	}
	return s.send(c, view)
}

func projectParam(c *fiber.Ctx) (score.ProjectID, *Problem) {
	id, err := score.ParseProjectID(c.Params("project"))
	if err != nil {
		return id, problem(codeInvalidPath, "the projectId "+err.Error())
	}
	return id, nil
}
