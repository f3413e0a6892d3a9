package status

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

// The states in which a table's entries are; numbers have their highest byte first:
//
//	c deadline(6) token(8)                   claimed until the deadline, in unix ms
//	a                                        accepted
//	b lane(2) nonce(6)                       bound to a slot
//	C, A, B                                  the same over a rejection: a final state of an earlier try, behind it
//	f outcome(1) transaction(8) block(5)     final; the transaction by its first and last four bytes; 128 more where nothing was accepted
//	t hash(32)                               a transaction
//	s hash(32) block(5) epoch(6)             a slot: its transaction, the block or 0, and the epoch of the lane's journal
const (
	kindClaimed  = 'c'
	kindAccepted = 'a'
	kindBound    = 'b'
	kindFinal    = 'f'

	over       = 'a' - 'A' // from a kind over a rejection to the kind without one
	unaccepted = 128       // in an outcome: when the chain loses it, nothing is known again
)

// sizes of states, by kind.
var sizes = map[byte]int{
	kindClaimed: 15, kindAccepted: 1, kindBound: 9, kindClaimed - over: 30, kindAccepted - over: 16, kindBound - over: 24, kindFinal: 15, 't': 33, 's': 44,
}

// name is what an entry is found by in its table. Its first four bytes must be spread evenly.
type name [16]byte

// place is a name, and the index in its entry.
type place struct {
	name  name
	index byte
}

func (p place) compare(other place) int {
	return cmp.Or(p.name.compare(other.name), cmp.Compare(p.index, other.index))
}

// placeOf is of a creation, of an edit, or of an update in the entry of the 256 whose ids share all but the last byte. Without the salt a caller
// could choose ids that share a bucket, which every call would read. Half of a SHA-256 is enough: an id that is taken for another
// would be answered as its duplicate, so none may be found that is, but it would have to be one of a project's own.
func (s *Store) placeOf(r *score.Ref) (p place) {
	const salt = len(s.config.Salt)
	var text [salt + 63]byte
	copy(text[:], s.config.Salt[:])
	copy(text[salt:], r.Project[:])
	size := salt + 32
	switch { // texts of three lengths
	case r.Edit:
		binary.BigEndian.PutUint64(text[size:], r.Nonce)
		size += 8
	case !r.Creation:
		copy(text[size:], r.Update[:31])
		size, p.index = len(text), r.Update.Low()
	}
	sum := sha256.Sum256(text[:size])
	copy(p.name[:], sum[:])
	return p
}

// slotName counts up with the nonce in its first bytes, which spreads slots as evenly as can be.
func slotName(lane score.Lane, nonce uint64) (n name) {
	binary.LittleEndian.PutUint64(n[:], nonce)
	binary.BigEndian.PutUint16(n[6:], uint16(lane))
	copy(n[8:], "the slot")
	return n
}

// transaction names a transaction within a table.
type transaction [8]byte

func transactionOf(tx common.Hash) (t transaction) {
	copy(t[:4], tx[:])
	copy(t[4:], tx[28:])
	return t
}

func (t transaction) name() (n name) {
	copy(n[:], t[:])
	copy(n[8:], "transact")
	return n
}

func boundState(lane score.Lane, nonce uint64) string {
	b := binary.BigEndian.AppendUint16([]byte{kindBound}, uint16(lane))
	return string(appendUint(b, nonce, 6))
}

func finalState(outcome score.Outcome, tx common.Hash, block uint64) string {
	t := transactionOf(tx)
	return string(appendUint(append([]byte{kindFinal, byte(outcome)}, t[:]...), block, 5))
}

func slotState(tx common.Hash, block, epoch uint64) string {
	b := append([]byte{'s'}, tx[:]...)
	return string(appendUint(appendUint(b, block, 5), epoch, 6))
}

func appendUint(b []byte, n uint64, width int) []byte {
	var wide [8]byte
	binary.BigEndian.PutUint64(wide[:], n)
	return append(b, wide[8-width:]...)
}

func readUint(text string) (n uint64) {
	for i := range len(text) {
		n = n<<8 | uint64(text[i])
	}
	return n
}

// parsed is what a state says, as far as it says it alone.
type parsed struct {
	score.Status
	beside *place     // of a bound one its slot, of a final one its transaction
	lane   score.Lane // of the slot
}

// parseState reads the state of an update or a creation. A first claim is the zero status: nothing is accepted yet.
func parseState(state string) (p parsed, err error) {
	if state == "" {
		return p, nil
	}
	if sizes[state[0]] != len(state) {
		return p, redisdb.BadData("a state %q", state)
	}
	kind := state[0]
	if kind < kindAccepted {
		kind += over
		if kind == kindClaimed { // what was rejected stays so until another try is accepted
			return parseState(state[sizes[kindClaimed]:])
		}
	}
	switch kind {
	case kindClaimed:
	case kindAccepted:
		p.Stage = score.Accepted
	case kindBound:
		p.Stage, p.lane = score.Batched, score.Lane(readUint(state[1:3]))
		p.beside = &place{name: slotName(p.lane, readUint(state[3:9]))}
	case kindFinal:
		p.Stage, p.Outcome = score.Final, score.Outcome(state[1]&^unaccepted)
		if t := transaction([]byte(state[2:10])); t != (transaction{}) { // else the block only orders dead letters
			p.Block, p.beside = readUint(state[10:]), &place{name: t.name()}
		}
	default:
		return p, redisdb.BadData("a state %q", state)
	}
	return p, nil
}

// completed is the status of a bound update with its slot's state, of a final one with its transaction's; an empty one leaves it as it is.
func completed(st score.Status, state string) (score.Status, error) {
	of := byte('s')
	if st.Stage == score.Final {
		of = 't'
	}
	switch {
	case state == "":
		return st, nil
	case state[0] != of || len(state) != sizes[of]:
		return st, redisdb.BadData("a slot or transaction %q", state)
	}
	st.Tx = common.Hash([]byte(state[1:33]))
	if of == 's' {
		if st.Stage, st.Block = score.Submitted, readUint(state[33:38]); st.Block > 0 {
			st.Stage = score.Included
		}
	}
	return st, nil
}

// item is a move of neighbouring indexes of one entry; argument is its place in the call's arguments.
type item struct {
	name                  name
	first, last, argument byte
}

// itemsOf puts neighbours of one argument together, and tells of which references, in order, the indexes of the items are. argument
// is one for each reference.
func (s *Store) itemsOf(refs []score.Ref, argument func(i int) byte) (items []item, order []int) {
	one := make([]item, len(refs))
	order = make([]int, len(refs))
	for i := range refs {
		p := s.placeOf(&refs[i])
		one[i], order[i] = item{p.name, p.index, p.index, argument(i)}, i
	}
	if len(refs) > 1 {
		slices.SortStableFunc(order, func(a, b int) int { return one[a].compare(&one[b]) })
	}
	for _, i := range order {
		if n := len(items); n > 0 && items[n-1].continues(&one[i]) {
			items[n-1].last++
			continue
		}
		items = append(items, one[i])
	}
	return items, order
}

func (it *item) compare(other *item) int {
	return cmp.Or(it.name.compare(other.name), cmp.Compare(it.first, other.first))
}

// continues tells whether next can be part of the item.
func (it *item) continues(next *item) bool {
	return it.name == next.name && it.argument == next.argument && int(it.last)+1 == int(next.first)
}

func (n name) compare(other name) int { return bytes.Compare(n[:], other[:]) }
