package score

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Position is a place in the stream of accepted updates: an update in an envelope, or a whole other message (Index
// 0). The zero Position precedes all others.
type Position struct {
	Seq   uint64 `json:"seq"` // 1 is the first
	Index uint32 `json:"index"`
}

func (p Position) Before(other Position) bool {
	return p.Compare(other) < 0
}

func (p Position) Compare(other Position) int {
	return cmp.Or(cmp.Compare(p.Seq, other.Seq), cmp.Compare(p.Index, other.Index))
}

// Span is Count positions of one message, from Index on.
type Span struct {
	Position
	Count uint32 // at least 1
}

// End returns the position after the span.
func (s Span) End() Position { return Position{s.Seq, s.Index + s.Count} }

// Positions is a set of positions, as ascending spans. Adjacent spans of one message are merged. As text, a span
// takes at least 4 bytes.
type Positions []Span

var ErrOverlap = errors.New("a position is in both")

// PositionsOf returns the set of spans in any order. Errors: ErrOverlap.
func PositionsOf(spans ...Span) (Positions, error) {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b Span) int { return a.Compare(b.Position) })
	var set Positions
	for _, s := range sorted {
		if err := set.push(s); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// push appends a span; calls must be in the order of positions. Errors: ErrOverlap.
func (p *Positions) push(s Span) error {
	if n := len(*p); n > 0 {
		last := &(*p)[n-1]
		switch end := last.End(); {
		case s.Before(end):
			return fmt.Errorf("%w: %v", ErrOverlap, s.Position)
		case s.Position == end:
			last.Count += s.Count
			return nil
		}
	}
	*p = append(*p, s)
	return nil
}

func (p Positions) Len() (n uint64) {
	for _, s := range p {
		n += uint64(s.Count)
	}
	return n
}

// Union joins disjoint sets. Errors: ErrOverlap.
func (p Positions) Union(other Positions) (Positions, error) {
	var union Positions
	for len(p)+len(other) > 0 {
		next := &p
		if len(p) == 0 || len(other) > 0 && other[0].Before(p[0].Position) {
			next = &other
		}
		if err := union.push((*next)[0]); err != nil {
			return nil, err
		}
		*next = (*next)[1:]
	}
	return union, nil
}

var ErrMissing = errors.New("a position is not in the set")

// Without returns the set minus a subset. Errors: ErrMissing.
func (p Positions) Without(other Positions) (Positions, error) {
	var rest Positions
	for _, s := range p {
		for len(other) > 0 && other[0].Before(s.End()) {
			out := other[0]
			if out.Before(s.Position) || s.End().Before(out.End()) {
				return nil, fmt.Errorf("%w: one of %d from %v on", ErrMissing, out.Count, out.Position)
			}
			if n := out.Index - s.Index; n > 0 {
				rest = append(rest, Span{s.Position, n})
			}
			s = Span{out.End(), s.Count - (out.Index - s.Index) - out.Count}
			other = other[1:]
		}
		if s.Count > 0 {
			rest = append(rest, s)
		}
	}
	if len(other) > 0 {
		return nil, fmt.Errorf("%w: %v", ErrMissing, other[0].Position)
	}
	return rest, nil
}

func (p Positions) Split(at Position) (before, rest Positions) {
	i := slices.IndexFunc(p, func(s Span) bool { return at.Before(s.End()) })
	if i < 0 {
		return p, nil
	}
	before, rest = p[:i:i], p[i:]
	if first := rest[0]; first.Before(at) {
		cut := at.Index - first.Index
		rest = slices.Clone(rest)
		before, rest[0] = append(before, Span{first.Position, cut}), Span{at, first.Count - cut}
	}
	return before, rest
}

func (p Positions) Has(at Position) bool {
	_, found := slices.BinarySearchFunc(p, at, func(s Span, at Position) int {
		switch {
		case at.Before(s.Position):
			return 1
		case at.Before(s.End()):
			return 0
		}
		return -1
	})
	return found
}

// indexEnd bounds the ends of encoded spans. It exceeds all indexes, and keeps index plus count from overflowing.
const indexEnd = 1 << 20

var errPositions = errors.New("not a set of positions")

// MarshalText returns base64 of three unsigned varints per span. The first is the distance of its Seq from the span
// before. The second is its Index or, within a message, the distance from the end of the span before. The third is
// Count. A span that ends beyond 2^20 is an error.
func (p Positions) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 4*len(p))
	var at Position
	for _, s := range p {
		if uint64(s.Index)+uint64(s.Count) > indexEnd {
			return nil, fmt.Errorf("%w: %d positions from %v on", errPositions, s.Count, s.Position)
		}
		if s.Seq != at.Seq {
			at.Index = 0
		}
		b = binary.AppendUvarint(b, s.Seq-at.Seq)
		b = binary.AppendUvarint(b, uint64(s.Index-at.Index))
		b = binary.AppendUvarint(b, uint64(s.Count))
		at = s.End()
	}
	return base64.RawStdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText accepts only texts that MarshalText returns.
func (p *Positions) UnmarshalText(text []byte) error {
	b, err := base64.RawStdEncoding.Strict().AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("%w: %w", errPositions, err)
	}
	var set Positions
	var at Position
	for len(b) > 0 {
		var numbers [3]uint64
		for i := range numbers {
			n, size := binary.Uvarint(b)
			if size <= 0 || i > 0 && n > indexEnd {
				return errPositions
			}
			numbers[i], b = n, b[size:]
		}
		s := Span{Position{at.Seq + numbers[0], uint32(numbers[1])}, uint32(numbers[2])}
		if numbers[0] == 0 {
			s.Index += at.Index
		}
		if s.Seq < at.Seq || s.Count == 0 || s.Index+s.Count > indexEnd || numbers[0] == 0 && len(set) > 0 && numbers[1] == 0 {
			return errPositions
		}
		set = append(set, s)
		at = s.End()
	}
	// The text may have line breaks, or longer varints than needed.
	if written, err := set.MarshalText(); err != nil || !bytes.Equal(written, text) {
		return errPositions
	}
	*p = set
	return nil
}
