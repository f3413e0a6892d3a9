package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

type NextEdit struct {
	Nonce  uint64        `json:"nextNonce"`
	Waits  bool          `json:"waits"` // an edit is pending; the API accepts the next one once it is final
	Domain wallet.Domain `json:"-"`     // see ProjectState.Domain
}

// NextEdit returns a project's next nonce and domain. After ErrDomain, a retry would fail again.
func (c *Client) NextEdit(ctx context.Context, project score.ProjectID) (*NextEdit, error) {
	out, err := ask[struct {
		NextEdit
		Signing json.RawMessage `json:"signing"`
	}](ctx, c, editsPath(project), nil)
	if err != nil {
		return nil, err
	}
	if out.Domain, err = c.domain(out.Signing); err != nil {
		return nil, err
	}
	return &out.NextEdit, nil
}

func editsPath(project score.ProjectID) string { return "/projects/" + project.String() + "/edits" }

// SignedEdit can be sent again until its deadline.
type SignedEdit struct {
	score.ProjectEdit
	Signature hexutil.Bytes `json:"signature"`
}

// SignEdit signs an edit; sign belongs to an owner of the project. Errors: the signer's, wallet.ParseSignature's, and
// ErrDomain for a zero domain.
func SignEdit(ctx context.Context, domain wallet.Domain, e score.ProjectEdit, sign Signer) (*SignedEdit, error) {
	if domain == (wallet.Domain{}) {
		return nil, fmt.Errorf("%w: it is not known", ErrDomain)
	}
	signature, err := sign.signature(ctx, domain.EditDigest(e))
	if err != nil {
		return nil, err
	}
	compact := signature.Compact()
	return &SignedEdit{e, compact[:]}, nil
}

// EditProject sends an edit. It returns duplicate if the edit was accepted before; Edit returns its state.
func (c *Client) EditProject(ctx context.Context, e *SignedEdit) (duplicate bool, err error) {
	body := struct {
		Edits     []score.Edit  `json:"edits"`
		Nonce     uint64        `json:"nonce"`
		Deadline  uint64        `json:"deadline"`
		Signature hexutil.Bytes `json:"signature"`
	}{append([]score.Edit{}, e.Edits...), e.Nonce, e.Deadline, e.Signature}
	var out acceptance
	if err := c.do(ctx, http.MethodPost, editsPath(e.Project), body, &out); err != nil {
		return false, err
	}
	return out.duplicate()
}

type EditState struct {
	Status
	Reason string          `json:"reason"` // of a rejection, human-readable
	Owner  *common.Address `json:"owner"`  // the signer; nil if no longer known
	Edits  []score.Edit    `json:"edits"`  // nil if no longer known
}

func (c *Client) Edit(ctx context.Context, project score.ProjectID, nonce uint64) (*EditState, error) {
	return ask[EditState](ctx, c, editsPath(project)+"/"+strconv.FormatUint(nonce, 10), nil)
}

// EditFinal polls an edit until it is final; give ctx a deadline. Its intervals and errors are those of UntilFinal.
func (c *Client) EditFinal(ctx context.Context, project score.ProjectID, nonce uint64) (*EditState, error) {
	for {
		var state *EditState
		err := within(ctx, "the edit is not final", func() (err error) { state, err = c.Edit(ctx, project, nonce); return err })
		if err != nil || state.Final() {
			return state, err
		}
		if retry.Sleep(ctx, defaultWait) != nil {
			return state, fmt.Errorf("the edit is not final: %w", context.Cause(ctx))
		}
	}
}
