package wallet

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// What every domain has in common, and its type as it is hashed. Part of the interface, as the types of messages are.
const (
	domainName    = "Scorelay"
	domainVersion = "1"
	domainType    = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)

// ErrDomain says that a JSON value is not a domain that NewDomain could have made.
var ErrDomain = errors.New("not a domain of Scorelay signatures")

// Domain ties signatures to one ScoreRegistry on one chain, so that none can be used on another. Domains can be compared
// with ==. The zero Domain is none: nothing should be signed under it.
type Domain struct {
	chainID   uint64
	contract  common.Address
	separator common.Hash
}

// NewDomain is the domain of the contract at that address on that chain: name "Scorelay", version "1".
func NewDomain(chainID uint64, contract common.Address) Domain {
	return Domain{chainID, contract, crypto.Keccak256Hash(
		crypto.Keccak256([]byte(domainType)),
		crypto.Keccak256([]byte(domainName)),
		crypto.Keccak256([]byte(domainVersion)),
		common.BigToHash(new(big.Int).SetUint64(chainID)).Bytes(),
		common.LeftPadBytes(contract[:], 32),
	)}
}

// ChainID is the chain's id (EIP-155).
func (d Domain) ChainID() uint64 { return d.chainID }

// Contract is the address of the ScoreRegistry.
func (d Domain) Contract() common.Address { return d.contract }

// String names contract and chain.
func (d Domain) String() string {
	if d == (Domain{}) {
		return "no contract"
	}
	return fmt.Sprintf("contract %s on chain %d", d.contract.Hex(), d.chainID)
}

// domainJSON has the names that `eth_signTypedData` and ERC-5267 give the parts of a domain.
type domainJSON struct {
	Name     string  `json:"name"`
	Version  string  `json:"version"`
	ChainID  *uint64 `json:"chainId"`
	Contract string  `json:"verifyingContract"`
}

// MarshalJSON writes the domain as `eth_signTypedData` takes it. The chain's id is a number, since not every library
// takes a string for it; ids beyond 2^53 - 1 are exact in the text, but not in every reader. The
// zero Domain is null.
func (d Domain) MarshalJSON() ([]byte, error) {
	if d == (Domain{}) {
		return []byte("null"), nil
	}
	address, err := d.contract.MarshalText() // lower case
	if err != nil {
		return nil, err
	}
	return json.Marshal(domainJSON{domainName, domainVersion, &d.chainID, string(address)})
}

// UnmarshalJSON reads what MarshalJSON writes; null changes nothing, as in encoding/json. The error is an ErrDomain, also
// for another name or version: that would be another scheme, which this package cannot sign.
func (d *Domain) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	var in domainJSON
	if err := json.Unmarshal(raw, &in); err != nil {
		return fmt.Errorf("%w: %w", ErrDomain, err)
	}
	if in.Name != domainName || in.Version != domainVersion {
		return fmt.Errorf("%w: name %q, version %q", ErrDomain, in.Name, in.Version)
	}
	contract, err := ParseAddress(in.Contract)
	if err != nil {
		return fmt.Errorf("%w: verifyingContract %w", ErrDomain, err)
	}
	if in.ChainID == nil {
		return fmt.Errorf("%w: no chainId", ErrDomain)
	}
	*d = NewDomain(*in.ChainID, contract)
	return nil
}

func (d Domain) digest(structHash []byte) common.Hash {
	return crypto.Keccak256Hash([]byte{0x19, 0x01}, d.separator[:], structHash)
}
