package wallet

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/score"
)

// Part of the signature scheme: any change makes another scheme.
const (
	payloadType = "UpdateScore(bytes32 updateId,bytes32 projectId,string actionName,string scoreType,address targetWallet,uint256 message)"
	groupType   = "UpdateGroup(bytes32 projectId,uint8 kind,bytes updates)"
	editType    = "Edit(string operation,address member,string name,uint32 points,uint8 direction)"
	projectEdit = "EditProject(bytes32 projectId,Edit[] edits,uint256 nonce,uint256 deadline)" + editType
)

// Payload is an update as its caller sees it.
type Payload struct {
	Update     score.UpdateID
	Project    score.ProjectID
	ActionName string
	ScoreType  string
	Target     common.Address
	Message    uint64 // time of signing, milliseconds since 1970
}

func (d Domain) Digest(p Payload) common.Hash {
	payload := crypto.Keccak256(
		crypto.Keccak256([]byte(payloadType)),
		p.Update[:],
		p.Project[:],
		crypto.Keccak256([]byte(p.ActionName)),
		crypto.Keccak256([]byte(p.ScoreType)),
		common.LeftPadBytes(p.Target[:], 32),
		uintWord(p.Message),
	)
	return d.digest(payload)
}

// GroupDigest returns the digest of a group, as the contract computes it. body is its updates as in the calldata. The
// digest covers no time: a group can be sent again, and its ids apply once.
func (d Domain) GroupDigest(project score.ProjectID, kind score.Kind, body []byte) common.Hash {
	return d.digest(crypto.Keccak256(
		crypto.Keccak256([]byte(groupType)),
		project[:],
		common.LeftPadBytes([]byte{byte(kind)}, 32),
		crypto.Keccak256(body),
	))
}

// EditDigest returns the digest of an owner's edit, as the contract computes it.
func (d Domain) EditDigest(e score.ProjectEdit) common.Hash {
	var edits []byte
	for _, edit := range e.Edits {
		edits = append(edits, crypto.Keccak256(
			crypto.Keccak256([]byte(editType)),
			crypto.Keccak256([]byte(edit.Operation)),
			common.LeftPadBytes(edit.Member[:], 32),
			crypto.Keccak256([]byte(edit.Name)),
			uintWord(uint64(edit.Points)),
			uintWord(uint64(edit.Direction)),
		)...)
	}
	return d.digest(crypto.Keccak256(
		crypto.Keccak256([]byte(projectEdit)), e.Project[:], crypto.Keccak256(edits), uintWord(e.Nonce), uintWord(e.Deadline),
	))
}

// EditTypedData returns the typed data of EditDigest as JSON, for signers that encode it themselves.
func (d Domain) EditTypedData(e score.ProjectEdit) ([]byte, error) {
	e.Edits = append([]score.Edit{}, e.Edits...) // [] for none
	return json.Marshal(map[string]any{
		"domain": d, "primaryType": "EditProject", "message": e, "types": map[string][]member{
			"EIP712Domain": membersOf(domainType), "EditProject": membersOf(strings.TrimSuffix(projectEdit, editType)), "Edit": membersOf(editType),
		},
	})
}

type member struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

func membersOf(text string) (members []member) {
	_, list, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	for text := range strings.SplitSeq(list, ",") {
		kind, name, _ := strings.Cut(text, " ")
		members = append(members, member{name, kind})
	}
	return members
}

func uintWord(n uint64) []byte { return common.BigToHash(new(big.Int).SetUint64(n)).Bytes() }
