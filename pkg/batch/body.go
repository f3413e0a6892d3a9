package batch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Bytes of the parts of a batch's data. IScoreRegistry.applyBatch defines the format.
const (
	kindBytes      = 1
	projectBytes   = 32
	signerBytes    = 20
	signatureBytes = 64

	wordBytes   = 31
	maskHead    = 2         // start, length
	runsHead    = 2         // number of runs
	recordBytes = 20 + 2    // target, score type, action
	runBytes    = 20 + 2    // target, score type, count
	lowRecord   = 1 + 1     // last byte of the id, action
	freeRecord  = 32 + 1    // id, action
	maxRun      = 1 << 8    // updates
	maxMask     = 256 / 8   // bytes
	maxRuns     = 1<<16 - 1 // per group
)

// ErrBody reports bytes other than a group's body, or updates that are unfit for one.
var ErrBody = errors.New("not the body of a group")

// EncodeBody encodes the updates as the body of one group, with its word and in this order. The form is canonical:
// the shortest mask, and the longest runs. The error wraps ErrBody for zero or too many updates, several words,
// KindWord ids out of order, or an unknown kind.
func EncodeBody(kind score.Kind, updates []score.Update) ([]byte, error) {
	if len(updates) == 0 {
		return nil, fmt.Errorf("%w: no updates", ErrBody)
	}
	var out []byte
	if kind == score.KindWord || kind == score.KindRuns {
		word := updates[0].ID.Word()
		for i := range updates {
			if updates[i].ID.Word() != word {
				return nil, fmt.Errorf("%w: ids of several words", ErrBody)
			}
		}
		out = append(make([]byte, 0, bodyBound(kind, len(updates))), word[:]...)
	}
	switch kind {
	case score.KindWord:
		return appendWord(out, updates)
	case score.KindRuns, score.KindFree:
		return appendRuns(out, kind, updates)
	}
	return nil, fmt.Errorf("%w: kind %d", ErrBody, kind)
}

func bodyBound(kind score.Kind, updates int) int {
	if kind == score.KindWord {
		return wordBytes + maskHead + maxMask + updates*recordBytes
	}
	return wordBytes + runsHead + updates*(runBytes+lowRecord)
}

func appendWord(out []byte, updates []score.Update) ([]byte, error) {
	start := int(updates[0].ID.Low() / 8)
	length := int(updates[len(updates)-1].ID.Low()/8) - start + 1
	if length < 1 {
		return nil, fmt.Errorf("%w: ids do not ascend", ErrBody)
	}
	out = append(out, byte(start), byte(length))
	mask := len(out)
	out = append(out, make([]byte, length)...)
	for i := range updates {
		u := &updates[i]
		low := u.ID.Low()
		if i > 0 && low <= updates[i-1].ID.Low() {
			return nil, fmt.Errorf("%w: ids do not ascend", ErrBody)
		}
		out[mask+length-1-(int(low/8)-start)] |= 1 << (low % 8)
		out = append(out, u.Target[:]...)
		out = append(out, u.ScoreType, u.Action)
	}
	return out, nil
}

func appendRuns(out []byte, kind score.Kind, updates []score.Update) ([]byte, error) {
	runs := countRuns(updates)
	if runs > maxRuns {
		return nil, fmt.Errorf("%w: %d runs", ErrBody, runs)
	}
	out = binary.BigEndian.AppendUint16(out, uint16(runs))
	for len(updates) > 0 {
		n := runLength(updates)
		out = append(out, updates[0].Target[:]...)
		out = append(out, updates[0].ScoreType, byte(n-1))
		for i := range updates[:n] {
			if kind == score.KindRuns {
				out = append(out, updates[i].ID.Low())
			} else {
				out = append(out, updates[i].ID[:]...)
			}
			out = append(out, updates[i].Action)
		}
		updates = updates[n:]
	}
	return out, nil
}

func runLength(updates []score.Update) int {
	n := 1
	for n < len(updates) && n < maxRun && updates[n].Target == updates[0].Target && updates[n].ScoreType == updates[0].ScoreType {
		n++
	}
	return n
}

func countRuns(updates []score.Update) (runs int) {
	for len(updates) > 0 {
		updates = updates[runLength(updates):]
		runs++
	}
	return runs
}

