package index

import (
	"encoding/binary"
	"math"
	"runtime"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// BenchmarkAuditMemory is what an audit holds for each update, when ids count up, or each is in a word of its own, of 100,000 wallets.
func BenchmarkAuditMemory(b *testing.B) {
	for name, byteOf := range map[string]int{"counted": 31, "random": 30} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				const updates, each = 2_000_000, 200
				before := heap()
				tally := newTally(everywhere(score.Position{Seq: math.MaxUint64}), math.MaxUint64)
				project := score.Project{ID: score.ProjectID{1}, Actions: []score.Action{{Name: "a", Points: 3}}}
				require.NoError(b, tally.final(registry.ProjectCreated{Project: project}, new(types.Log)))
				make200 := func(from int) []score.Update {
					some := make([]score.Update, each)
					for i := range some {
						u := &some[i]
						u.Project = project.ID
						binary.BigEndian.PutUint64(u.ID[byteOf-7:], uint64(from+i))
						binary.BigEndian.PutUint32(u.Target[:], uint32((from+i)%100_000))
					}
					return some
				}
				for n := 0; n < updates; n += each {
					require.NoError(b, tally.accepted(score.Message{Seq: uint64(n/each + 1), Updates: make200(n)}))
				}
				for n := 0; n < updates; n += each {
					g := batch.Group{Project: project.ID, Signer: common.Address{}, Kind: score.KindFree, Updates: make200(n)}
					require.NoError(b, tally.final(registry.BatchApplied{Batch: batch.Batch{Groups: []batch.Group{g}}, Outcomes: make([]score.Outcome, each)}, &types.Log{}))
				}
				b.ReportMetric(float64(heap()-before)/updates, "B/update")
				findings := &Findings{}
				tally.judge(findings)
				require.Equal(b, updates, findings.Updates.Applied)
			}
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
