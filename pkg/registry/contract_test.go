package registry_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestContractAgainstModel plays random batches, direct updates and owners' edits, good and bad, on geth's EVM. After each, outcome
// for outcome and revert for revert, the contract must agree with the model; at the end so must every view, and a
// world rebuilt from events alone.
func TestContractAgainstModel(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	game := 0
	rapid.Check(t, func(rt *rapid.T) {
		game++
		g := &player{T: rt, chain: c, game: game, world: newWorld(), from: len(c.logs)}
		g.createProject()
		rt.Repeat(map[string]func(*rapid.T){
			"batch":         g.sendBatch,
			"direct update": g.sendUpdate,
			"owner's edit":  g.sendEdit,
			"creation":      func(*rapid.T) { g.createProject() },
		})
		g.checkViews()
		g.checkEvents()
	})
}

// player is one game of TestContractAgainstModel. It draws from few names, ids and wallets, so that they meet again.
type player struct {
	*rapid.T
	chain *chain
	game  int
	world *world
	ids   []score.ProjectID // existing
	from  int               // log
}

func (g *player) draw(name string, below int) int { return rapid.IntRange(0, below-1).Draw(g.T, name) }

func (g *player) account(name string) *account {
	return testAccount(uint64(2 + g.draw(name, players-2)))
}

func (g *player) projectID() score.ProjectID {
	return hash("project", g.game, g.draw("project", 4))
}

func (g *player) wallet() common.Address { return wallet(g.draw("wallet", 5)) }

// updateID draws from two words and a few ids that share no word.
func (g *player) updateID() (id score.UpdateID) {
	id = hash("update", g.game, g.draw("word", 5))
	if n := g.draw("low", 40); n < 32 {
		id[31] = byte(n * 8)
	}
	return id
}

func (g *player) createProject() {
	p := &score.Project{ID: g.projectID(), Name: "a project"}
	for i := range 1 + g.draw("actions", 6) {
		p.Actions = append(p.Actions, g.action(i))
	}
	for i := range 1 + g.draw("score types", 6) {
		p.ScoreTypes = append(p.ScoreTypes, fmt.Sprintf("type %d", i))
	}
	p.Owners = []common.Address{g.account("owner").addr}
	if g.draw("updaters", 2) == 1 {
		p.Updaters = []common.Address{g.account("updater").addr}
	}
	p.SignedOnly = g.draw("signed only", 3) == 0
	data := registry.EncodeCreateProject(p)
	if g.world.projects[p.ID] != nil {
		require.Equal(g, "ProjectExists", g.chain.refused(g.chain.relayer.addr, data).Name)
		return
	}
	require.NoError(g, registry.Created(p.ID, g.chain.registry, g.chain.transact(g.chain.relayer, data)))
	g.world.create(p)
	g.ids = append(g.ids, p.ID)
}

func (g *player) action(i int) score.Action {
	points := []uint32{1, 7, 1_000_000, score.MaxPoints}[g.draw("points", 4)]
	return score.Action{Name: fmt.Sprintf("action %d", i), Points: points, Direction: score.Direction(g.draw("direction", 2))}
}

func (g *player) sendUpdate(*rapid.T) {
	u := score.Update{Project: g.projectID(), ID: g.updateID(), Signer: g.account("signer").addr, Target: g.wallet()}
	actionName, typeName := fmt.Sprintf("action %d", g.draw("action", 8)), fmt.Sprintf("type %d", g.draw("type", 8))
	u.Action, u.ScoreType = 255, 255
	if p := g.world.projects[u.Project]; p != nil {
		if i, ok := p.ActionIndex(actionName); ok {
			u.Action = i
		}
		if i, ok := p.ScoreTypeIndex(typeName); ok {
			u.ScoreType = i
		}
	}
	data := calls.UpdateScore(u.Project, u.ID, actionName, typeName, u.Target)
	want := map[score.Outcome]string{
		score.Duplicate: registry.RevertDuplicateUpdate, score.UnknownProject: registry.RevertUnknownProject,
		score.NotMember: registry.RevertNotMember, score.UnknownAction: registry.RevertUnknownAction,
		score.UnknownScoreType: registry.RevertUnknownScoreType,
	}
	outcome := g.world.update(u, byItself)
	if outcome != score.Applied {
		require.Equal(g, want[outcome], g.chain.refused(u.Signer, data).Name)
		return
	}
	g.chain.transact(g.signer(u.Signer), data)
}

