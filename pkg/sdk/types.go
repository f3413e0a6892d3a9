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

// The types that this package's functions take and return, so that a backend need not import another package.
type (
	ProjectID = score.ProjectID // 32 bytes, chosen by who creates the project
	UpdateID  = score.UpdateID  // 32 bytes, used once in a project
	IDRange   = score.IDRange   // ids that were minted or reserved together
	Project   = score.Project   // what CreateProject sends
	Action    = score.Action    // a named number of points, of a Project
	Direction = score.Direction // of an Action: Add or Subtract
	Edit      = score.Edit      // one change of a project by its owner
	Operation = score.Operation // what an Edit does

	ProjectEdit = score.ProjectEdit // what an owner signs

	Kind    = score.Kind     // how a Group's updates are written
	Domain  = wallet.Domain  // what signatures are made for: a chain and a contract
	Address = common.Address // 20 bytes
	Hash    = common.Hash    // 32 bytes
)

// What an Action does to a score.
const (
	Add      = score.Add
	Subtract = score.Subtract
)

// What an Edit does.
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

// ParseProjectID reads 0x and 64 hexadecimal digits.
func ParseProjectID(s string) (ProjectID, error) { return score.ParseProjectID(s) }

// ParseUpdateID reads 0x and 64 hexadecimal digits.
func ParseUpdateID(s string) (UpdateID, error) { return score.ParseUpdateID(s) }

// ParseAddress reads 0x and 40 hexadecimal digits. If they are of mixed case, their checksum (EIP-55) must be right.
func ParseAddress(s string) (Address, error) { return wallet.ParseAddress(s) }

// NewDomain is the domain of the deployment whose contract has that address on that chain.
func NewDomain(chainID uint64, contract Address) Domain { return wallet.NewDomain(chainID, contract) }

// ParseKey reads a wallet's private key, 64 hexadecimal digits with or without 0x, for KeySigner. Its error does not
// hold the key.
func ParseKey(s string) (*ecdsa.PrivateKey, error) {
	key, err := crypto.HexToECDSA(strings.TrimPrefix(s, "0x"))
	if err != nil {
		return nil, errors.New("a private key is 64 hexadecimal digits, above 0 and below the curve's order")
	}
	return key, nil
}

// AddressOf is the address of a key's wallet.
func AddressOf(key *ecdsa.PrivateKey) Address { return crypto.PubkeyToAddress(key.PublicKey) }
