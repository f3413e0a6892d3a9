package score

import (
	"encoding/binary"
	"fmt"
	"iter"
)

// IDRange is Count ids from First on. Their last four bytes are a counter that does not overflow within the range.
// The zero value is empty.
type IDRange struct {
	First UpdateID
	Count int
}

// At returns the id at index i, 0 … Count-1. Any other i panics.
func (r IDRange) At(i int) UpdateID {
	if i < 0 || i >= r.Count {
		panic(fmt.Sprintf("id %d of a range of %d", i, r.Count))
	}
	id := r.First
	counter := id[len(id)-4:]
	binary.BigEndian.PutUint32(counter, binary.BigEndian.Uint32(counter)+uint32(i))
	return id
}

func (r IDRange) All() iter.Seq[UpdateID] {
	return func(yield func(UpdateID) bool) {
		for i := range r.Count {
			if !yield(r.At(i)) {
				return
			}
		}
	}
}
