package wallet

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Part of the signature scheme: any change makes all signatures invalid.
const (
	domainName    = "Scorelay"
	domainVersion = "1"
	domainType    = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)

// ErrDomain reports JSON other than a domain of NewDomain.
var ErrDomain = errors.New("not a domain of Scorelay signatures")

// Domain is the EIP-712 domain of one ScoreRegistry on one chain: signatures are valid only there. Domains are
// comparable with ==. The zero Domain means none and must not sign.
type Domain struct {
	chainID   uint64
	contract  common.Address
	separator common.Hash
}

func NewDomain(chainID uint64, contract common.Address) Domain {
	return Domain{chainID, contract, crypto.Keccak256Hash(
		crypto.Keccak256([]byte(domainType)),
		crypto.Keccak256([]byte(domainName)),
		crypto.Keccak256([]byte(domainVersion)),
		common.BigToHash(new(big.Int).SetUint64(chainID)).Bytes(),
		common.LeftPadBytes(contract[:], 32),
	)}
}

func (d Domain) ChainID() uint64 { return d.chainID }

func (d Domain) Contract() common.Address { return d.contract }

func (d Domain) String() string {
	if d == (Domain{}) {
		return "no contract"
	}
	return fmt.Sprintf("contract %s on chain %d", d.contract.Hex(), d.chainID)
}

// domainJSON has the field names of `eth_signTypedData` and ERC-5267.
type domainJSON struct {
	Name     string  `json:"name"`
	Version  string  `json:"version"`
	ChainID  *uint64 `json:"chainId"`
	Contract string  `json:"verifyingContract"`
}

// MarshalJSON returns the form of `eth_signTypedData`. The chain's id is a number, since some libraries reject a
// string, although some parsers round ids beyond 2^53 - 1. The zero Domain is null.
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

// UnmarshalJSON parses the form of MarshalJSON; null is ignored, as in encoding/json. The error wraps ErrDomain, also
// for another name or version, since that is a foreign scheme.
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
