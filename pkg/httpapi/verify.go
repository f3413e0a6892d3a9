package httpapi

import (
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// verifyUpdate resolves a request to the update it asks for, if its signer may ask for it.
func (s *Server) verifyUpdate(r *updateRequest, by *caller) (u score.Update, p *Problem) {
	// By a signature of what it is about, where that is asked for?
	if p := s.covering(r, by); p != nil {
		return u, p
	}

	// Fresh: an old signature says nothing about now.
	if p := s.fresh(r); p != nil {
		return u, p
	}

	// Signed by whom? Costs the most, and is remembered.
	signer, p := s.signers.recover(r)
	if p != nil {
		return u, p
	}

	// Allowed and meaningful? Against the project as it is final on the chain, or as its accepted creation, which goes
	// ahead of this update in the same bucket, will make it. The contract checks all of it again when it applies.
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

// covering refuses a signature that covers only the time, where the key or the project takes none.
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

// verifyGroup is verifyUpdate for a signed group, whose updates get their signer. What will be stored is the group as it was
// signed, since the contract checks that signature. There is no time in a group, and none is needed: its ids apply once,
// forever.
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

// known is the project that a request is about.
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

// timeOff says how far a message's time is off, and of one that no clock is so wrong about what it may be instead.
func timeOff(format string, off time.Duration, at time.Time, allowed time.Duration) string {
	if off > 365*24*time.Hour {
		return "is read as " + at.UTC().Format(time.DateOnly) + ": is it in milliseconds?"
	}
	return fmt.Sprintf(format+"; at most %s is allowed", off.Round(time.Second), allowed)
}

// resolve turns the request's names into the project's indexes, as they are now. A problem lists both names where both are unknown.
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

// unknownName says what came, and which names the project has.
func unknownName(came, what string, names []string) string {
	return fmt.Sprintf("%.100q is no %s of the project; %s", came, what, thereAre(came, names))
}