// signer is the account with that address.
func (g *player) signer(addr common.Address) *account {
	for i := range uint64(players) {
		if a := testAccount(i); a.addr == addr {
			return a
		}
	}
	g.Fatalf("no player has the address %s", addr)
	return nil
}

func (g *player) sendEdit(*rapid.T) {
	id, by, member := g.projectID(), g.account("by").addr, g.account("member").addr
	p := g.world.projects[id]
	data, refusal, apply := g.edit(id, p, member)
	switch {
	case p == nil:
		refusal = registry.RevertUnknownProject
	case p.Members[by]&score.Owner == 0:
		refusal = registry.RevertNotOwner
	}
	if refusal != "" {
		require.Equal(g, refusal, g.chain.refused(by, data).Name)
		return
	}
	g.chain.transact(g.signer(by), data)
	apply()
}

// edit draws an edit: its calldata, why an owner would be refused, and what it does.
func (g *player) edit(id score.ProjectID, p *score.Record, member common.Address) (data []byte, refusal string, apply func()) {
	kind := g.draw("edit", 7)
	switch kind {
	case 0:
		a := g.action(g.draw("action", 8))
		return calls.AddAction(id, a), "", func() { p.Actions = append(p.Actions, a) }
	case 1:
		name := fmt.Sprintf("type %d", g.draw("type", 8))
		if p != nil && slices.Contains(p.ScoreTypes, name) {
			refusal = "DuplicateScoreType"
		}
		return calls.AddScoreType(id, name), refusal, func() { p.ScoreTypes = append(p.ScoreTypes, name) }
	}
	if kind == 6 {
		signedOnly := g.draw("signed only", 2) == 1
		if p != nil && p.SignedOnly == signedOnly {
			refusal = "SignedOnlyUnchanged"
		}
		return calls.SetSignedOnly(id, signedOnly), refusal, func() { p.SignedOnly = signedOnly }
	}
	role, give := score.Owner, kind%2 == 0
	if kind > 3 {
		role = score.Updater
	}
	encode := map[int]func(score.ProjectID, common.Address) []byte{
		2: calls.AddOwner, 3: calls.RemoveOwner, 4: calls.AddUpdater, 5: calls.RemoveUpdater,
	}[kind]
	if p != nil {
		owners := 0
		for _, roles := range p.Members {
			if roles&score.Owner != 0 {
				owners++
			}
		}
		if has := p.Members[member]&role != 0; has == give {
			refusal = "RoleUnchanged"
		} else if kind == 3 && owners == 1 {
			refusal = "LastOwner"
		}
	}
	return encode(id, member), refusal, func() { g.world.setRoles(id, member, p.Members[member]^role) }
}

func (g *player) checkViews() {
	for n := range 4 {
		id := score.ProjectID(hash("project", g.game, n))
		p := g.world.projects[id]
		if p == nil {
			p = &score.Record{}
		}
		info := read(g.chain, registry.ReadProject(id))
		require.Equal(g, len(p.Actions), int(info.Actions))
		require.Equal(g, len(p.ScoreTypes), int(info.ScoreTypes))
		require.Equal(g, len(p.Actions) > 0, info.Exists())
		require.Equal(g, p.SignedOnly, info.SignedOnly)
		deltas := read(g.chain, registry.ReadActions(id))
		require.Len(g, deltas, len(p.Actions))
		for i, a := range p.Actions {
			require.Equal(g, a.Delta(), deltas[i])
			newest, _ := p.ActionIndex(a.Name)
			require.Equal(g, newest, read(g.chain, registry.ReadActionIndex(id, a.Name)))
		}
		var accounts []common.Address
		var roles []score.Role
		owners := uint32(0)
		for i := range uint64(players) {
			accounts = append(accounts, testAccount(i).addr)
			roles = append(roles, p.Members[testAccount(i).addr])
			owners += uint32(roles[i]&score.Owner) / uint32(score.Owner)
		}
		require.Equal(g, roles, read(g.chain, registry.ReadRoles(id, accounts)))
		require.Equal(g, owners, info.Owners)
		g.checkScores(id, p)
		g.checkUsed(id)
	}
}

