package httpapi

import (
	"cmp"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// maxGroupBytes suffices for free ids, each in a run of its own, which take the most bytes.
const maxGroupBytes = 2 + score.MaxSigned*(20+1+1+32+1)

type groupBody struct {
	ProjectID *string `json:"projectId"`
	Kind      *int64  `json:"kind"`
	Updates   *string `json:"updates"`
	Signature *string `json:"signature"`
}

type groupRequest struct {
	project   score.ProjectID
	kind      score.Kind
	body      []byte         // the updates as signed
	updates   []score.Update // the same, decoded, with an unknown signer
	signature wallet.Signature
}

func decodeGroup(body []byte) (r *groupRequest, p *Problem) {
	var unread *Problem
	r, p = decode(body, func(b *groupBody, f *fields) (r *groupRequest) {
		r, unread = b.request(f)
		return r
	})
	return r, cmp.Or(p, unread)
}

func (b *groupBody) request(f *fields) (*groupRequest, *Problem) {
	r := &groupRequest{
		project: parsed(f, "/projectId", b.ProjectID, score.ParseProjectID),
		kind:    score.Kind(f.integer("/kind", b.Kind, int64(score.KindWord), int64(score.KindFree), "1 (word), 2 (runs) or 3 (free)")),
		body:    parsed(f, "/updates", b.Updates, hexOf(maxGroupBytes)),
	}
	if r.body != nil && r.kind != 0 {
		r.updates = f.updates("/updates", r.project, r.kind, r.body)
	}
	signature := parsed(f, "/signature", b.Signature, hexOf(maxSignatureBytes))
	if len(f.errors) > 0 {
		return nil, invalidBody(f.errors...)
	}
	var err error
	if r.signature, err = wallet.ParseSignature(signature); err != nil {
		return nil, fieldProblem(codeBadSignature, "/signature", err.Error()+"; contract wallets cannot sign groups")
	}
	return r, nil
}

// unit returns the group as the contract receives it, for its price.
func (r *groupRequest) unit() score.Unit {
	return score.Unit{Updates: r.updates, Kind: r.kind, Signature: new(score.GroupSignature)}
}

// verified returns the unit to store; span is the request's, nil if untraced.
func (r *groupRequest) verified(span trace.Span) unit {
	return unit{updates: r.updates, signed: &score.Signed{Kind: r.kind, Signature: r.signature.Compact()}, request: span}
}

// updates decodes a group's updates and adds errors that hold for every project.
func (f *fields) updates(pointer string, project score.ProjectID, kind score.Kind, body []byte) []score.Update {
	updates, err := batch.DecodeBody(kind, project, common.Address{}, body, score.MaxSigned)
	if err != nil {
		f.add(fieldInvalid, pointer, fmt.Sprintf("is, read as kind %d, %v", kind, err))
		return nil
	}
	if at, canonical := differs(kind, updates, body); !canonical {
		f.add(fieldInvalid, pointer, fmt.Sprintf("differs from its canonical form at byte %d: %s", at, canonicalForm(kind)))
	}
	seen := make(map[score.UpdateID]int, len(updates))
	for i := range updates {
		u := &updates[i]
		if first, twice := seen[u.ID]; twice {
			f.add(fieldInvalid, pointer, fmt.Sprintf("%s repeats the updateId of update %d", which(i, u), first))
		}
		if u.Target == (common.Address{}) {
			f.add(fieldInvalid, pointer, which(i, u)+" has the zero address as its target")
		}
		seen[u.ID] = i
	}
	return updates
}

// differs returns the first byte at which a body deviates from its canonical form. Relayers send that form to the
// contract, so it would refuse a signature of other bytes.
func differs(kind score.Kind, updates []score.Update, body []byte) (at int, canonical bool) {
	want, err := batch.EncodeBody(kind, updates)
	for at < min(len(want), len(body)) && want[at] == body[at] {
		at++
	}
	return at, err == nil && at == len(want) && at == len(body)
}

func canonicalForm(kind score.Kind) string {
	if kind == score.KindWord {
		return "the first and the last byte of the mask must not be 0"
	}
	return fmt.Sprintf("neighbours of one target and score type must share a run, up to %d", score.MaxSigned)
}

func which(i int, u *score.Update) string { return fmt.Sprintf("update %d (%s)", i, u.ID) }

func (r *groupRequest) resolvable(rec *score.Record) *Problem {
	for i := range r.updates {
		u := &r.updates[i]
		if int(u.Action) >= len(rec.Actions) {
			return fieldProblem(codeUnknownAction, "/updates",
				fmt.Sprintf("%s has action %d; the project has %d, from 0", which(i, u), u.Action, len(rec.Actions)))
		}
		if int(u.ScoreType) >= len(rec.ScoreTypes) {
			return fieldProblem(codeUnknownScoreType, "/updates",
				fmt.Sprintf("%s has score type %d; the project has %d, from 0", which(i, u), u.ScoreType, len(rec.ScoreTypes)))
		}
	}
	return nil
}
