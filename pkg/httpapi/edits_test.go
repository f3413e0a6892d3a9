package httpapi_test

import (
	"crypto/ecdsa"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// added is an edit that makes an account an updater.
func added(account int) score.Edit {
	return score.Edit{Operation: score.AddUpdater, Member: devnet.Address(account)}
}

func (b *bench) edit(nonce uint64, edits ...score.Edit) score.ProjectEdit {
	return score.ProjectEdit{Project: b.project.ID, Edits: edits, Nonce: nonce, Deadline: uint64(time.Now().Add(time.Hour).Unix())}
}

// editBody is an edit as a key signs it.
func (b *bench) editBody(key *ecdsa.PrivateKey, e score.ProjectEdit) object {
	digest := wallet.NewDomain(devnet.ChainID, shared.contract).EditDigest(e)
	edits := []object{}
	for _, one := range e.Edits {
		o := object{"operation": one.Operation}
		if one.Member != (common.Address{}) {
			o["member"] = one.Member
		}
		if one.Name != "" {
			o["name"] = one.Name
		}
		if one.Points != 0 {
			o["points"], o["direction"] = one.Points, one.Direction
		}
		edits = append(edits, o)
	}
	return object{"edits": edits, "nonce": e.Nonce, "deadline": e.Deadline, "signature": sign(b.t, key, digest)}
}

func (b *bench) postEdit(e score.ProjectEdit) response {
	return b.post(b.editsPath(), b.editBody(b.owner, e))
}

func (b *bench) editsPath() string { return "/projects/" + b.project.ID.String() + "/edits" }

// storedEdits are those in the stream.
func (b *bench) storedEdits() []score.Message {
	b.t.Helper()
	return b.messages(func(m score.Message) bool { return m.Edit != nil })
}

// signedEdit is an edit as its owner signed it.
func (b *bench) signedEdit(e score.ProjectEdit) *score.SignedEdit {
	b.t.Helper()
	signature, err := wallet.ParseSignature(hexutil.MustDecode(b.editBody(b.owner, e)["signature"].(string)))
	require.NoError(b.t, err)
	return &score.SignedEdit{ProjectEdit: e, Owner: devnet.Address(1), Signature: signature.Compact()}
}

// onChain creates the bench's project on the chain, final.
func (b *bench) onChain() *bench {
	b.t.Helper()
	require.NoError(b.t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	b.final.records.Store(b.project.ID, score.RecordOf(b.project))
	return b
}

// TestAnEditIsStoredOnce: posted again it is a duplicate, also when it is final; another one of its nonce is refused.
func TestAnEditIsStoredOnce(t *testing.T) {
	b := newBench(t, nil).withProject()
	e := b.edit(0, added(7), score.Edit{Operation: score.AddAction, Name: "gift", Points: 5, Direction: score.Subtract})
	body := b.editBody(b.owner, e)
	r := b.post(b.editsPath(), body).ok()
	require.Equal(t, object{
		"projectId": b.project.ID.String(), "nonce": 0.0, "status": "accepted", "statusUrl": b.editsPath() + "/0",
	}, r.body)
	stored := b.storedEdits()
	require.Len(t, stored, 1)
	require.Equal(t, e, stored[0].Edit.ProjectEdit)
	require.Equal(t, devnet.Address(1), stored[0].Edit.Owner)
	calldata := registry.EncodeEdit(stored[0].Edit)

	require.Equal(t, "duplicate", b.post(b.editsPath(), body).body["status"])
	require.Equal(t, "edit_exists", b.postEdit(b.edit(0, added(8))).code())
	require.Equal(t, "wrong_edit_nonce", b.postEdit(b.edit(1, added(8))).code())
	r = b.get("%s", b.editsPath()+"/0")
	require.Equal(t, "accepted", r.body["status"], r)
	require.Nil(t, r.body["reason"])
	require.Len(t, r.body["edits"], 2)
	require.Equal(t, true, b.get("%s", b.editsPath()).body["waits"])

	require.NoError(t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	require.NoError(t, transact(&shared.contract, calldata), "the contract takes what was stored")
	require.NoError(t, b.status.Final(t.Context(), updateTx, 9, []score.Ref{stored[0].Edit.Ref()}, []score.Outcome{score.Applied}))
	r = b.get("%s", b.editsPath()+"/0")
	require.Equal(t, []any{"final", "applied", updateTx.Hex(), 9.0}, []any{r.body["status"], r.body["outcome"], r.body["transactionHash"], r.body["blockNumber"]})
	require.Equal(t, "duplicate", b.post(b.editsPath(), body).body["status"], "also when it is final")
	r = b.get("%s", b.editsPath())
	require.Equal(t, []any{1.0, false}, []any{r.body["nextNonce"], r.body["waits"]})
	require.Equal(t, "edit_exists", b.postEdit(b.edit(0, added(8))).code())
	require.Len(t, b.storedEdits(), 1)
}

// TestEditsAreCheckedAsTheContractWill: what is wrong is told by code and pointer, and nothing is stored.
func TestEditsAreCheckedAsTheContractWill(t *testing.T) {
	b := newBench(t, nil).onChain()
	good := b.edit(0, added(7))
	for name, c := range map[string]struct {
		spoil   func(e *score.ProjectEdit)
		code    string
		pointer string
	}{
		"over":             {func(e *score.ProjectEdit) { e.Deadline = uint64(time.Now().Unix()) }, "edit_expired", "/deadline"},
		"a later nonce":    {func(e *score.ProjectEdit) { e.Nonce = 5 }, "wrong_edit_nonce", "/nonce"},
		"an updater twice": {func(e *score.ProjectEdit) { e.Edits = append(e.Edits, added(7)) }, "invalid_body", "/edits/1/member"},
		"no owner left": {func(e *score.ProjectEdit) {
			e.Edits[0] = score.Edit{Operation: score.RemoveOwner, Member: devnet.Address(1)}
		}, "invalid_body", "/edits/0/member"},
		"no member": {func(e *score.ProjectEdit) { e.Edits[0].Member = common.Address{} }, "invalid_body", "/edits/0/member"},
		"one who is none": {func(e *score.ProjectEdit) {
			e.Edits[0] = score.Edit{Operation: score.RemoveUpdater, Member: devnet.Address(9)}
		}, "invalid_body", "/edits/0/member"},
		"an operation there is not":  {func(e *score.ProjectEdit) { e.Edits[0].Operation = "add all" }, "invalid_body", "/edits/0/operation"},
		"nothing changed":            {func(e *score.ProjectEdit) { e.Edits[0] = score.Edit{Operation: score.AllowUnsignedGroups} }, "invalid_body", "/edits/0/operation"},
		"an action without a name":   {func(e *score.ProjectEdit) { e.Edits[0] = score.Edit{Operation: score.AddAction, Points: 1} }, "invalid_body", "/edits/0/name"},
		"an action without points":   {func(e *score.ProjectEdit) { e.Edits[0] = score.Edit{Operation: score.AddAction, Name: "x"} }, "invalid_body", "/edits/0/points"},
		"a score type that is there": {func(e *score.ProjectEdit) { e.Edits[0] = score.Edit{Operation: score.AddScoreType, Name: "volume"} }, "invalid_body", "/edits/0/name"},
		"a name that nothing uses":   {func(e *score.ProjectEdit) { e.Edits[0].Name = strings.Repeat("x", 200_000) }, "invalid_body", "/edits/0/operation"},
		"too many": {func(e *score.ProjectEdit) {
			for i := range score.MaxEdits {
				e.Edits = append(e.Edits, score.Edit{Operation: score.AddUpdater, Member: common.Address{1, byte(i)}})
			}
		}, "invalid_body", "/edits"},
	} {
		e := good
		e.Edits = append([]score.Edit{}, good.Edits...)
		c.spoil(&e)
		r := b.postEdit(e)
		require.Equal(t, c.code, r.code(), "%s: %v", name, r)
		require.Contains(t, fmt.Sprint(r.body["errors"]), "pointer:"+c.pointer, name)
	}
	r := b.post(b.editsPath(), b.editBody(devnet.Key(2), good))
	require.Equal(t, "signer_not_owner", r.code(), "an updater is none")
	require.Contains(t, fmt.Sprint(r.body["errors"]), devnet.Address(2).Hex())
	require.Equal(t, "signer_not_owner", b.post(b.editsPath(), set(b.editBody(b.owner, good), "deadline", good.Deadline+1)).code(), "something else was signed")
	require.Equal(t, "invalid_body", b.post(b.editsPath(), set(b.editBody(b.owner, good), "signature", "0x12")).code())
	require.Equal(t, "invalid_body", b.post(b.editsPath(), set(b.editBody(b.owner, good), "more", 1)).code())
	require.Equal(t, "project_not_found", b.post("/projects/"+score.ProjectID{9}.String()+"/edits", b.editBody(b.owner, good)).code())
	b.chain.down.Store(true)
	require.Equal(t, "chain_unavailable", b.postEdit(good).code())
	b.chain.down.Store(false)
	require.Empty(t, b.storedEdits())
	short := b.signedEdit(good).Signature
	b.post(b.editsPath(), set(b.editBody(b.owner, good), "signature", hexutil.Encode(short[:]))).ok() // 64 bytes do
}

// TestAnEmptyEditUsesTheNonceUp.
func TestAnEmptyEditUsesTheNonceUp(t *testing.T) {
	b := newBench(t, nil).onChain()
	b.postEdit(b.edit(0)).ok()
	require.NoError(t, transact(&shared.contract, registry.EncodeEdit(b.storedEdits()[0].Edit)))
	require.Equal(t, 1.0, b.get("%s", b.editsPath()).body["nextNonce"])
}

// TestAnEditWaitsForTheOneBefore: it is checked against what that one made of the project.
func TestAnEditWaitsForTheOneBefore(t *testing.T) {
	b := newBench(t, nil).onChain()
	b.postEdit(b.edit(0, added(7))).ok()
	require.NoError(t, transact(&shared.contract, registry.EncodeEdit(b.storedEdits()[0].Edit)))
	b.chain.behind.Store(1)
	require.Equal(t, "edit_waits", b.postEdit(b.edit(1, added(8))).code())
	b.chain.behind.Store(0)
	b.postEdit(b.edit(1, added(8))).ok()
}

// TestADeadEditsNonceIsFree: a dead letter tells why it was rejected, and another edit may take its nonce.
func TestADeadEditsNonceIsFree(t *testing.T) {
	b := newBench(t, nil).onChain()
	b.postEdit(b.edit(0, added(7))).ok()
	dead := b.storedEdits()[0]
	require.NoError(t, b.stream.AddDeadLetters(t.Context(), []score.DeadLetter{{
		Seq: dead.Seq, Edit: dead.Edit, Outcome: score.EditExpired, Reason: "no block had it in time",
	}}))
	r := b.get("%s", b.editsPath()+"/0")
	require.Equal(t, []any{"final", "edit_expired", "no block had it in time"}, []any{r.body["status"], r.body["outcome"], r.body["reason"]})
	require.Equal(t, "accepted", b.postEdit(b.edit(0, added(8))).body["status"])
	require.Equal(t, "accepted", b.get("%s", b.editsPath()+"/0").body["status"])
	require.Equal(t, "edit_exists", b.postEdit(b.edit(0, added(7))).code())
}

// TestAnEditIsAcceptedWhenItIsStored: a publish that failed is no accept; one whose answer was lost is one, once.
func TestAnEditIsAcceptedWhenItIsStored(t *testing.T) {
	b := newBench(t, nil).onChain()
	e := b.edit(0, added(7))
	b.publisher.refuse(score.ErrFull)
	require.Equal(t, "stream_full", b.postEdit(e).code())
	require.Empty(t, b.storedEdits())
	b.publisher.refuse(nil)
	b.publisher.Set(fault.First(1, fault.Persisted))
	b.postEdit(e).ok()
	require.Len(t, b.storedEdits(), 1)
}

// TestAnEditIsKnownWithoutRedis: the stream and the contract know what became of it.
func TestAnEditIsKnownWithoutRedis(t *testing.T) {
	b := newBench(t, nil).onChain()
	require.Equal(t, "status_rebuilding", b.get("%s", b.editsPath()+"/0").code())
	b.restored()
	require.Equal(t, "edit_not_found", b.get("%s", b.editsPath()+"/0").code())
	require.Equal(t, "invalid_path", b.get("%s", b.editsPath()+"/first").code())
	b.status = nil // what is written below, this bench's API does not report
	e := b.signedEdit(b.edit(0, added(7)))
	require.NoError(t, b.stream.PublishEdit(t.Context(), rand.Text(), e))
	require.Equal(t, "accepted", b.get("%s", b.editsPath()+"/0").body["status"])
	require.NoError(t, transact(&shared.contract, registry.EncodeEdit(e)))
	r := b.get("%s", b.editsPath()+"/0")
	require.Equal(t, []any{"final", "applied"}, []any{r.body["status"], r.body["outcome"]})
}

// TestEditsKeepToTheBoundOfMembers: counted are those of the record and of the last edit, of which it may not know yet. Who is a member
// already may get the other role, and who goes leaves a place.
func TestEditsKeepToTheBoundOfMembers(t *testing.T) {
	const most = 105
	b := newBench(t, func(s *setup) { s.config.MaxMembers = most }).onChain()
	record := score.RecordOf(b.project)
	before := len(record.Members)
	var edits []score.Edit
	for i := range most - before {
		edits = append(edits, score.Edit{Operation: score.AddUpdater, Member: common.Address{9, byte(i + 1)}})
	}
	var nonce uint64
	for len(edits) > 0 {
		n := min(len(edits), score.MaxEdits)
		e := b.edit(nonce, edits[:n]...)
		b.postEdit(e).ok()
		require.NoError(t, transact(&shared.contract, registry.EncodeEdit(b.storedEdits()[nonce].Edit)))
		edits = edits[n:]
		for i := range e.Edits {
			if len(edits) > 0 { // the directory knows of all edits but the last
				record.Members[e.Edits[i].Member] |= score.Updater
			}
		}
		nonce++
	}
	b.final.records.Store(b.project.ID, record)
	require.Less(t, len(record.Members), most)

	one := score.Edit{Operation: score.AddOwner, Member: common.Address{8}}
	r := b.postEdit(b.edit(nonce, one))
	require.Equal(t, "/edits/0/member", r.field()["pointer"], r)
	require.Equal(t, "is one too many: a project has at most 105 owners and updaters here, and this one has 105; remove some first", r.field()["detail"])
	for _, e := range b.storedEdits()[nonce-1].Edit.Edits {
		record.Members[e.Member] |= score.Updater
	}
	require.Len(t, record.Members, most)
	r = b.postEdit(b.edit(nonce, score.Edit{Operation: score.AddOwner, Member: common.Address{9, 1}}, one))
	require.Equal(t, "/edits/1/member", r.field()["pointer"])
	gone := score.Edit{Operation: score.RemoveUpdater, Member: common.Address{9, 2}}
	b.postEdit(b.edit(nonce, gone, one)).ok()
}