func (g *player) checkScores(id score.ProjectID, p *score.Record) {
	var wallets []common.Address
	var types []uint8
	var want []int64
	for n := range 5 {
		all := read(g.chain, registry.ReadWalletScores(id, wallet(n)))
		require.Len(g, all, len(p.ScoreTypes))
		for i, name := range p.ScoreTypes {
			expected := g.world.scores[scoreKey{id, wallet(n), uint8(i)}]
			require.Equal(g, expected, all[i])
			require.Equal(g, expected, read(g.chain, registry.ReadScore(id, wallet(n), name)))
			require.Equal(g, uint8(i), read(g.chain, registry.ReadScoreTypeIndex(id, name)))
			wallets, types, want = append(wallets, wallet(n)), append(types, uint8(i)), append(want, expected)
		}
	}
	require.ElementsMatch(g, want, read(g.chain, registry.ReadScores(id, wallets, types)))
}

func (g *player) checkUsed(id score.ProjectID) {
	var ids []score.UpdateID
	var want []bool
	for word := range 5 {
		base := score.UpdateID(hash("update", g.game, word))
		for low := range 256 {
			base[31] = byte(low)
			ids, want = append(ids, base), append(want, g.world.used[usedKey{id, base}])
		}
	}
	require.Equal(g, want, read(g.chain, registry.ReadUsed(id, ids)))
}

// checkEvents rebuilds the world from the game's events and compares.
func (g *player) checkEvents() {
	rebuilt := newWorld()
	for _, log := range g.chain.logs[g.from:] {
		event, err := registry.ParseLog(log)
		require.NoError(g, err)
		require.NoError(g, rebuilt.fold(event))
	}
	require.Equal(g, g.world.projects, rebuilt.projects)
	require.Equal(g, g.world.used, rebuilt.used)
	require.Equal(g, g.world.scores, rebuilt.scores)
}

func TestReceiptsThatProveNothing(t *testing.T) {
	t.Parallel()
	lab := newGasLab(t)
	b := planned(lab.updates(3, 3, 0, consecutive))
	receipt := lab.transact(lab.relayer, registry.EncodeBatch(b))
	check := func(b batch.Batch, at common.Address, r types.Receipt) {
		t.Helper()
		_, err := registry.Outcomes(b, at, &r)
		require.ErrorIs(t, err, registry.ErrNoEvent)
		require.ErrorIs(t, registry.Created(lab.project.ID, at, &r), registry.ErrNoEvent)
	}
	outcomes, err := registry.Outcomes(b, lab.registry, receipt)
	require.NoError(t, err)
	require.Equal(t, []score.Outcome{0, 0, 0}, outcomes)

	check(planned(lab.updates(3, 3, 0, consecutive)), lab.registry, *receipt) // another batch's
	check(b, lab.relayer.addr, *receipt)                                      // another contract's
	empty, failed := *receipt, *receipt
	empty.Logs, failed.Status = nil, types.ReceiptStatusFailed
	check(b, lab.registry, empty)
	check(b, lab.registry, failed)

	cut := *receipt
	log := *receipt.Logs[0]
	log.Data = log.Data[:64]
	cut.Logs = []*types.Log{&log}
	_, err = registry.Outcomes(b, lab.registry, &cut)
	require.Error(t, err)
	require.NotErrorIs(t, err, registry.ErrNoEvent)
}
