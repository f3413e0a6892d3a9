package relay

import (
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// simUsers are those who have updates and creations accepted, and know what should become of them.
type simUsers struct {
	r        *simRun
	domain   wallet.Domain
	minted   uint32
	records  []score.Message  // accepted
	projects []*score.Project // accepted, each once
	updates  map[score.Ref][]accepted
	keys     []score.Ref // of updates, in the order of their first acceptance
	edits    []simEdit
}

// accepted is one acceptance of an update. want is what the contract says of it by itself, Applied also where another
// acceptance of its id may come first.
type accepted struct {
	update score.Update
	want   score.Outcome
}

func newSimUsers(r *simRun) *simUsers {
	return &simUsers{
		r: r, domain: wallet.NewDomain(r.chain.ID, r.chain.Contract), updates: map[score.Ref][]accepted{},
	}
}

// publish has something accepted.
func (u *simUsers) publish() {
	r := u.r
	switch n := r.draw(20); {
	case n == 0 && r.plan.bad && len(u.projects) > 0:
		u.store(score.Message{Project: u.projects[r.draw(len(u.projects))]}) // its claim was lost, so it was accepted once more
	case len(u.projects) == 0 || n < 3 && len(u.projects) < 3*r.plan.lanes:
		u.create()
	case n == 3 && r.plan.bad:
		record := score.Message{Corrupt: errors.New("it cannot be read"), Raw: []byte{0xff, byte(r.draw(256))}}
		u.store(record)
	case n < 7:
		u.edit()
	default:
		u.envelope()
	}
}

// simEdit is an accepted edit, and what the contract says of it by itself.
type simEdit struct {
	*score.SignedEdit
	seq  uint64
	want score.Outcome
}

// edit has an owner's edit accepted, of the nonce that the API takes: the chain's next, unless one of it was accepted that is no dead
// letter.
func (u *simUsers) edit() {
	r, p := u.r, u.projects[u.r.draw(len(u.projects))]
	e, want, by := &score.SignedEdit{Owner: simAddress(simMember)}, score.Applied, simMember
	e.Project, e.Nonce, e.Deadline = p.ID, r.chain.Head().NextEdit(p.ID), 1<<40
	if at := slices.IndexFunc(u.edits, func(x simEdit) bool { return x.Ref() == e.Ref() && u.letter(x.seq) == nil }); at >= 0 {
		return
	}
	for range r.draw(3) {
		u.minted++
		e.Edits = append(e.Edits, score.Edit{Operation: score.AddUpdater, Member: common.Address{0xdd, byte(u.minted >> 8), byte(u.minted)}})
	}
	if r.plan.bad {
		switch r.draw(8) {
		case 0:
			e.Deadline, want = 0, score.EditExpired
		case 1:
			e.Owner, by, want = simAddress(simMember+1), simMember+1, score.NotOwner
		case 2:
			by, want = simMember+4, score.BadSignature
		case 3:
			e.Nonce, want = e.Nonce+100, score.WrongEditNonce
		case 4:
			e.Edits, want = []score.Edit{{Operation: score.RemoveOwner, Member: e.Owner}}, score.Unprocessable
		}
	}
	e.Signature = u.sign(by, u.domain.EditDigest(e.ProjectEdit))
	u.store(score.Message{Edit: e})
	u.edits = append(u.edits, simEdit{e, u.records[len(u.records)-1].Seq, want})
}

// letter is the dead letter of an edit.
func (u *simUsers) letter(seq uint64) *score.DeadLetter {
	for _, d := range u.r.source.letters {
		if d.Edit != nil && d.Seq == seq {
			return &d
		}
	}
	return nil
}

func (u *simUsers) sign(by int, digest common.Hash) score.GroupSignature {
	signature, err := crypto.Sign(digest[:], simKeys()[by])
	if err != nil {
		u.r.fail("couldn't sign: %v", err)
	}
	parsed, err := wallet.ParseSignature(signature)
	if err != nil {
		u.r.fail("couldn't read a signature: %v", err)
	}
	return parsed.Compact()
}

func (u *simUsers) create() {
	n := byte(1 + len(u.projects))
	p := &score.Project{
		ID: score.ProjectID{n, byte(u.r.draw(256))}, Name: "a project", ScoreTypes: []string{"reputation", "skill"}[:1+u.r.draw(2)],
		Actions: []score.Action{{Name: "up", Points: 10}, {Name: "down", Points: 3, Direction: score.Subtract}},
		Owners:  []common.Address{simAddress(simMember)}, Updaters: []common.Address{simAddress(simMember + 1)},
		SignedOnly: u.r.chance(15),
	}
	u.projects = append(u.projects, p)
	u.store(score.Message{Project: p})
}

func (u *simUsers) store(record score.Message) {
	record.Seq = u.r.source.publish(record)
	u.records = append(u.records, record)
	u.r.stats.updates += len(record.Updates)
	if ref, alone := record.Alone(); alone {
		u.r.statuses.accepted(ref)
	}
	u.r.statuses.accepted(score.Refs(record.Updates)...)
	u.r.note("accepted: %d updates at %d", len(record.Updates), record.Seq)
}

// simThing is what is at a position of the stream.
type simThing struct {
	bucket score.Bucket
	update *score.Update
	alone  *score.Ref // of a creation or an edit; neither of both: it cannot be read
}

// of is whose it is; the zero project, which is no one's, of what cannot be read.
func (t simThing) of() score.ProjectID {
	switch {
	case t.update != nil:
		return t.update.Project
	case t.alone != nil:
		return t.alone.Project
	}
	return score.ProjectID{}
}

// each tells of every position of the stream.
func (u *simUsers) each(fn func(score.Position, simThing)) {
	for _, m := range u.records {
		at := score.Position{Seq: m.Seq}
		if ref, alone := m.Alone(); alone {
			fn(at, simThing{bucket: score.BucketOf(ref.Project), alone: &ref})
		} else if m.Corrupt != nil {
			fn(at, simThing{bucket: score.BucketOfMessage(m.Seq)})
		}
		for i := range m.Updates {
			at.Index = uint32(i)
			fn(at, simThing{bucket: score.BucketOf(m.Updates[i].Project), update: &m.Updates[i]})
		}
	}
}

// envelope has some updates of one project accepted, maybe with a signed group among them.
func (u *simUsers) envelope() {
	u.envelopeOf(u.projects[u.r.draw(len(u.projects))])
}

// flood has much of one project accepted at once.
func (u *simUsers) flood() {
	if len(u.projects) == 0 {
		return
	}
	p := u.projects[u.r.draw(len(u.projects))]
	for range 2 + u.r.draw(8) {
		u.envelopeOf(p)
	}
}

func (u *simUsers) envelopeOf(p *score.Project) {
	r := u.r
	if r.plan.bad && r.chance(5) { // a project that was never accepted
		p = &score.Project{ID: score.ProjectID{0xee, byte(r.draw(8))}, Actions: p.Actions, ScoreTypes: p.ScoreTypes}
	}
	var record score.Message
	for range 1 + r.draw(8) {
		u.add(&record, p, u.one(p), nil)
	}
	if r.chance(30) || p.SignedOnly {
		u.group(&record, p)
	}
	u.store(record)
}

func (u *simUsers) add(record *score.Message, p *score.Project, update score.Update, proof *score.Outcome) {
	record.Updates = append(record.Updates, update)
	key := update.Ref()
	if u.updates[key] == nil {
		u.keys = append(u.keys, key)
	}
	u.updates[key] = append(u.updates[key], accepted{update, want(p, &update, proof)})
}

// want is what the contract says of an update whose id is unused; proof is of its signed group.
func want(p *score.Project, u *score.Update, proof *score.Outcome) score.Outcome {
	switch {
	case u.Target == model.Poison || u.Target == model.Glutton:
		return score.Unprocessable
	case len(p.Owners) == 0:
		return score.UnknownProject
	case !slices.Contains(slices.Concat(p.Owners, p.Updaters), u.Signer):
		return score.NotMember
	case proof == nil && p.SignedOnly:
		return score.SignatureRequired
	case proof != nil && *proof != score.Applied:
		return *proof
	case int(u.Action) >= len(p.Actions):
		return score.UnknownAction
	case int(u.ScoreType) >= len(p.ScoreTypes):
		return score.UnknownScoreType
	}
	return score.Applied
}

// one draws an update.
func (u *simUsers) one(p *score.Project) score.Update {
	r := u.r
	u.minted++
	update := score.Update{
		Project: p.ID, ID: score.UpdateID{0: byte(r.draw(3)), 28: byte(u.minted >> 24), 29: byte(u.minted >> 16), 30: byte(u.minted >> 8), 31: byte(u.minted)},
		Signer: simAddress(simMember + r.draw(2)), Target: common.Address{0xcc, byte(r.draw(5))},
		Action: uint8(r.draw(2)), ScoreType: uint8(r.draw(len(p.ScoreTypes))),
	}
	if r.chance(40) {
		update.ID = score.UpdateID(crypto.Keccak256Hash(update.ID[:]))
	}
	if r.plan.bad {
		switch r.draw(30) {
		case 0:
			update.Signer = simAddress(simMember + 2)
		case 1:
			update.Action = 7
		case 2:
			update.ScoreType = 7
		case 3, 4: // its claim was lost, so it was accepted once more
			if known := u.keys; len(known) > 0 {
				if again := known[r.draw(len(known))]; again.Project == p.ID {
					update = u.updates[again][0].update
				}
			}
		}
	}
	if r.plan.poison && r.chance(4) {
		update.Target = []common.Address{model.Poison, model.Glutton}[r.draw(2)]
	}
	return update
}

// group adds a signed group.
func (u *simUsers) group(record *score.Message, p *score.Project) {
	r := u.r
	signer, proof := simMember+r.draw(2), score.Applied
	var updates []score.Update
	for range 1 + r.draw(6) {
		update := u.one(p)
		update.Signer = simAddress(signer)
		if update.Target == model.Poison || update.Target == model.Glutton {
			update.Target = common.Address{0xcd} // it would take its group with it
		}
		updates = append(updates, update)
	}
	body, err := batch.EncodeBody(score.KindFree, updates)
	if err != nil {
		r.fail("couldn't encode a group: %v", err)
	}
	digest := u.domain.GroupDigest(p.ID, score.KindFree, body)
	by := signer
	if r.plan.bad && r.chance(15) {
		by, proof = simMember+4, score.BadSignature
	}
	record.Signed = append(record.Signed, score.Signed{
		First: len(record.Updates), Count: len(updates), Kind: score.KindFree, Signature: u.sign(by, digest),
	})
	for _, update := range updates {
		u.add(record, p, update, &proof)
	}
}
