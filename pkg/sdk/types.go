package sdk

import (
	"crypto/ecdsa"
	"errors"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Aliases of the types in this API, so that a backend imports only this package.
type (
	ProjectID = score.ProjectID // 32 bytes, chosen by the project's creator
	UpdateID  = score.UpdateID  // 32 bytes, unique in a project
	IDRange   = score.IDRange   // consecutive ids
	Project   = score.Project
	Action    = score.Action
	Direction = score.Direction
	Edit      = score.Edit // one change by a project's owner
	Operation = score.Operation

	ProjectEdit = score.ProjectEdit // edits under one owner's signature

	Kind    = score.Kind    // the encoding of a Group's updates
	Domain  = wallet.Domain // the chain and contract that signatures are valid for
	Address = common.Address
	Hash    = common.Hash
)

// Directions of an Action.
const (
	Add      = score.Add
	Subtract = score.Subtract
)

// Operations of an Edit.
const (
	AddOwner            = score.AddOwner
	RemoveOwner         = score.RemoveOwner
	AddUpdater          = score.AddUpdater
	RemoveUpdater       = score.RemoveUpdater
	AddAction           = score.AddAction
	AddScoreType        = score.AddScoreType
	RequireSignedGroups = score.RequireSignedGroups
	AllowUnsignedGroups = score.AllowUnsignedGroups
)

// ParseProjectID parses 0x and 64 hexadecimal digits.
func ParseProjectID(s string) (ProjectID, error) { return score.ParseProjectID(s) }

// ParseUpdateID parses 0x and 64 hexadecimal digits.
func ParseUpdateID(s string) (UpdateID, error) { return score.ParseUpdateID(s) }

// ParseAddress parses 0x and 40 hexadecimal digits. In mixed case their checksum (EIP-55) must be right.
func ParseAddress(s string) (Address, error) { return wallet.ParseAddress(s) }

func NewDomain(chainID uint64, contract Address) Domain { return wallet.NewDomain(chainID, contract) }

// ParseKey parses a wallet's private key, 64 hexadecimal digits with or without 0x, for KeySigner. Its error never
// contains the key.
func ParseKey(s string) (*ecdsa.PrivateKey, error) {
	key, err := crypto.HexToECDSA(strings.TrimPrefix(s, "0x"))
	if err != nil {
		return nil, errors.New("a private key is 64 hexadecimal digits, above 0 and below the curve's order")
	}
	return key, nil
}

func AddressOf(key *ecdsa.PrivateKey) Address { return crypto.PubkeyToAddress(key.PublicKey) }
