package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// editBody is the signed message, except for the projectId, and its signature.
type editBody struct {
	Edits     []oneEditBody `json:"edits"`
	Nonce     *int64        `json:"nonce"`
	Deadline  *int64        `json:"deadline"`
	Signature *string       `json:"signature"`
}

// oneEditBody omits the fields that the operation ignores, and that are signed as zero.
type oneEditBody struct {
	Operation *string `json:"operation"`
	Member    *string `json:"member"`
	Name      *string `json:"name"`
	Points    *int64  `json:"points"`
	Direction *int64  `json:"direction"`
}

type editRequest struct {
	score.SignedEdit
	signature wallet.Signature
}

func decodeEdit(project score.ProjectID) func(body []byte) (*editRequest, *Problem) {
	return func(body []byte) (*editRequest, *Problem) {
		return decode(body, func(b *editBody, f *fields) *editRequest {
			r := &editRequest{}
			r.Project = project
			r.Nonce = uint64(f.integer("/nonce", b.Nonce, 0, maxInteger, "the project's next nonce"))
			r.Deadline = uint64(f.integer("/deadline", b.Deadline, 0, maxInteger, "a time in seconds since 1970"))
			if b.Edits == nil {
				f.add(fieldRequired, "/edits", "is required; an empty list uses the nonce up")
			}
			// One edit too many is enough for Apply, which refuses lists of more than MaxEdits.
			for i := range b.Edits[:min(len(b.Edits), score.MaxEdits+1)] {
				r.Edits = append(r.Edits, f.edit(fmt.Sprintf("/edits/%d", i), &b.Edits[i]))
			}
			r.signature = parsed(f, "/signature", b.Signature, func(text string) (wallet.Signature, error) {
				raw, err := hexOf(maxSignatureBytes)(text)
				if err != nil {
					return wallet.Signature{}, err
				}
				return wallet.ParseSignature(raw)
			})
			r.Signature = r.signature.Compact()
			return r
		})
	}
}

func (f *fields) edit(at string, b *oneEditBody) (e score.Edit) {
	e.Operation = score.Operation(parsed(f, at+"/operation", b.Operation, asItIs))
	if b.Member != nil {
		e.Member = parsed(f, at+"/member", b.Member, wallet.ParseAddress)
	}
	if b.Name != nil {
		e.Name = *b.Name
	}
	if b.Points != nil {
		e.Points = uint32(f.integer(at+"/points", b.Points, 0, math.MaxUint32, "an integer of 32 bits"))
	}
	if b.Direction != nil {
		e.Direction = score.Direction(f.integer(at+"/direction", b.Direction, 0, math.MaxUint8, "an integer of 8 bits"))
	}
	return e
}

type editAccepted struct {
	ProjectID score.ProjectID `json:"projectId"`
	Nonce     uint64          `json:"nonce"`
	Status    string          `json:"status"`
	StatusURL string          `json:"statusUrl"`
	Waits     *waits          `json:"waits,omitempty"`
}

// editProject stores one edit that an owner signed. The stream accepts one per nonce.
func (s *Server) editProject(c *fiber.Ctx, by *caller) *Problem {
	project, p := projectParam(c, by)
	if p != nil {
		return p
	}
	price := func(r *editRequest) (score.ProjectID, score.Cost) { return project, s.priceOfEdit(&r.SignedEdit) }
	r, cost, p := counted(s, c, by, decodeEdit(project), price)
	if p != nil {
		return p
	}
	if p := s.spendCreation(by, cost); p != nil {
		return p
	}
	status, p := s.acceptEdit(c, r)
	if status != statusAccepted && (p == nil || p.Code != codeNotDurable.Name) {
		s.giveCreationBack(by, cost)
	}
	if p != nil {
		return p
	}
	s.metrics.edits.WithLabelValues(status).Inc()
	n := 0
	if status == statusAccepted {
		n = 1
		by.counts.gas.Add(float64(cost.Gas))
		s.log(c).Info("an edit came by this key", "key", by.Key, "name", by.Name, "project", project, "nonce", r.Nonce, "owner", r.Owner)
	}
	return s.send(c, editAccepted{project, r.Nonce, status, editURL(r.Ref()), s.waitsFor(n, project)})
}

func editURL(ref score.Ref) string {
	return statusURL(ref.Project) + "/edits/" + strconv.FormatUint(ref.Nonce, 10)
}

