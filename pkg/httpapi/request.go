package httpapi

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// The signature schemes of update-score; without the field `scheme` it is the first, the published one.
const (
	schemePersonal = "eip191"
	schemeTyped    = "eip712"
)

// maxSignatureBytes bounds a signature. Only contract wallets have longer ones than 65 bytes.
const maxSignatureBytes = 1024

// updateBody is the body of update-score as it comes.
type updateBody struct {
	UpdateID     *string `json:"updateId"`
	ProjectID    *string `json:"projectId"`
	ActionName   *string `json:"actionName"`
	ScoreType    *string `json:"scoreType"`
	TargetWallet *string `json:"targetWallet"`
	Signature    *string `json:"signature"`
	Message      *string `json:"message"`
	Scheme       *string `json:"scheme"` // optional
}

// updateRequest is a well-formed update: every field read, nothing compared with the world yet.
type updateRequest struct {
	wallet.Payload

	text      string    // the message as it was signed
	at        time.Time // what it says
	signature []byte
	typed     bool // signed by EIP-712
}

func decodeUpdate(body []byte) (*updateRequest, *Problem) {
	var b updateBody
	if p := decode(body, &b); p != nil {
		return nil, p
	}
	var r updateRequest
	var wrong fields
	var err error
	if text := wrong.required("/updateId", b.UpdateID); text != nil {
		r.Update, err = score.ParseUpdateID(*text)
		wrong.check("/updateId", err)
	}
	r.Project = wrong.projectID(b.ProjectID)
	r.ActionName = wrong.name("/actionName", b.ActionName)
	r.ScoreType = wrong.name("/scoreType", b.ScoreType)
	if text := wrong.required("/targetWallet", b.TargetWallet); text != nil {
		r.Target, err = parseTarget(*text)
		wrong.check("/targetWallet", err)
	}
	if text := wrong.required("/signature", b.Signature); text != nil {
		r.signature, err = parseHex(*text, maxSignatureBytes)
		wrong.check("/signature", err)
	}
	if text := wrong.required("/message", b.Message); text != nil {
		r.text = *text
		r.at, err = wallet.ParseTime(*text)
		wrong.check("/message", err)
		r.Message = uint64(max(r.at.UnixMilli(), 0))
	}
	if b.Scheme != nil {
		r.typed = *b.Scheme == schemeTyped
		if !r.typed && *b.Scheme != schemePersonal {
			wrong.add(fieldInvalid, "/scheme", `must be "`+schemePersonal+`" or "`+schemeTyped+`"`)
		}
	}
	if p := wrong.problem(); p != nil {
		return nil, p
	}
	return &r, nil
}

// createBody is the body of create-project as it comes.
type createBody struct {
	ProjectID    *string      `json:"projectId"`
	Name         *string      `json:"name"`
	InputActions []actionBody `json:"inputActions"`
	Owners       []string     `json:"owners"`
	Updaters     []string     `json:"updaters"`
	ScoreTypes   []string     `json:"scoreTypes"` // optional
	SignedOnly   *bool        `json:"signedOnly"` // optional
}

type actionBody struct {
	Name      *string `json:"name"`
	Points    *int64  `json:"points"`
	Direction *int64  `json:"direction"`
}

// decodeProject reads a creation that is valid in itself; without score types it gets the default ones.
func decodeProject(body []byte, scoreTypes []string) (*score.Project, *Problem) {
	var b createBody
	if p := decode(body, &b); p != nil {
		return nil, p
	}
	var wrong fields
	project := &score.Project{ScoreTypes: b.ScoreTypes, SignedOnly: b.SignedOnly != nil && *b.SignedOnly}
	if b.ScoreTypes == nil {
		project.ScoreTypes = scoreTypes
	}
	project.ID = wrong.projectID(b.ProjectID)
	if text := wrong.required("/name", b.Name); text != nil {
		project.Name = *text
	}
	if b.InputActions == nil {
		wrong.add(fieldRequired, "/inputActions", "is required")
	}
	project.Actions = wrong.actions(b.InputActions)
	project.Owners = wrong.addresses("/owners", b.Owners)
	project.Updaters = wrong.addresses("/updaters", b.Updaters)
	if p := wrong.problem(); p != nil {
		return nil, p
	}
	for _, rule := range project.Problems() {
		wrong.add(fieldInvalid, rule.Pointer, rule.Detail)
	}
	if p := wrong.problem(); p != nil {
		return nil, p
	}
	return project, nil
}

