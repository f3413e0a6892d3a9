package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const (
	accepted  = "accepted"
	duplicate = "duplicate"
)

// ErrAnswer reports a 200 that contradicts itself or the request. The request may be stored: repeat it under the same
// ids once the API is repaired.
var ErrAnswer = errors.New("the API's answer makes no sense")

type ProjectState struct {
	Status
	ProjectID    score.ProjectID  `json:"projectId"`
	Name         string           `json:"name"`
	InputActions []score.Action   `json:"inputActions"` // by index
	ScoreTypes   []string         `json:"scoreTypes"`   // by index
	Members      int              `json:"members"`      // owners and updaters, each once
	Owners       []common.Address `json:"owners"`       // on this page, like Updaters
	Updaters     []common.Address `json:"updaters"`
	Next         string           `json:"next"`       // cursor for ProjectPage; empty: last page
	SignedOnly   bool             `json:"signedOnly"` // takes signed groups only

	// Domain is for Group.Sign and EIP712, if the API is trusted: see Client.Expecting. Zero: unknown.
	Domain wallet.Domain `json:"signing"`
}

// ActionIndex returns the index of the newest action of that name, or false. The action at an index never changes.
func (p *ProjectState) ActionIndex(name string) (uint8, bool) {
	return (&score.Record{Actions: p.InputActions}).ActionIndex(name)
}

// ScoreTypeIndex is ActionIndex for score types.
func (p *ProjectState) ScoreTypeIndex(name string) (uint8, bool) {
	return (&score.Record{ScoreTypes: p.ScoreTypes}).ScoreTypeIndex(name)
}

// CreateProject sends a creation. Without score types the project gets the deployment's default. Nil also means that
// the same creation was accepted before. If a different one was, the error's code is project_exists.
func (c *Client) CreateProject(ctx context.Context, p *score.Project) error {
	body := struct {
		ProjectID    score.ProjectID  `json:"projectId"`
		Name         string           `json:"name"`
		InputActions []score.Action   `json:"inputActions"`
		Owners       []common.Address `json:"owners"`
		Updaters     []common.Address `json:"updaters"` // required, but may be empty
		ScoreTypes   []string         `json:"scoreTypes,omitempty"`
		SignedOnly   bool             `json:"signedOnly,omitzero"`
	}{p.ID, p.Name, p.Actions, p.Owners, append([]common.Address{}, p.Updaters...), p.ScoreTypes, p.SignedOnly}
	err := c.do(ctx, http.MethodPost, "/create-project", body, nil)
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.Same {
		return nil
	}
	return err
}

// Project returns a project with its first 100 members. After ErrDomain, a retry would fail again.
func (c *Client) Project(ctx context.Context, project score.ProjectID) (*ProjectState, error) {
	return c.ProjectPage(ctx, project, Page{})
}

// ProjectPage is Project with another page of members, ordered by address.
func (c *Client) ProjectPage(ctx context.Context, project score.ProjectID, page Page) (*ProjectState, error) {
	out, err := ask[struct {
		ProjectState
		// shadows ProjectState.Domain, so that its decoding error becomes ErrDomain
		Signing json.RawMessage `json:"signing"`
	}](ctx, c, "/projects/"+project.String(), page.values())
	if err != nil {
		return nil, err
	}
	if out.Domain, err = c.domain(out.Signing); err != nil {
		return nil, err
	}
	return &out.ProjectState, nil
}

// domain decodes a response's domain, zero if missing. Errors: ErrDomain, also for an unexpected one.
func (c *Client) domain(signing json.RawMessage) (domain wallet.Domain, err error) {
	if signing != nil {
		if err := json.Unmarshal(signing, &domain); err != nil {
			return wallet.Domain{}, fmt.Errorf("%w: %w", ErrDomain, err)
		}
	}
	if c.expected != nil && domain != *c.expected {
		return wallet.Domain{}, fmt.Errorf("%w: it is that of %s; expected %s", ErrDomain, domain, *c.expected)
	}
	return domain, nil
}

// NamedUpdate is an Update with names instead of indexes.
type NamedUpdate struct {
	UpdateID     score.UpdateID  `json:"updateId"`
	ProjectID    score.ProjectID `json:"projectId"`
	ActionName   string          `json:"actionName"`
	ScoreType    string          `json:"scoreType"`
	TargetWallet common.Address  `json:"targetWallet"`
}

// Scheme selects the bytes that UpdateScore signs. The zero Scheme signs only the current time (EIP-191).
type Scheme struct {
	name   string
	domain wallet.Domain
}

// EIP712 returns a Scheme that signs the whole update under the domain, so the signature is useless for another
// update.
func EIP712(domain wallet.Domain) Scheme { return Scheme{"eip712", domain} }

// digest returns the hash to sign. message is in ms since 1970.
func (s Scheme) digest(u *NamedUpdate, message int64) (common.Hash, error) {
	switch {
	case s == Scheme{}:
		return wallet.PersonalDigest(strconv.FormatInt(message, 10)), nil
	case s.domain == wallet.Domain{}:
		return common.Hash{}, fmt.Errorf("%w: it is not known", ErrDomain)
	default:
		return s.domain.Digest(wallet.Payload{
			Update: u.UpdateID, Project: u.ProjectID, ActionName: u.ActionName, ScoreType: u.ScoreType, Target: u.TargetWallet,
			Message: uint64(message),
		}), nil
	}
}

