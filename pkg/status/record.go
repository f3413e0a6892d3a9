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

// States of an entry. Numbers are big-endian, their widths in bytes:
//
//	c deadline(6) token(8)                   claimed until the deadline, in unix ms
//	a                                        accepted
//	b lane(2) nonce(6)                       bound to a slot
//	C, A, B                                  the same, followed by the final state of an earlier rejection
//	f outcome(1) transaction(8) block(5)     final; the first and last four bytes of the transaction's hash
//	t hash(32)                               a transaction
//	s hash(32) block(5) epoch(6)             a slot: its transaction, block or 0, and the epoch of the lane's journal
const (
	kindClaimed  = 'c'
	kindAccepted = 'a'
	kindBound    = 'b'
	kindFinal    = 'f'

	over = 'a' - 'A' // difference between kinds without and with a rejection beneath
	// unaccepted is added to an outcome if no acceptance was recorded. If the chain loses such an outcome, its state
	// is deleted.
	unaccepted = 128
)

// sizes are the lengths of states in bytes, by kind.
var sizes = map[byte]int{
	kindClaimed: 15, kindAccepted: 1, kindBound: 9, kindClaimed - over: 30, kindAccepted - over: 16, kindBound - over: 24, kindFinal: 15, 't': 33, 's': 44,
}

// name is that of an entry. Its first four bytes select the bucket, so they must be evenly distributed.
type name [16]byte

type place struct {
	name  name
	index byte
}

func (p place) compare(other place) int {
	return cmp.Or(p.name.compare(other.name), cmp.Compare(p.index, other.index))
}

// placeOf uses the salt, or a caller could choose ids that share a bucket, which every call would read.
func (s *Store) placeOf(r *score.Ref) (p place) {
	const salt = len(s.config.Salt)
	var text [salt + 63]byte
	copy(text[:], s.config.Salt[:])
	copy(text[salt:], r.Project[:])
	size := salt + 32
	switch { // the three kinds have different lengths
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

// The little-endian nonce distributes slots evenly.
func slotName(lane score.Lane, nonce uint64) (n name) {
	binary.LittleEndian.PutUint64(n[:], nonce)
	binary.BigEndian.PutUint16(n[6:], uint16(lane))
	copy(n[8:], "the slot")
	return n
}

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

type parsed struct {
	score.Status
	beside *place     // place of a bound state's slot, or of a final state's transaction
	lane   score.Lane // of the slot
}

// parseState parses the state of an update or a creation. A first claim is the zero status.
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
		if kind == kindClaimed { // a rejection stays visible until another try is accepted
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
		// without a transaction the block only orders dead letters
		if t := transaction([]byte(state[2:10])); t != (transaction{}) {
			p.Block, p.beside = readUint(state[10:]), &place{name: t.name()}
		}
	default:
		return p, redisdb.BadData("a state %q", state)
	}
	return p, nil
}

// completed adds the state of a slot or transaction, unless it is empty.
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

type item struct {
	name                  name
	first, last, argument byte
}

// itemsOf merges neighbours with the same argument. order lists the references in the items' order.
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

func (it *item) continues(next *item) bool {
	return it.name == next.name && it.argument == next.argument && int(it.last)+1 == int(next.first)
}

func (n name) compare(other name) int { return bytes.Compare(n[:], other[:]) }
