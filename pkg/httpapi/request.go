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

// Signature schemes. The default is eip191, the timestamp scheme.
const (
	schemePersonal = "eip191"
	schemeTyped    = "eip712"
)

// Only signatures of contract wallets are longer than 65 bytes.
const maxSignatureBytes = 1024

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

type updateRequest struct {
	wallet.Payload

	text      string    // the message as signed
	at        time.Time // the time in the message
	signature []byte
	typed     bool
}

func decodeUpdate(body []byte) (*updateRequest, *Problem) {
	return decode(body, func(b *updateBody, f *fields) *updateRequest {
		var r updateRequest
		r.Update = parsed(f, "/updateId", b.UpdateID, score.ParseUpdateID)
		r.Project = parsed(f, "/projectId", b.ProjectID, score.ParseProjectID)
		r.ActionName = parsed(f, "/actionName", b.ActionName, parseName)
		r.ScoreType = parsed(f, "/scoreType", b.ScoreType, parseName)
		r.Target = parsed(f, "/targetWallet", b.TargetWallet, parseTarget)
		r.signature = parsed(f, "/signature", b.Signature, hexOf(maxSignatureBytes))
		if r.at = parsed(f, "/message", b.Message, wallet.ParseTime); b.Message != nil {
			r.text, r.Message = *b.Message, uint64(max(r.at.UnixMilli(), 0))
		}
		if b.Scheme != nil {
			r.typed = *b.Scheme == schemeTyped
			if !r.typed && *b.Scheme != schemePersonal {
				f.add(fieldInvalid, "/scheme", `must be "`+schemePersonal+`" or "`+schemeTyped+`"`)
			}
		}
		return &r
	})
}

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

// decodeProject gives scoreTypes to a creation that names none.
func decodeProject(body []byte, scoreTypes []string) (*score.Project, *Problem) {
	return decode(body, func(b *createBody, f *fields) *score.Project {
		project := &score.Project{ScoreTypes: b.ScoreTypes, SignedOnly: b.SignedOnly != nil && *b.SignedOnly}
		if b.ScoreTypes == nil {
			project.ScoreTypes = scoreTypes
		}
		project.ID = parsed(f, "/projectId", b.ProjectID, score.ParseProjectID)
		project.Name = parsed(f, "/name", b.Name, asItIs)
		if b.InputActions == nil {
			f.add(fieldRequired, "/inputActions", "is required")
		}
		project.Actions = f.actions(b.InputActions)
		project.Owners = f.addresses("/owners", b.Owners)
		project.Updaters = f.addresses("/updaters", b.Updaters)
		for _, rule := range project.Problems() {
			if !f.noted(rule.Pointer) { // noted if its value failed to parse
				f.add(fieldInvalid, rule.Pointer, rule.Detail)
			}
		}
		return project
	})
}

func parsed[T any](f *fields, pointer string, text *string, parse func(string) (T, error)) (value T) {
	if text == nil {
		f.add(fieldRequired, pointer, "is required")
		return value
	}
	value, err := parse(*text)
	switch {
	case errors.Is(err, wallet.ErrChecksum):
		f.add(fieldChecksum, pointer, err.Error())
	case err != nil:
		f.add(fieldInvalid, pointer, err.Error())
	}
	return value
}

// integer returns a required number from least to most; else it adds an error, with allowed as the range, and returns
// 0.
func (f *fields) integer(pointer string, value *int64, least, most int64, allowed string) int64 {
	switch {
	case value == nil:
		f.add(fieldRequired, pointer, "is required")
	case *value < least || *value > most:
		f.add(fieldInvalid, pointer, "must be "+allowed)
	default:
		return *value
	}
	return 0
}

func (f *fields) actions(bodies []actionBody) []score.Action {
	actions := make([]score.Action, len(bodies))
	for i, b := range bodies {
		at := fmt.Sprintf("/inputActions/%d", i)
		actions[i] = score.Action{
			Name:      parsed(f, at+"/name", b.Name, asItIs),
			Points:    uint32(f.integer(at+"/points", b.Points, 1, score.MaxPoints, fmt.Sprintf("an integer from 1 to %d", score.MaxPoints))),
			Direction: score.Direction(f.integer(at+"/direction", b.Direction, int64(score.Add), int64(score.Subtract), "0 (add) or 1 (subtract)")),
		}
	}
	return actions
}

func (f *fields) addresses(pointer string, texts []string) []common.Address {
	if texts == nil {
		f.add(fieldRequired, pointer, "is required")
	}
	addresses := make([]common.Address, len(texts))
	for i := range texts {
		addresses[i] = parsed(f, fmt.Sprintf("%s/%d", pointer, i), &texts[i], wallet.ParseAddress)
	}
	return addresses
}

// asItIs parses any text; its rules are checked later.
func asItIs(text string) (string, error) { return text, nil }

func parseName(text string) (string, error) {
	if len(text) < 1 || len(text) > score.MaxNameBytes {
		return "", fmt.Errorf("must be 1 to %d bytes of UTF-8", score.MaxNameBytes)
	}
	return text, nil
}

func parseTarget(text string) (common.Address, error) {
	target, err := wallet.ParseAddress(text)
	if err == nil && target == (common.Address{}) {
		err = errors.New("must not be the zero address")
	}
	return target, err
}

// hexOf returns a parser of 0x and 1 to maxBytes bytes of hex, in either case.
func hexOf(maxBytes int) func(string) ([]byte, error) {
	return func(text string) ([]byte, error) {
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
}