// UpdateScore sends one update, signed by the scheme (at most one; default: the zero Scheme). It returns duplicate if
// the id was used before, so that the update was dropped. Projects that take only signed groups refuse it (code
// signed_only).
func (c *Client) UpdateScore(ctx context.Context, u NamedUpdate, sign Signer, schemes ...Scheme) (duplicate bool, err error) {
	var scheme Scheme
	if len(schemes) > 0 {
		scheme = schemes[0]
	}
	message := time.Now().UnixMilli()
	digest, err := scheme.digest(&u, message)
	if err != nil {
		return false, err
	}
	signature, err := sign.signature(ctx, digest)
	if err != nil {
		return false, err
	}
	var out acceptance
	err = c.do(ctx, http.MethodPost, "/update-score", struct {
		NamedUpdate
		Message   string        `json:"message"`
		Signature hexutil.Bytes `json:"signature"`
		Scheme    string        `json:"scheme,omitempty"`
	}{u, strconv.FormatInt(message, 10), signature[:], scheme.name}, &out)
	if err != nil {
		return false, err
	}
	return out.duplicate()
}

type acceptance struct {
	Status string `json:"status"`
}

func (a acceptance) duplicate() (bool, error) {
	if a.Status != accepted && a.Status != duplicate {
		return false, fmt.Errorf("%w: it has the status %q", ErrAnswer, a.Status)
	}
	return a.Status == duplicate, nil
}

type groupAcceptance struct {
	acceptance
	Accepted   int              `json:"accepted"`
	Duplicates []score.UpdateID `json:"duplicates"`
}

// counts returns the results of UpdateScores, or ErrAnswer if the number contradicts the status.
func (a *groupAcceptance) counts() (stored int, duplicates []score.UpdateID, err error) {
	all, err := a.duplicate()
	if err == nil && all != (a.Accepted == 0) {
		err = fmt.Errorf("%w: it has the status %q and %d accepted", ErrAnswer, a.Status, a.Accepted)
	}
	if err != nil {
		return 0, nil, err
	}
	return a.Accepted, a.Duplicates, nil
}

// UpdateScores sends a signed group. Its updates are stored together or not at all. It returns the number of new ones
// and the ids used before.
func (c *Client) UpdateScores(ctx context.Context, g *SignedGroup) (stored int, duplicates []score.UpdateID, err error) {
	var out groupAcceptance
	if err := c.do(ctx, http.MethodPost, "/update-scores", g, &out); err != nil {
		return 0, nil, err
	}
	return out.counts()
}

type GroupResult struct {
	Stored     int
	Duplicates []score.UpdateID
	Err        error // see UpdateScores
}

// UpdateGroups sends up to 64 signed groups in one request. Beyond the API's limit (256 KiB by default, ten to twenty
// full groups) the code is body_too_large. Each group is stored separately; results are in order. Send a group again
// if its Err is an *Error with a RetryAfter. If the whole request fails, there are no results.
func (c *Client) UpdateGroups(ctx context.Context, groups []*SignedGroup) ([]GroupResult, error) {
	var out struct {
		Groups []struct {
			groupAcceptance
			Problem    *problem `json:"problem"`
			RetryAfter uint16   `json:"retryAfter"`
		} `json:"groups"`
	}
	body := struct {
		Groups []*SignedGroup `json:"groups"`
	}{groups}
	if err := c.do(ctx, http.MethodPost, "/update-groups", body, &out); err != nil {
		return nil, err
	}
	if len(out.Groups) != len(groups) {
		return nil, fmt.Errorf("%w: it tells of %d groups, not of %d", ErrAnswer, len(out.Groups), len(groups))
	}
	results := make([]GroupResult, len(groups))
	for i := range out.Groups {
		g := &out.Groups[i]
		if g.Problem != nil {
			results[i].Err = g.Problem.refusal(g.Problem.Status, time.Duration(g.RetryAfter)*time.Second)
			continue
		}
		results[i].Stored, results[i].Duplicates, results[i].Err = g.counts()
	}
	return results, nil
}

// ReserveIDs reserves n ids (1 … MaxRange). A Minter does the same without a request.
func (c *Client) ReserveIDs(ctx context.Context, project score.ProjectID, n int) (IDRange, error) {
	var out struct {
		First score.UpdateID `json:"first"`
		Count int            `json:"count"`
	}
	err := c.do(ctx, http.MethodPost, "/reserve-ids", struct {
		ProjectID score.ProjectID `json:"projectId"`
		Count     int             `json:"count"`
	}{project, n}, &out)
	return IDRange{First: out.First, Count: out.Count}, err
}

type Scores struct {
	Block  uint64      `json:"blockNumber"` // the newest; the scores are as of it
	Scores []TypeScore `json:"scores"`      // by index of the score type
}

type TypeScore struct {
	ScoreType string `json:"scoreType"`
	Score     int64  `json:"score,string"`
}

// Of returns a type's score; 0 without updates, or for an unknown type.
func (s *Scores) Of(scoreType string) int64 {
	for _, each := range s.Scores {
		if each.ScoreType == scoreType {
			return each.Score
		}
	}
	return 0
}

// Scores returns a wallet's scores of all types, as of the newest block.
func (c *Client) Scores(ctx context.Context, project score.ProjectID, targetWallet common.Address) (*Scores, error) {
	return ask[Scores](ctx, c, "/projects/"+project.String()+"/scores/"+targetWallet.Hex(), nil)
}
