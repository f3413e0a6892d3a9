package score

import (
	"encoding/binary"
	"fmt"
	"iter"
)

// IDRange is a range of ids that were minted or reserved together: Count ids from First on, whose last four
// bytes are a counter that does not overflow within it. Its zero value is empty.
type IDRange struct {
	First UpdateID
	Count int
}

// At is the id number i (0 … Count-1) of the range. Like an index of a slice, any other i panics.
func (r IDRange) At(i int) UpdateID {
	if i < 0 || i >= r.Count {
		panic(fmt.Sprintf("id %d of a range of %d", i, r.Count))
	}
	id := r.First
	counter := id[len(id)-4:]
	binary.BigEndian.PutUint32(counter, binary.BigEndian.Uint32(counter)+uint32(i))
	return id
}

// All yields the ids in order.
func (r IDRange) All() iter.Seq[UpdateID] {
	return func(yield func(UpdateID) bool) {
		for i := range r.Count {
			if !yield(r.At(i)) {
				return
			}
		}
	}
}