func (f *fields) required(pointer string, value *string) *string {
	if value == nil {
		f.add(fieldRequired, pointer, "is required")
	}
	return value
}

// check notes a parser's error.
func (f *fields) check(pointer string, err error) {
	switch {
	case err == nil:
	case errors.Is(err, wallet.ErrChecksum):
		f.add(fieldChecksum, pointer, err.Error())
	default:
		f.add(fieldInvalid, pointer, err.Error())
	}
}

// projectID reads the required field that says of which project a request is.
func (f *fields) projectID(value *string) (id score.ProjectID) {
	if text := f.required("/projectId", value); text != nil {
		var err error
		id, err = score.ParseProjectID(*text)
		f.check("/projectId", err)
	}
	return id
}

// name reads a required name of an action or score type. Whether it exists is another question.
func (f *fields) name(pointer string, value *string) string {
	if f.required(pointer, value) == nil {
		return ""
	}
	if len(*value) < 1 || len(*value) > score.MaxNameBytes {
		f.add(fieldInvalid, pointer, fmt.Sprintf("must be 1 to %d bytes of UTF-8", score.MaxNameBytes))
	}
	return *value
}

func (f *fields) actions(bodies []actionBody) []score.Action {
	actions := make([]score.Action, len(bodies))
	for i, b := range bodies {
		at := fmt.Sprintf("/inputActions/%d", i)
		if name := f.required(at+"/name", b.Name); name != nil {
			actions[i].Name = *name
		}
		switch {
		case b.Points == nil:
			f.add(fieldRequired, at+"/points", "is required")
		case *b.Points < 1 || *b.Points > score.MaxPoints:
			f.add(fieldInvalid, at+"/points", fmt.Sprintf("must be an integer from 1 to %d", score.MaxPoints))
		default:
			actions[i].Points = uint32(*b.Points)
		}
		switch {
		case b.Direction == nil:
			f.add(fieldRequired, at+"/direction", "is required")
		case *b.Direction != int64(score.Add) && *b.Direction != int64(score.Subtract):
			f.add(fieldInvalid, at+"/direction", "must be 0 (add) or 1 (subtract)")
		default:
			actions[i].Direction = score.Direction(*b.Direction)
		}
	}
	return actions
}

func (f *fields) addresses(pointer string, texts []string) []common.Address {
	if texts == nil {
		f.add(fieldRequired, pointer, "is required")
	}
	addresses := make([]common.Address, len(texts))
	for i, text := range texts {
		var err error
		addresses[i], err = wallet.ParseAddress(text)
		f.check(fmt.Sprintf("%s/%d", pointer, i), err)
	}
	return addresses
}

var errZeroAddress = errors.New("must not be the zero address")

// parseTarget reads a wallet that can have a score.
func parseTarget(text string) (common.Address, error) {
	target, err := wallet.ParseAddress(text)
	if err == nil && target == (common.Address{}) {
		return target, errZeroAddress
	}
	return target, err
}

// parseHex reads 0x and 1 to maxBytes bytes of hex, of either case.
func parseHex(text string, maxBytes int) ([]byte, error) {
	digits, found := strings.CutPrefix(text, "0x")
	b, err := []byte(nil), error(nil)
	if len(digits) <= 2*maxBytes {
		b, err = hex.DecodeString(digits)
	}
	if !found || len(b) == 0 || err != nil {
		return nil, fmt.Errorf("must be 0x followed by 1 to %d bytes of hex", maxBytes)
	}
	return b, nil
}