// DecodeBody decodes every body that the contract accepts. The body is canonical if EncodeBody returns the same bytes
// for the result. Errors, also the one for more than most updates, wrap ErrBody.
func DecodeBody(kind score.Kind, project score.ProjectID, signer common.Address, body []byte, most int) ([]score.Update, error) {
	g := Group{Project: project, Signer: signer, Kind: kind}
	size, err := g.readBody(nil, body, most)
	if err == nil && size < len(body) {
		err = fmt.Errorf("%w: %d bytes too many", ErrBody, len(body)-size)
	}
	if err != nil {
		return nil, err
	}
	return g.Updates, nil
}

// ReadBody sets g.Updates from the body at the front of data, and returns the body's size in bytes. The other fields
// of g must be set. word is the group's word if the body omits it, else nil. Errors wrap ErrBody.
func (g *Group) ReadBody(word *score.Word, data []byte) (size int, err error) {
	return g.readBody(word, data, math.MaxInt)
}

func (g *Group) readBody(word *score.Word, data []byte, most int) (size int, err error) {
	r := reader{rest: data, group: g, most: most}
	switch g.Kind {
	case score.KindWord, score.KindRuns:
		if word == nil {
			own := score.Word(r.next(wordBytes))
			word = &own
		}
		copy(r.id[:], word[:])
	case score.KindFree:
		if word != nil {
			return 0, fmt.Errorf("%w: a word for free ids", ErrBody)
		}
	default:
		return 0, fmt.Errorf("%w: kind %d", ErrBody, g.Kind)
	}
	g.Updates = nil
	if g.Kind == score.KindWord {
		err = r.records()
	} else {
		err = r.runs()
	}
	if err == nil && r.short {
		err = errors.New("cut short")
	}
	if err != nil {
		g.Updates = nil
		return 0, fmt.Errorf("%w: %w", ErrBody, err)
	}
	return len(data) - len(r.rest), nil
}

// reader reads missing bytes as zeros and sets short.
type reader struct {
	rest  []byte
	short bool
	group *Group
	most  int            // updates
	id    score.UpdateID // with the group's word
}

func (r *reader) next(n int) []byte {
	if n > len(r.rest) {
		r.short, r.rest = true, nil
		return make([]byte, n)
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) records() error {
	head := r.next(maskHead)
	start, length := int(head[0]), int(head[1])
	if length < 1 || start+length > maxMask {
		return fmt.Errorf("mask of %d bytes from %d", length, start)
	}
	mask := r.next(length)
	n := 0
	for _, b := range mask {
		n += bits.OnesCount8(b)
	}
	if n == 0 {
		return errors.New("empty mask")
	}
	if n > r.most {
		return r.tooMany()
	}
	if n*recordBytes > len(r.rest) {
		return errors.New("cut short")
	}
	r.group.Updates = make([]score.Update, 0, n)
	for i := range length {
		for b := mask[length-1-i]; b != 0; b &= b - 1 {
			r.id[31] = byte((start+i)*8 + bits.TrailingZeros8(b))
			record := r.next(recordBytes)
			r.add(record[:20], record[20], record[21])
		}
	}
	return nil
}

func (r *reader) runs() error {
	count := binary.BigEndian.Uint16(r.next(runsHead))
	if count == 0 {
		return errors.New("no runs")
	}
	for range count {
		run := r.next(runBytes)
		if r.short {
			return nil
		}
		n := int(run[21]) + 1
		if n > r.most-len(r.group.Updates) {
			return r.tooMany()
		}
		for range n {
			if r.group.Kind == score.KindFree {
				copy(r.id[:], r.next(32))
			} else {
				r.id[31] = r.next(1)[0]
			}
			action := r.next(1)[0]
			if r.short {
				return nil
			}
			r.add(run[:20], run[20], action)
		}
	}
	return nil
}

func (r *reader) tooMany() error { return fmt.Errorf("more than %d updates", r.most) }

func (r *reader) add(target []byte, scoreType, action byte) {
	r.group.Updates = append(r.group.Updates, score.Update{
		Project: r.group.Project, Signer: r.group.Signer, ID: r.id, Target: common.Address(target), Action: action, ScoreType: scoreType,
	})
}
