package httpapi

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// readTimeout limits the reads of one request.
const readTimeout = 5 * time.Second

const unknown = "unknown"

// progress is a status. Fields that do not apply (yet) are null.
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
	InputActions []score.Action   `json:"inputActions"` // by index; of several with one name, the last is valid
	ScoreTypes   []string         `json:"scoreTypes"`
	Members      int              `json:"members"` // owners and updaters, each counted once
	Owners       []common.Address `json:"owners"`  // on this page; so are Updaters
	Updaters     []common.Address `json:"updaters"`
	Next         *string          `json:"next"`
	SignedOnly   bool             `json:"signedOnly"`
	Signing      wallet.Domain    `json:"signing"`
}

// countMembers charges one look-up per 2,048 members of the project, since each page scans all of them.
func (s *Server) countMembers(c *fiber.Ctx, by *caller, members int) *Problem {
	return s.countAs(c, by, (members+2047)/2048)
}

func (s *Server) project(c *fiber.Ctx, by *caller) *Problem {
	id, p := projectParam(c, by)
	if p != nil {
		return p
	}
	q := queryOf(c, "limit", "cursor")
	limit, after := q.limit(), from(q, "cursor", wallet.ParseAddress)
	if q.wrong != nil {
		return q.wrong
	}
	rec, known := s.deps.Projects.creation(id)
	if rec == nil {
		return problem(codeProjectNotFound, "")
	}
	if p := s.countMembers(c, by, len(rec.Members)); p != nil {
		return p
	}
	view := projectView{
		ProjectID: id, progress: progressOf(s.creationStatus(id, known)), Name: rec.Name, InputActions: rec.Actions, ScoreTypes: rec.ScoreTypes,
		Members: len(rec.Members), Owners: []common.Address{}, Updaters: []common.Address{}, SignedOnly: rec.SignedOnly, Signing: s.domain,
	}
	members := rec.MembersAfter(score.Owner|score.Updater, after, limit+1)
	if len(members) > limit {
		members = members[:limit]
		next := strings.ToLower(members[limit-1].Hex())
		view.Next = &next
	}
	for _, member := range members {
		if rec.Members[member]&score.Owner != 0 {
			view.Owners = append(view.Owners, member)
		}
		if rec.Members[member]&score.Updater != 0 {
			view.Updaters = append(view.Updaters, member)
		}
	}
	return s.send(c, view)
}

// creationStatus returns the status store's status of a creation, unless it contradicts known, the status by
// directory and stream. The directory contains only final events, the stream only dead letters; Redis may have an
// earlier, failed creation, or none.
func (s *Server) creationStatus(id score.ProjectID, known score.Status) score.Status {
	statuses, _, err := s.deps.Statuses.Read(s.life, []score.Ref{score.CreationRef(id)})
	if err != nil {
		return known
	}
	st := statuses[0]
	fits := st.Stage == score.Final && st.Outcome == score.Applied
	switch {
	case known.Outcome.Rejected():
		fits = st.Stage == score.Final && st.Outcome.Rejected()
	case known.Stage == score.Accepted:
		fits = fits || st.Stage != 0 && st.Stage != score.Final
	}
	if fits {
		return st
	}
	return known
}

type scoresView struct {
	ProjectID   score.ProjectID `json:"projectId"`
	Wallet      common.Address  `json:"wallet"`
	BlockNumber uint64          `json:"blockNumber"` // the newest block's
	Scores      []scoreView     `json:"scores"`
}

type scoreView struct {
	ScoreType string `json:"scoreType"`
	Score     string `json:"score"` // a decimal integer; may be negative
}

func (s *Server) scores(c *fiber.Ctx, by *caller) *Problem {
	project, p := projectParam(c, by)
	if p != nil {
		return p
	}
	target, err := wallet.ParseAddress(c.Params("wallet"))
	if err != nil {
		return problem(codeInvalidPath, "the wallet "+err.Error())
	}
	rec, ok := s.deps.Projects.lookup(project)
	if !ok {
		return problem(codeProjectNotFound, "")
	}
	ctx, cancel := context.WithTimeout(s.life, readTimeout)
	defer cancel()
	values, block, err := s.deps.Chain.Scores(ctx, project, target)
	if err != nil {
		s.log(c).Warn("the API could not read scores from the chain; it asks the caller to retry", "project", project, "err", err)
		return temporary(codeChainUnavailable, retryAfterFailure, "")
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

func projectParam(c *fiber.Ctx, by *caller) (score.ProjectID, *Problem) {
	id, err := score.ParseProjectID(c.Params("project"))
	if err != nil {
		return id, problem(codeInvalidPath, "the projectId "+err.Error())
	}
	if !by.Covers(id) {
		return id, problem(codeKeysProjects, "")
	}
	return id, nil
}
