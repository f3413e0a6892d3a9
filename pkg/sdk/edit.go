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

// NextEdit is what a project's next edit is signed with.
type NextEdit struct {
	Nonce  uint64        `json:"nextNonce"`
	Waits  bool          `json:"waits"` // an edit is under way, and the next is accepted when that is final
	Domain wallet.Domain `json:"-"`     // see ProjectState
}

// NextEdit asks what a project's next edit is signed with. An ErrDomain is final: see Expecting.
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

// SignedEdit is an edit that an owner has signed. It may be sent again for as long as its deadline is not over.
type SignedEdit struct {
	score.ProjectEdit
	Signature hexutil.Bytes `json:"signature"`
}

// SignEdit asks the signer, an owner of the project, for the signature of edits. Errors are the signer's, those of wallet.ParseSignature,
// and ErrDomain for a zero domain.
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

// EditProject sends an edit. A duplicate was accepted before: ask Edit what became of it.
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

// EditState is how far an edit has come.
type EditState struct {
	Status
	Reason string          `json:"reason"` // of a rejection, for people
	Owner  *common.Address `json:"owner"`  // who signed; nil where that is not known any more
	Edits  []score.Edit    `json:"edits"`  // nil where that is not known any more
}

// Edit asks how far the edit with a nonce has come.
func (c *Client) Edit(ctx context.Context, project score.ProjectID, nonce uint64) (*EditState, error) {
	return ask[EditState](ctx, c, editsPath(project)+"/"+strconv.FormatUint(nonce, 10), nil)
}

// EditFinal waits until the edit with a nonce is final; give ctx a deadline. It looks once a second, or when the API asks for
// it. Its errors are as those of UntilFinal.
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
