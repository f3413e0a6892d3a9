package model

import (
	"encoding/binary"

	"github.com/scorelay/scorelay/pkg/registry"
)

var (
	topicProjectCreated = registry.ProjectTopics()[0]
	topicMemberChanged  = registry.ProjectTopics()[3]
	topicBatchApplied   = registry.UpdateTopics()[0]
)

const word = 32

// batchAppliedData returns the data of BatchApplied(bytes data, bytes outcomes).
func batchAppliedData(data, outcomes []byte) []byte {
	out := appendUint(nil, 2*word)
	out = appendUint(out, uint64(3*word+padded(len(data))))
	return appendBytes(appendBytes(out, data), outcomes)
}

// ProjectCreatedData returns createProject's arguments except the first, which is a topic. So offsets are one word
// less.
func ProjectCreatedData(args []byte) []byte {
	out := append([]byte(nil), args[word:]...)
	for i := range 5 { // name, actions, owners, updaters, scoreTypes
		offset := out[(i+1)*word-8 : (i+1)*word]
		binary.BigEndian.PutUint64(offset, binary.BigEndian.Uint64(offset)-word)
	}
	return out
}

func appendUint(out []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(out, make([]byte, word-8)...), n)
}

func appendBytes(out, b []byte) []byte {
	out = append(appendUint(out, uint64(len(b))), b...)
	return append(out, make([]byte, padded(len(b))-len(b))...)
}

func padded(n int) int { return (n + word - 1) / word * word }
