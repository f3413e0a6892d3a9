package registry_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestBoundsAreThoseOfScore compares the contract's constants with package score's.
func TestBoundsAreThoseOfScore(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	contract := bindings.NewScoreRegistry()
	number := func(data []byte, unpack func([]byte) (*big.Int, error)) int64 {
		returned, err := c.callFrom(c.admin.addr, data)
		require.NoError(t, err)
		n, err := unpack(returned)
		require.NoError(t, err)
		return n.Int64()
	}
	require.EqualValues(t, score.MaxPoints, number(contract.PackMAXPOINTS(), contract.UnpackMAXPOINTS))
	require.EqualValues(t, score.MaxActions, number(contract.PackMAXACTIONS(), contract.UnpackMAXACTIONS))
	require.EqualValues(t, score.MaxScoreTypes, number(contract.PackMAXSCORETYPES(), contract.UnpackMAXSCORETYPES))
	require.EqualValues(t, score.MaxCreationMembers, number(contract.PackMAXMEMBERS(), contract.UnpackMAXMEMBERS))
	require.EqualValues(t, score.MaxNameBytes, number(contract.PackMAXNAMEBYTES(), contract.UnpackMAXNAMEBYTES))
	require.EqualValues(t, score.MaxProjectNameBytes, number(contract.PackMAXPROJECTNAMEBYTES(), contract.UnpackMAXPROJECTNAMEBYTES))
	for role, data := range map[score.Role][]byte{score.Owner: contract.PackOWNER(), score.Updater: contract.PackUPDATER()} {
		returned, err := c.callFrom(c.admin.addr, data)
		require.NoError(t, err)
		require.Equal(t, byte(role), returned[31])
	}
}

// TestCreationRefusals breaks each rule of a creation; where package score has the rule too, it must agree.
func TestCreationRefusals(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	long := strings.Repeat("x", score.MaxNameBytes+1)
	for name, tc := range map[string]struct {
		spoil func(*score.Project)
		want  string
	}{
		"no name":              {func(p *score.Project) { p.Name = "" }, "NameLength"},
		"long name":            {func(p *score.Project) { p.Name = strings.Repeat("n", score.MaxProjectNameBytes+1) }, "NameLength"},
		"no actions":           {func(p *score.Project) { p.Actions = nil }, "ActionCount"},
		"too many actions":     {func(p *score.Project) { p.Actions = manyActions(score.MaxActions + 1) }, "ActionCount"},
		"action without name":  {func(p *score.Project) { p.Actions[1].Name = "" }, "NameLength"},
		"action's long name":   {func(p *score.Project) { p.Actions[1].Name = long }, "NameLength"},
		"repeated action":      {func(p *score.Project) { p.Actions[1].Name = p.Actions[0].Name }, "DuplicateAction"},
		"no points":            {func(p *score.Project) { p.Actions[1].Points = 0 }, "PointsOutOfRange"},
		"too many points":      {func(p *score.Project) { p.Actions[1].Points = score.MaxPoints + 1 }, "PointsOutOfRange"},
		"direction":            {func(p *score.Project) { p.Actions[1].Direction = 2 }, "InvalidDirection"},
		"no score types":       {func(p *score.Project) { p.ScoreTypes = nil }, "ScoreTypeCount"},
		"too many score types": {func(p *score.Project) { p.ScoreTypes = strings.Split(strings.Repeat("t ", score.MaxScoreTypes), " ") }, "ScoreTypeCount"},
		"score type's name":    {func(p *score.Project) { p.ScoreTypes[0] = "" }, "NameLength"},
		"long score type":      {func(p *score.Project) { p.ScoreTypes[0] = long }, "NameLength"},
		"repeated score type":  {func(p *score.Project) { p.ScoreTypes[1] = p.ScoreTypes[0] }, "DuplicateScoreType"},
		"no owner":             {func(p *score.Project) { p.Owners = nil }, "NoOwner"},
		"too many members": {func(p *score.Project) {
			p.Updaters = nil
			for i := range score.MaxCreationMembers - len(p.Owners) + 1 {
				p.Updaters = append(p.Updaters, wallet(i))
			}
		}, "TooManyMembers"},
		"zero owner":       {func(p *score.Project) { p.Owners[1] = common.Address{} }, "ZeroMember"},
		"zero updater":     {func(p *score.Project) { p.Updaters[1] = common.Address{} }, "ZeroMember"},
		"repeated owner":   {func(p *score.Project) { p.Owners[1] = p.Owners[0] }, "DuplicateMember"},
		"repeated updater": {func(p *score.Project) { p.Updaters[1] = p.Updaters[0] }, "DuplicateMember"},
	} {
		p := clone(t, labProject())
		require.Empty(t, p.Problems())
		tc.spoil(p)
		require.NotEmpty(t, p.Problems(), name)
		require.Equal(t, tc.want, c.refused(c.relayer.addr, registry.EncodeCreateProject(p)).Name, name)
	}

	p := labProject()
	require.Equal(t, registry.RevertNotRelayer, c.refused(p.Owners[0], registry.EncodeCreateProject(p)).Name)
	p.Updaters = append(p.Updaters, p.Owners[0]) // in both lists: both roles
	c.transact(c.relayer, registry.EncodeCreateProject(p))
	require.Equal(t, []score.Role{score.Owner | score.Updater}, read(c, registry.ReadRoles(p.ID, p.Owners[:1])))
	refusal := c.refused(c.relayer.addr, registry.EncodeCreateProject(p))
	require.Equal(t, "ProjectExists", refusal.Name)
	require.Equal(t, "contract reverted: ProjectExists("+p.ID.String()+")", refusal.Error())
}

