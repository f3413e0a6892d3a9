package model

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// registryState is the contract's storage, immutable once its block is made.
type registryState struct {
	projects map[score.ProjectID]*score.Record
	created  map[score.ProjectID]uint64 // block number
	edits    map[score.ProjectID]uint64 // the next nonce
	used     map[usedKey]bool
	scores   map[ScoreKey]int64
	relayers map[common.Address]bool
	batches  []played // ever applied
}

type played struct {
	batch    batch.Batch
	outcomes []score.Outcome
}

type usedKey struct {
	project score.ProjectID
	id      score.UpdateID
}

type ScoreKey struct {
	Project   score.ProjectID
	Target    common.Address
	ScoreType uint8
}

func newRegistryState() *registryState {
	return &registryState{
		map[score.ProjectID]*score.Record{}, map[score.ProjectID]uint64{}, map[score.ProjectID]uint64{}, map[usedKey]bool{}, map[ScoreKey]int64{}, map[common.Address]bool{}, nil,
	}
}

func (r *registryState) clone() *registryState {
	return &registryState{maps.Clone(r.projects), maps.Clone(r.created), maps.Clone(r.edits), maps.Clone(r.used), maps.Clone(r.scores), maps.Clone(r.relayers), slices.Clip(r.batches)}
}

type result struct {
	ok       bool
	gas      uint64 // used
	outOfGas bool
	revert   []byte
}

// try returns the result of a transaction on r, which it leaves unchanged. The returned call is nil if the
// transaction fails.
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
	case read.account != nil && from != c.admin, read.account == nil && read.edit == nil && !r.relayers[from]:
		return refused(revertData("AccessControlUnauthorizedAccount(address,bytes32)", common.LeftPadBytes(from[:], 32), relayerRole[:]))
	case read.project != nil && r.projects[read.project.ID] != nil:
		return refused(revertData("ProjectExists(bytes32)", read.project.ID[:]))
	case read.edit != nil:
		if revert := r.refuses(read); revert != nil {
			return refused(revert)
		}
	case read.poison:
		return result{gas: min(gas, base+100_000)}, nil
	}
	used := max(base, c.bound(r, read)/100*c.GasPercent)
	if used > gas {
		return result{gas: min(gas, registry.MaxExecution), outOfGas: true}, nil
	}
	return result{ok: true, gas: used}, read
}

func (c *Chain) bound(r *registryState, read *call) uint64 {
	if read.batch == nil {
		return read.gas
	}
	known := c.rules.Batch
	known.Known = batch.NewKnown()
	for _, p := range r.batches {
		known.Known.Learn(p.batch, p.outcomes)
	}
	return read.gas - c.rules.Batch.Gas(*read.batch) + known.Gas(*read.batch)
}

// run executes an accepted call in block number, changes r and returns the logs.
func (c *Chain) run(r *registryState, read *call, number uint64) []*types.Log {
	switch {
	case read.batch != nil:
		outcomes := r.apply(read)
		return []*types.Log{{Address: c.Contract, Topics: []common.Hash{topicBatchApplied}, Data: batchAppliedData(read.data, outcomes)}}
	case read.project != nil:
		r.projects[read.project.ID], r.created[read.project.ID] = score.RecordOf(read.project), number
		return []*types.Log{{
			Address: c.Contract, Topics: []common.Hash{topicProjectCreated, common.Hash(read.project.ID)}, Data: ProjectCreatedData(read.data),
		}}
	}
	if e := read.edit; e != nil {
		return r.edit(c.Contract, e)
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

// refuses returns an edit's revert data, in the contract's order of checks, or nil. Only deadline 0 counts as
// expired.
func (r *registryState) refuses(read *call) []byte {
	e := read.edit
	p, number := r.projects[e.Project], func(n uint64) []byte { return common.LeftPadBytes(new(big.Int).SetUint64(n).Bytes(), 32) }
	switch {
	case p == nil:
		return revertData("UnknownProject(bytes32)", e.Project[:])
	case e.Deadline == 0:
		return revertData("EditExpired(uint256,uint256)", number(0), number(1))
	case e.Nonce != r.edits[e.Project]:
		return revertData("WrongEditNonce(bytes32,uint256,uint256)", e.Project[:], number(e.Nonce), number(r.edits[e.Project]))
	case p.Members[e.Owner]&score.Owner == 0:
		return revertData("NotOwner(bytes32,address)", e.Project[:], common.LeftPadBytes(e.Owner[:], 32))
	case read.forged:
		return revertData("BadEditSignature(bytes32,address)", e.Project[:], common.LeftPadBytes(e.Owner[:], 32))
	}
	if _, problems := e.Apply(p, math.MaxInt, 0); len(problems) > 0 {
		return revertData("RoleUnchanged(bytes32,address)", e.Project[:], common.LeftPadBytes(e.Edits[0].Member[:], 32))
	}
	return nil
}

// edit applies an edit of members, the only supported kind.
func (r *registryState) edit(contract common.Address, e *score.SignedEdit) (logs []*types.Log) {
	before := r.projects[e.Project]
	after, _ := e.Apply(before, math.MaxInt, 0)
	r.projects[e.Project], r.edits[e.Project] = after, e.Nonce+1
	for i := range e.Edits {
		first := score.ProjectEdit{Edits: e.Edits[:i+1]}
		then, _ := first.Apply(before, math.MaxInt, 0)
		member := e.Edits[i].Member
		logs = append(logs, &types.Log{Address: contract, Topics: []common.Hash{
			topicMemberChanged, common.Hash(e.Project), common.BytesToHash(member[:]), common.BytesToHash(e.Owner[:]),
		}, Data: common.LeftPadBytes([]byte{byte(then.Members[member])}, 32)})
	}
	return logs
}

// apply returns nil if every update was applied, as in the event.
func (r *registryState) apply(read *call) (outcomes []byte) {
	all, now := true, played{batch: *read.batch}
	for i := range read.batch.Groups {
		g := &read.batch.Groups[i]
		for j := range g.Updates {
			outcome := r.update(&g.Updates[j], read.proofs[i])
			all = all && outcome == score.Applied
			outcomes, now.outcomes = append(outcomes, byte(outcome)), append(now.outcomes, outcome)
		}
	}
	r.batches = append(r.batches, now)
	if all {
		return nil
	}
	return outcomes
}

// update makes the contract's checks in its order.
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

// Role and topics of OpenZeppelin's AccessControl.
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