// acceptEdit verifies and stores an edit. An edit that is already stored is a duplicate, even if it was applied
// since.
func (s *Server) acceptEdit(c *fiber.Ctx, r *editRequest) (status string, p *Problem) {
	e := &r.SignedEdit
	var err error
	if e.Owner, err = s.signers.recoverFrom(r.signature, s.domain.EditDigest(e.ProjectEdit)); err != nil {
		return "", fieldProblem(codeBadSignature, "/signature", err.Error())
	}
	stored, dead, err := s.storedEdit(e.Ref())
	switch {
	case err != nil:
		s.log(c).Warn("the API could not read which edits are stored; it asks the caller to retry", "project", e.Project, "err", err)
		return "", s.notStored(err)
	case stored != nil && dead == nil && stored.Same(e):
		return statusDuplicate, nil
	case stored != nil && dead == nil:
		return "", editExists()
	}
	if p := s.verifyEdit(c, e); p != nil {
		return "", p
	}
	if p := s.notAccepting(&e.Project); p != nil {
		return "", p
	}

	// The commit point: if persistEdit returns nil, the edit is stored and synced.
	err = s.persistEdit(s.life, e, s.spanOf(c))
	var taken *score.EditTakenError
	switch {
	case errors.As(err, &taken) && taken.Edit.Same(e):
		return statusDuplicate, nil
	case errors.As(err, &taken):
		return "", editExists()
	case err != nil:
		s.log(c).Warn("the API could not store an edit durably; it asks the caller to retry", "project", e.Project, "nonce", e.Nonce, "err", err)
		return "", s.notStored(err)
	}
	s.reporter.accepted(s.life, []score.Ref{e.Ref()}, []string{""})
	return statusAccepted, nil
}

// storedEdit returns the newest accepted edit of a nonce, and the dead letter of that edit; nil without one.
func (s *Server) storedEdit(ref score.Ref) (*score.SignedEdit, *score.DeadLetter, error) {
	ctx, cancel := context.WithTimeout(s.life, readTimeout)
	defer cancel()
	return s.deps.Publisher.Edit(ctx, ref)
}

// verifyEdit makes the contract's checks, in its order, against the final project, or as its accepted creation will
// make it. Only one edit of a project may be pending, since another one could change the checked state.
func (s *Server) verifyEdit(c *fiber.Ctx, e *score.SignedEdit) *Problem {
	rec, known := s.deps.Projects.await(s.life, e.Project, projectPatience)
	if !known {
		return problem(codeProjectNotFound, "")
	}
	if now := time.Now(); e.Over(now.Add(leastEditTime)) {
		return fieldProblem(codeEditExpired, "/deadline", fmt.Sprintf("is %s; it must be at least %s ahead, since a block must have the edit before",
			time.Unix(int64(e.Deadline), 0).UTC().Format(time.RFC3339), leastEditTime))
	}
	next, final, p := s.nextEdit(s.log(c), e.Project)
	switch {
	case p != nil:
		return p
	case e.Nonce != next:
		return fieldProblem(codeWrongEditNonce, "/nonce", fmt.Sprintf("is %d; the project's next is %d", e.Nonce, next))
	case final != next:
		return problem(codeEditWaits, fmt.Sprintf("the edit with nonce %d is in a block that is not final", next-1))
	case rec.Members[e.Owner]&score.Owner == 0:
		return fieldProblem(codeNotOwner, "/signature", "is that of "+e.Owner.Hex()+", who is no owner of the project; compare the domain "+
			"(`signing` of GET /projects/{projectId}), projectId, edits, nonce and deadline; contract wallets send edits themselves")
	}
	unseen := 0
	if next > 0 { // rec may still lack the last edit's members
		last, dead, err := s.storedEdit(score.EditRef(e.Project, next-1))
		if err != nil {
			s.log(c).Warn("the API could not read a project's last edit; it asks the caller to retry", "project", e.Project, "err", err)
			return s.notStored(err)
		}
		if last != nil && dead == nil {
			unseen = last.Unseen(rec)
		}
	}
	if _, rules := e.Apply(rec, s.config.MaxMembers, unseen); len(rules) > 0 {
		var f fields
		for _, rule := range rules {
			f.add(fieldInvalid, rule.Pointer, rule.Detail)
		}
		return invalidBody(f.errors...)
	}
	return nil
}

const leastEditTime = time.Minute

// nextEdit returns the nonce of a project's next edit, as of the newest block and as of a final one.
func (s *Server) nextEdit(log *slog.Logger, project score.ProjectID) (next, final uint64, p *Problem) {
	ctx, cancel := context.WithTimeout(s.life, readTimeout)
	defer cancel()
	next, final, err := s.deps.Chain.NextEdit(ctx, project)
	if err != nil {
		log.Warn("the API could not read a project's next nonce from the chain; it asks the caller to retry", "project", project, "err", err)
		return 0, 0, temporary(codeChainUnavailable, retryAfterFailure, "")
	}
	return next, final, nil
}

// persistEdit stores the edit, and replaces one of the same nonce that became a dead letter.
func (s *Server) persistEdit(ctx context.Context, e *score.SignedEdit, request trace.Span) (err error) {
	msgID := "edit-" + s.tokens.next()
	var traces []score.Traced
	if span := publishes(s.deps.Tracer, request, spanEdit, e.Project); span != nil {
		traces = []score.Traced{{Trace: carried(span)}}
		defer func() { published(span, err) }()
	}
	return persist(ctx, s.config.AcceptTimeout, s.metrics, func(ctx context.Context) (bool, error) {
		err := s.deps.Publisher.PublishEdit(ctx, msgID, e, traces...)
		var taken *score.EditTakenError
		return err == nil || errors.As(err, &taken) || notTaken(err), err
	})
}