// TestEditRefusals breaks the rules of owners' edits that random games seldom or never reach.
func TestEditRefusals(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	p := largestProject()
	owner, other := testAccount(2), testAccount(3)
	p.Owners[0], p.Owners[1] = owner.addr, other.addr
	c.transact(c.relayer, registry.EncodeCreateProject(p))
	good := score.Action{Name: "one more", Points: 1}
	for want, data := range map[string][]byte{
		"ActionCount":    calls.AddAction(p.ID, good),
		"ScoreTypeCount": calls.AddScoreType(p.ID, "one more"),
		"ZeroMember":     calls.AddOwner(p.ID, common.Address{}),
		"RoleUnchanged":  calls.AddOwner(p.ID, other.addr),
	} {
		require.Equal(t, want, c.refused(owner.addr, data).Name)
	}

	small := labProject()
	small.Owners = []common.Address{owner.addr}
	c.transact(c.relayer, registry.EncodeCreateProject(small))
	bad := func(a score.Action) []byte { return calls.AddAction(small.ID, a) }
	for i, tc := range []struct {
		data []byte
		want string
	}{
		{bad(score.Action{Points: 1}), "NameLength"},
		{bad(score.Action{Name: "a", Points: 0}), "PointsOutOfRange"},
		{bad(score.Action{Name: "a", Points: score.MaxPoints + 1}), "PointsOutOfRange"},
		{bad(score.Action{Name: "a", Points: 1, Direction: 2}), "InvalidDirection"},
		{calls.AddScoreType(small.ID, ""), "NameLength"},
		{calls.RemoveOwner(small.ID, owner.addr), "LastOwner"},
		{calls.RemoveUpdater(small.ID, owner.addr), "RoleUnchanged"},
		{calls.RemoveUpdater(hash("none"), owner.addr), registry.RevertUnknownProject},
	} {
		require.Equal(t, tc.want, c.refused(owner.addr, tc.data).Name, i)
	}
	require.Equal(t, registry.RevertNotOwner, c.refused(other.addr, bad(good)).Name)

	// A name that is not UTF-8 is the owner's own trouble: the index stores it in a form that no request can name.
	receipt := c.transact(owner, calls.AddScoreType(small.ID, "bad \xff name"))
	event, err := registry.ParseLog(receipt.Logs[0])
	require.NoError(t, err)
	require.Equal(t, registry.ScoreTypeAdded{Project: small.ID, Index: 4, Name: "bad \uFFFD name"}, event)
}

func TestReadRefusals(t *testing.T) {
	t.Parallel()
	lab := newGasLab(t)
	id := lab.project.ID
	anyone := wallet(0)
	require.Equal(t, registry.RevertUnknownAction, lab.refused(anyone, registry.ReadActionIndex(id, "none").Data).Name)
	require.Equal(t, registry.RevertUnknownScoreType, lab.refused(anyone, registry.ReadScoreTypeIndex(id, "none").Data).Name)
	require.Equal(t, registry.RevertUnknownScoreType, lab.refused(anyone, registry.ReadScore(id, anyone, "none").Data).Name)
	require.Equal(t, "LengthMismatch", lab.refused(anyone, registry.ReadScores(id, []common.Address{anyone}, nil).Data).Name)
	require.Zero(t, read(lab.chain, registry.ReadProject(hash("none"))))
	_, err := registry.ReadAdmin().Decode([]byte{1})
	require.Error(t, err)
}

