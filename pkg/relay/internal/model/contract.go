package model

import (
	"maps"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// registryState is the contract's storage. It is not changed once its block is made: apply works on a copy.
type registryState struct {
	projects map[score.ProjectID]*score.Record
	used     map[usedKey]bool
	scores   map[ScoreKey]int64
	relayers map[common.Address]bool
}

type usedKey struct {
	project score.ProjectID
	id      score.UpdateID
}

// ScoreKey names one score.
type ScoreKey struct {
	Project   score.ProjectID
	Target    common.Address
	ScoreType uint8
}

func newRegistryState() *registryState {
	return &registryState{
		map[score.ProjectID]*score.Record{}, map[usedKey]bool{}, map[ScoreKey]int64{}, map[common.Address]bool{},
	}
}

func (r *registryState) clone() *registryState {
	return &registryState{maps.Clone(r.projects), maps.Clone(r.used), maps.Clone(r.scores), maps.Clone(r.relayers)}
}

// result is what a call comes to.
type result struct {
	ok       bool
	gas      uint64 // used
	outOfGas bool
	revert   []byte // data of a revert
}

// try tells what calldata would do with so much gas; r stays as it is.
func (c *Chain) try(r *registryState, from common.Address, data []byte, gas uint64) (result, *call) {
	base := intrinsic(data)
	refused := func(revert []byte) (result, *call) {
		return result{gas: min(gas, base+5_000), revert: revert}, nil
	}
	read := c.read(data)
	if read == nil {
		return refused(nil)
	}
	switch {
	case read.account != nil && from != c.admin, read.account == nil && !r.relayers[from]:
		return refused(revertData("AccessControlUnauthorizedAccount(address,bytes32)", common.LeftPadBytes(from[:], 32), relayerRole[:]))
	case read.project != nil && r.projects[read.project.ID] != nil:
		return refused(revertData("ProjectExists(bytes32)", read.project.ID[:]))
	case read.poison:
		return result{gas: min(gas, base+100_000)}, nil
	}
	bound := read.gas
	if read.batch != nil {
		bound -= r.usedSlots(read.batch) * (c.rules.Batch.Fresh - c.rules.Batch.Used)
	}
	used := max(base, bound/100*c.GasPercent)
	if used > gas {
		return result{gas: min(gas, registry.MaxExecution), outOfGas: true}, nil
	}
	return result{ok: true, gas: used}, read
}

// usedSlots counts the batch's slots that are not fresh: of words of ids, and of four scores each.
func (r *registryState) usedSlots(b *batch.Batch) (n uint64) {
	type word struct {
		project score.ProjectID
		word    score.Word
	}
	words, scores := map[word]bool{}, map[ScoreKey]bool{}
	for k := range r.used {
		words[word{k.project, k.id.Word()}] = true
	}
	for k := range r.scores {
		scores[ScoreKey{k.Project, k.Target, k.ScoreType / 4}] = true
	}
	for i := range b.Groups {
		for _, u := range b.Groups[i].Updates {
			w, s := word{u.Project, u.ID.Word()}, ScoreKey{u.Project, u.Target, u.ScoreType / 4}
			if words[w] {
				n++
			}
			if scores[s] {
				n++
			}
			delete(words, w) // each counts once
			delete(scores, s)
		}
	}
	return n
}

// run does what the contract does with a call that it takes, and changes r.
func (c *Chain) run(r *registryState, read *call) []*types.Log {
	switch {
	case read.batch != nil:
		outcomes := r.apply(read)
		return []*types.Log{{Address: c.Contract, Topics: []common.Hash{topicBatchApplied}, Data: batchAppliedData(read.data, outcomes)}}
	case read.project != nil:
		r.projects[read.project.ID] = score.RecordOf(read.project)
		return []*types.Log{{
			Address: c.Contract, Topics: []common.Hash{topicProjectCreated, common.Hash(read.project.ID)}, Data: projectCreatedData(read.data),
		}}
	}
	if r.relayers[*read.account] == read.grant {
		return nil
	}
	r.relayers[*read.account] = read.grant
	event := topicRoleRevoked
	if read.grant {
		event = topicRoleGranted
	}
	return []*types.Log{{Address: c.Contract, Topics: []common.Hash{
		event, relayerRole, common.BytesToHash(read.account[:]), common.BytesToHash(c.admin[:]),
	}}}
}

// apply plays a batch; the outcomes are empty when all of it was applied, as in the event.
func (r *registryState) apply(read *call) (outcomes []byte) {
	all := true
	for i := range read.batch.Groups {
		g := &read.batch.Groups[i]
		for j := range g.Updates {
			outcome := r.update(&g.Updates[j], read.proofs[i])
			all = all && outcome == score.Applied
			outcomes = append(outcomes, byte(outcome))
		}
	}
	if all {
		return nil
	}
	return outcomes
}

// update does what the contract does with one update, in its order of checks.
func (r *registryState) update(u *score.Update, proof score.Outcome) score.Outcome {
	p := r.projects[u.Project]
	switch {
	case p == nil:
		return score.UnknownProject
	case p.Members[u.Signer] == 0:
		return score.NotMember
	case p.SignedOnly && proof == score.SignatureRequired:
		return score.SignatureRequired
	case proof == score.BadSignature:
		return score.BadSignature
	case r.used[usedKey{u.Project, u.ID}]:
		return score.Duplicate
	case int(u.Action) >= len(p.Actions):
		return score.UnknownAction
	case int(u.ScoreType) >= len(p.ScoreTypes):
		return score.UnknownScoreType
	}
	r.used[usedKey{u.Project, u.ID}] = true
	r.scores[ScoreKey{u.Project, u.Target, u.ScoreType}] += p.Actions[u.Action].Delta()
	return score.Applied
}

// Of OpenZeppelin's access control.
var (
	relayerRole      = crypto.Keccak256Hash([]byte("RELAYER_ROLE"))
	topicRoleGranted = crypto.Keccak256Hash([]byte("RoleGranted(bytes32,address,address)"))
	topicRoleRevoked = crypto.Keccak256Hash([]byte("RoleRevoked(bytes32,address,address)"))
)

func revertData(signature string, words ...[]byte) []byte {
	data := crypto.Keccak256([]byte(signature))[:4]
	for _, w := range words {
		data = append(data, w...)
	}
	return data
}