func editExists() *Problem {
	return fieldProblem(codeEditExists, "/nonce", "is that of another edit, which was accepted")
}

type nextEditView struct {
	ProjectID score.ProjectID `json:"projectId"`
	NextNonce uint64          `json:"nextNonce"`
	Waits     bool            `json:"waits"` // an edit is pending
	Signing   wallet.Domain   `json:"signing"`
}

func (s *Server) editToSign(c *fiber.Ctx, by *caller) *Problem {
	project, p := projectParam(c, by)
	if p != nil {
		return p
	}
	next, p := s.editAfter(s.log(c), project)
	if p != nil {
		return p
	}
	return s.send(c, nextEditView{project, next.Nonce, next.Waits, s.domain})
}

func (s *Server) editAfter(log *slog.Logger, project score.ProjectID) (score.NextEdit, *Problem) {
	if _, known := s.deps.Projects.lookup(project); !known {
		return score.NextEdit{}, problem(codeProjectNotFound, "")
	}
	next, final, p := s.nextEdit(log, project)
	if p != nil {
		return score.NextEdit{}, p
	}
	edit, dead, err := s.storedEdit(score.EditRef(project, next))
	if err != nil {
		return score.NextEdit{}, temporary(codeStatusUnavailable, retryAfterFailure, "")
	}
	stored := edit != nil && dead == nil
	return score.NextEdit{Nonce: next, Stored: stored, Waits: stored || final != next}, nil
}

type editView struct {
	ProjectID score.ProjectID `json:"projectId"`
	Nonce     uint64          `json:"nonce"`
	progress
	Reason *string         `json:"reason"` // of a rejection
	Owner  *common.Address `json:"owner"`
	Edits  []score.Edit    `json:"edits"` // null if the stream has dropped the edit
	Waits  *waits          `json:"waits,omitempty"`
}

func (s *Server) edit(c *fiber.Ctx, by *caller) *Problem {
	project, p := projectParam(c, by)
	if p != nil {
		return p
	}
	nonce, err := strconv.ParseUint(c.Params("nonce"), 10, 64)
	if err != nil {
		return problem(codeInvalidPath, "the nonce must be a decimal integer")
	}
	is, p := s.editState(s.log(c), score.EditRef(project, nonce))
	if p != nil {
		return p
	}
	view := editView{ProjectID: project, Nonce: nonce, progress: progressOf(is.Status)}
	if is.Reason != "" {
		view.Reason = &is.Reason
	}
	if is.Edit != nil {
		view.Owner, view.Edits = &is.Edit.Owner, append([]score.Edit{}, is.Edit.Edits...)
	}
	if is.Status.Stage == score.Accepted {
		view.Waits = s.waitsFor(1, project)
	}
	return s.send(c, view)
}

func (s *Server) editState(log *slog.Logger, ref score.Ref) (is score.EditState, p *Problem) {
	stored, dead, unread := s.storedEdit(ref)
	is.Edit = stored
	if dead != nil {
		is.Reason = dead.Reason
	}
	is.Status, p = s.editStatus(log, ref, stored, dead, unread)
	return is, p
}

// editStatus returns an edit's status; unread is the error of reading stored and dead. A dead letter overrides Redis:
// the edit was rejected. If Redis has no status, the contract's nonce shows whether the stored edit was applied.
func (s *Server) editStatus(
	log *slog.Logger, ref score.Ref, stored *score.SignedEdit, dead *score.DeadLetter, unread error,
) (score.Status, *Problem) {
	if dead != nil {
		return score.Status{Stage: score.Final, Outcome: dead.Outcome, Tx: dead.Tx}, nil
	}
	late := s.reporter.late() // first, since Redis may get the late reports during Read
	statuses, complete, err := s.deps.Statuses.Read(s.life, []score.Ref{ref})
	var st score.Status
	if err == nil {
		st = statuses[0]
	}
	rejected := st.Stage == score.Final && st.Outcome.Rejected() // perhaps of an earlier edit with this nonce
	switch {
	case st.Stage != 0 && (!rejected || stored == nil && unread == nil):
		return st, nil
	case stored != nil:
		_, final, p := s.nextEdit(log, ref.Project)
		if p != nil || final <= ref.Nonce {
			return score.Status{Stage: score.Accepted}, p
		}
		// If Redis lacks statuses, another edit may have used the nonce, and this one's dead letter may be on its
		// way.
		if err == nil && complete && !late {
			return score.Status{Stage: score.Final, Outcome: score.Applied}, nil
		}
	}
	switch {
	case err != nil || unread != nil || late:
		return st, temporary(codeStatusUnavailable, retryAfterFailure, "")
	case !complete:
		return st, temporary(codeStatusRebuilding, retryAfterFull, "")
	}
	return st, problem(codeEditNotFound, "")
}
