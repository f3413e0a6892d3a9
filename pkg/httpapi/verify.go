package httpapi

import (
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

func (s *Server) verifyUpdate(r *updateRequest, by *caller) (u score.Update, p *Problem) {
	if p := s.covering(r, by); p != nil {
		return u, p
	}

	if p := s.fresh(r); p != nil {
		return u, p
	}

	// This step costs the most; its result is cached.
	signer, p := s.signers.recover(r)
	if p != nil {
		return u, p
	}

	// The checks use the final project, or its accepted creation, which precedes this update in the same bucket. The
	// contract repeats all checks.
	rec, p := s.known(r.Project)
	if p != nil {
		return u, p
	}
	if rec.SignedOnly {
		return u, problem(codeSignedOnly, "sign it in a group and send that to POST /update-scores")
	}
	if signer, p = s.signers.member(s.life, rec, signer, r); p != nil {
		return u, p
	}
	return resolve(rec, r, signer)
}

// covering refuses a signature that covers only the time, if the key or the project refuses such ones.
func (s *Server) covering(r *updateRequest, by *caller) *Problem {
	const sign = `sign the whole update, and send "scheme": "` + schemeTyped + `"; `
	switch {
	case r.typed:
		return nil
	case by.Whole:
		return fieldProblem(codeTimeSignature, "/scheme", sign+"this API key takes nothing else")
	case s.config.Whole(r.Project):
		return fieldProblem(codeTimeSignature, "/scheme", sign+"the operator takes nothing else for this project")
	}
	return nil
}

// verifyGroup also sets the updates' signer. The group is stored as signed, since the contract checks its signature,
// too. A group needs no time, since each of its ids applies at most once.
func (s *Server) verifyGroup(r *groupRequest) *Problem {
	signer, err := s.signers.recoverFrom(r.signature, s.domain.GroupDigest(r.project, r.kind, r.body))
	if err != nil {
		return fieldProblem(codeBadSignature, "/signature", err.Error())
	}
	rec, p := s.known(r.project)
	if p != nil {
		return p
	}
	if rec.Members[signer] == 0 {
		return notMember(signer, "compare the domain (`signing` of GET /projects/{projectId}), projectId, kind and updates; "+
			"contract wallets cannot sign groups")
	}
	if p := r.resolvable(rec); p != nil {
		return p
	}
	for i := range r.updates {
		r.updates[i].Signer = signer
	}
	return nil
}

func (s *Server) known(project score.ProjectID) (*score.Record, *Problem) {
	rec, ok := s.deps.Projects.await(s.life, project, projectPatience)
	if !ok {
		return nil, fieldProblem(codeUnknownProject, "/projectId", "is no project")
	}
	return rec, nil
}

func (s *Server) fresh(r *updateRequest) *Problem {
	now := time.Now()
	switch err := s.config.Freshness.Check(r.at, now); {
	case errors.Is(err, wallet.ErrTooOld):
		return fieldProblem(codeMessageTooOld, "/message", timeOff("is %s old", now.Sub(r.at), r.at, s.config.Freshness.Past))
	case err != nil:
		return fieldProblem(codeMessageInFuture, "/message", timeOff("lies %s in the future", r.at.Sub(now), r.at, s.config.Freshness.Ahead))
	default:
		return nil
	}
}

// timeOff names the likely mistake if the time is off by more than any clock's error.
func timeOff(format string, off time.Duration, at time.Time, allowed time.Duration) string {
	if off > 365*24*time.Hour {
		return "is read as " + at.UTC().Format(time.DateOnly) + ": is it in milliseconds?"
	}
	return fmt.Sprintf(format+"; at most %s is allowed", off.Round(time.Second), allowed)
}

// resolve maps the request's names to the project's current indexes. If both names are unknown, the problem lists
// both.
func resolve(rec *score.Record, r *updateRequest, signer common.Address) (u score.Update, p *Problem) {
	u = score.Update{Project: r.Project, ID: r.Update, Signer: signer, Target: r.Target}
	var ok bool
	if u.Action, ok = rec.ActionIndex(r.ActionName); !ok {
		names := make([]string, len(rec.Actions))
		for i := range rec.Actions {
			names[i] = rec.Actions[i].Name
		}
		p = fieldProblem(codeUnknownAction, "/actionName", unknownName(r.ActionName, "action", names))
	}
	if u.ScoreType, ok = rec.ScoreTypeIndex(r.ScoreType); !ok {
		wrong := fieldProblem(codeUnknownScoreType, "/scoreType", unknownName(r.ScoreType, "score type", rec.ScoreTypes))
		if p == nil {
			return u, wrong
		}
		p.Errors = append(p.Errors, wrong.Errors...)
	}
	return u, p
}

func unknownName(came, what string, names []string) string {
	return fmt.Sprintf("%.100q is no %s of the project; %s", came, what, thereAre(came, names))
}