// TestRolesOfRelayers walks through the admin's powers.
func TestRolesOfRelayers(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	code := c.State.GetCode(c.registry)
	require.NoError(t, registry.VerifyCode(code, chainID, c.registry))
	relayers := make([]common.Address, 100)
	for i := range relayers {
		relayers[i] = wallet(i)
	}
	deployed, alone := c.deploy(time.Hour, relayers...), c.deploy(time.Hour)
	t.Logf("deployment: gas %d, with 100 relayers %d", alone.GasUsed, deployed.GasUsed)
	for name, err := range map[string]error{
		"more code":       registry.VerifyCode(append(code, 0), chainID, c.registry),
		"other chain":     registry.VerifyCode(code, chainID+1, c.registry),
		"other address":   registry.VerifyCode(code, chainID, c.relayer.addr),
		"not deployed":    registry.VerifyCode(hexutil.MustDecode(bindings.ScoreRegistryDeployedBin), chainID, c.registry),
		"other code":      registry.VerifyCode(append([]byte{code[0] + 1}, code[1:]...), chainID, c.registry),
		"cut at the end":  registry.VerifyCode(code[:len(code)-1], chainID, c.registry),
		"other constants": registry.VerifyCode(bytes.Replace(code, []byte("Scorelay"), []byte("Scoredelay")[:8], 1), chainID, c.registry),
	} {
		require.ErrorIs(t, err, registry.ErrOtherCode, name)
	}
	require.ErrorIs(t, registry.VerifyCode(nil, chainID, c.registry), registry.ErrNoCode)

	second := testAccount(2)
	creation := registry.EncodeCreateProject(labProject())
	require.Equal(t, c.admin.addr, read(c, registry.ReadAdmin()))
	require.True(t, read(c, registry.ReadIsRelayer(c.relayer.addr)))
	require.False(t, read(c, registry.ReadIsRelayer(c.admin.addr)))
	require.Equal(t, registry.RevertNotRelayer, c.refused(second.addr, registry.EncodeGrantRelayer(second.addr)).Name)
	require.Equal(t, registry.RevertNotRelayer, c.refused(c.admin.addr, creation).Name)

	c.transact(c.admin, registry.EncodeGrantRelayer(second.addr))
	c.transact(c.admin, calls.RevokeRelayer(c.relayer.addr))
	require.Equal(t, registry.RevertNotRelayer, c.refused(c.relayer.addr, creation).Name)
	require.True(t, read(c, registry.ReadIsRelayer(second.addr)))
	c.transact(second, creation)
}

// TestAdminChangesSlowly: with a delay, a new admin cannot accept before it is over.
func TestAdminChangesSlowly(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	c.registry = c.deploy(48 * time.Hour).ContractAddress
	next := testAccount(2)
	contract := bindings.NewScoreRegistry()
	require.Equal(t, "AccessControlEnforcedDefaultAdminRules",
		c.refused(c.admin.addr, contract.PackGrantRole([32]byte{}, next.addr)).Name)
	c.transact(c.admin, contract.PackBeginDefaultAdminTransfer(next.addr))
	accept := contract.PackAcceptDefaultAdminTransfer()
	require.Equal(t, "AccessControlEnforcedDefaultAdminDelay", c.refused(next.addr, accept).Name)
	c.setTime(c.time + 48*3600 + 1)
	c.transact(next, accept)
	require.Equal(t, next.addr, read(c, registry.ReadAdmin()))
}

func TestDecodeRevert(t *testing.T) {
	t.Parallel()
	text, err := abi.NewType("string", "", nil)
	require.NoError(t, err)
	reason, err := abi.Arguments{{Type: text}}.Pack("no")
	require.NoError(t, err)
	for _, tc := range []struct {
		data       string
		name, want string
	}{
		{"0x", "", "contract reverted with 0x"},
		{"0x12345678", "", "contract reverted with 0x12345678"},
		{"0x08c379a0" + common.Bytes2Hex(reason), "Error", `contract reverted: Error("no")`},
		{"0x4e487b71" + strings.Repeat("0", 62) + "11", "Panic", `contract reverted: Panic("arithmetic underflow or overflow")`},
		{"0x" + common.Bytes2Hex(bindings.ScoreRegistryNoOwnerErrorID().Bytes()[:4]), "NoOwner", "contract reverted: NoOwner()"},
		{"0x" + common.Bytes2Hex(bindings.ScoreRegistryBadFramingErrorID().Bytes()[:4]), "", ""}, // its argument is missing
	} {
		r := registry.DecodeRevert(hexutil.MustDecode(tc.data))
		require.Equal(t, tc.name, r.Name)
		require.True(t, bytes.Equal(hexutil.MustDecode(tc.data), r.Data))
		if tc.want != "" {
			require.EqualError(t, r, tc.want)
		}
	}
}
