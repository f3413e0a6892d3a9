package registry_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	signatures "github.com/scorelay/scorelay/pkg/wallet"
)

// signEdit is the calldata of an edit that the account has signed.
func (c *chain) signEdit(by *account, e *score.ProjectEdit) []byte {
	return registry.EncodeEditBySignature(e, by.addr, *c.compact(by, signatures.NewDomain(chainID, c.registry).EditDigest(*e)))
}

// nextEdit is edits of the project with its next nonce.
func (c *chain) nextEdit(project score.ProjectID, edits ...score.Edit) *score.ProjectEdit {
	return &score.ProjectEdit{
		Project: project, Edits: edits, Nonce: read(c, registry.ReadProject(project)).EditNonce, Deadline: c.time + 3600,
	}
}

// relayEdit sends what the owner signed in a stranger's transaction, with as much gas as the rules say, and returns its events.
func (c *chain) relayEdit(owner *account, e *score.ProjectEdit) (events []registry.Event) {
	data := c.signEdit(owner, e)
	signed, err := registry.DecodeEdit(data)
	require.NoError(c.t, err)
	require.Equal(c.t, data, registry.EncodeEdit(signed))
	require.True(c.t, signed.Same(&score.SignedEdit{ProjectEdit: *e, Owner: owner.addr}))
	bound := registry.Osaka().Edit(signed)
	receipt := c.send(testAccount(7), &c.registry, data, bound)
	require.NoError(c.t, registry.Edited(signed, c.registry, receipt))
	signed.Edits = append(signed.Edits, score.Edit{})
	require.ErrorIs(c.t, registry.Edited(signed, c.registry, receipt), registry.ErrNoEvent)
	c.t.Logf("%d edits: gas %d, bound %d", len(e.Edits), receipt.GasUsed, bound)
	for _, log := range receipt.Logs {
		event, err := registry.ParseLog(log)
		require.NoError(c.t, err)
		events = append(events, event)
	}
	return events
}

// TestEditBySignature: what an owner signed by the Go digest, the contract takes from a stranger, with the events of a direct call.
func TestEditBySignature(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	p, owner, other := labProject(), testAccount(2), wallet(1)
	c.transact(c.relayer, registry.EncodeCreateProject(p))
	action := score.Action{Name: longName("action", 8), Points: score.MaxPoints, Direction: score.Subtract}
	require.Equal(t, []registry.Event{
		registry.MemberChanged{Project: p.ID, Member: other, Roles: score.Owner, ChangedBy: owner.addr},
		registry.MemberChanged{Project: p.ID, Member: other, Roles: score.Owner | score.Updater, ChangedBy: owner.addr},
		registry.ActionAdded{Project: p.ID, Index: 8, Action: action},
		registry.ScoreTypeAdded{Project: p.ID, Index: 4, Name: "luck"},
		registry.SignedOnlySet{Project: p.ID, SignedOnly: true, ChangedBy: owner.addr},
		registry.SignedOnlySet{Project: p.ID, SignedOnly: false, ChangedBy: owner.addr},
		registry.MemberChanged{Project: p.ID, Member: other, Roles: score.Owner, ChangedBy: owner.addr},
		registry.MemberChanged{Project: p.ID, Member: other, Roles: 0, ChangedBy: owner.addr},
	}, c.relayEdit(owner, c.nextEdit(p.ID,
		score.Edit{Operation: score.AddOwner, Member: other},
		score.Edit{Operation: score.AddUpdater, Member: other},
		score.Edit{Operation: score.AddAction, Name: action.Name, Points: action.Points, Direction: action.Direction},
		score.Edit{Operation: score.AddScoreType, Name: "luck"},
		score.Edit{Operation: score.RequireSignedGroups},
		score.Edit{Operation: score.AllowUnsignedGroups},
		score.Edit{Operation: score.RemoveUpdater, Member: other},
		score.Edit{Operation: score.RemoveOwner, Member: other},
	)))
	require.Empty(t, c.relayEdit(owner, c.nextEdit(p.ID)), "no edit uses the nonce up and says nothing")
	require.Equal(t, uint64(2), read(c, registry.ReadProject(p.ID)).EditNonce)
}

func TestEditBySignatureRefusals(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	p, owner, stranger := labProject(), testAccount(2), testAccount(7).addr
	c.transact(c.relayer, registry.EncodeCreateProject(p))
	good := c.nextEdit(p.ID, score.Edit{Operation: score.AddOwner, Member: wallet(1)})
	refusal := func(by *account, spoil func(e *score.ProjectEdit)) *registry.Revert {
		e := *good
		spoil(&e)
		return c.refused(stranger, c.signEdit(by, &e))
	}
	later := refusal(owner, func(e *score.ProjectEdit) { e.Nonce = 5 })
	require.Equal(t, registry.RevertWrongEditNonce, later.Name)
	require.EqualError(t, later, "contract reverted: WrongEditNonce("+p.ID.String()+", 5, 0)")
	expired := refusal(owner, func(e *score.ProjectEdit) { e.Deadline = c.time - 1 })
	require.Equal(t, registry.RevertEditExpired, expired.Name)
	require.Equal(t, registry.RevertNotOwner, refusal(testAccount(4), func(*score.ProjectEdit) {}).Name)
	require.Equal(t, registry.RevertUnknownProject, refusal(owner, func(e *score.ProjectEdit) { e.Project = hash("none") }).Name)
	unknown := refusal(owner, func(e *score.ProjectEdit) { e.Edits = []score.Edit{{Operation: "add everything"}} })
	require.EqualError(t, unknown, `contract reverted: UnknownOperation("add everything")`)
	forged := registry.EncodeEditBySignature(good, owner.addr, score.GroupSignature{})
	require.Equal(t, registry.RevertBadEditSignature, c.refused(stranger, forged).Name)
}

// TestEditGas holds the bound against edits that write as many fresh slots as can be.
func TestEditGas(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	p, owner := labProject(), testAccount(2)
	p.Actions = manyActions(7) // the next is the first of a slot
	c.transact(c.relayer, registry.EncodeCreateProject(p))
	long := longName("added", 1)
	for _, e := range []score.Edit{
		{Operation: score.AddAction, Name: long, Points: score.MaxPoints, Direction: score.Subtract},
		{Operation: score.AddScoreType, Name: long},
		{Operation: score.AddOwner, Member: wallet(1)},
		{Operation: score.AddUpdater, Member: wallet(2)},
		{Operation: score.RemoveOwner, Member: wallet(1)},
		{Operation: score.RequireSignedGroups},
	} {
		c.relayEdit(owner, c.nextEdit(p.ID, e))
	}
	var many []score.Edit
	for i := range 100 {
		member := common.BytesToAddress([]byte{0xff, byte(i), 0xff})
		many = append(many, score.Edit{Operation: score.AddOwner, Member: member})
	}
	for i := range 60 {
		many = append(many, score.Edit{Operation: score.AddAction, Name: longName("many", i), Points: score.MaxPoints})
	}
	c.relayEdit(owner, c.nextEdit(p.ID, many...))
}
