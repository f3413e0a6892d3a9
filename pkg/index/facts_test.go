package index_test

import (
	"context"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// facts are what a writer would have put into the ledger of all the chain's blocks, those with two events in two
// messages.
func (w *world) facts() (all []ledger.Raw) {
	w.t.Helper()
	first, err := w.client.BlockByNumber(w.t.Context(), w.deployment.DeployBlock)
	require.NoError(w.t, err)
	all = append(all, ledger.Raw{Kind: ledger.Block, Block: first.Ref(), Whole: true})
	head, err := w.client.Head(w.t.Context())
	require.NoError(w.t, err)
	contract, topics := w.deployment.Contract, registry.Topics()
	require.NoError(w.t, w.client.Logs(w.t.Context(), contract, topics, first.Number+1, head.Number,
		func(_ evidence.Block, logs []types.Log) error {
			for i := range logs {
				l := logs[i]
				last := i+1 == len(logs) || logs[i+1].BlockHash != l.BlockHash
				block := evidence.Ref{Number: l.BlockNumber, Hash: l.BlockHash}
				all = append(all, ledger.Raw{Kind: ledger.Block, Block: block, Whole: last, Logs: []types.Log{l}})
			}
			return nil
		}))
	return all
}

// TestAuditComparesTheLedger with the chain: what it lacks, has twice, or has of another branch is found, and that it
// is behind is not.
func TestAuditComparesTheLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	w.create(p)
	for range 3 {
		w.relay(w.fresh(p, 2)...)
	}
	added := score.Edit{Operation: score.AddAction, Name: "a", Points: 1}
	edit, _ := w.acceptEdit(p.ID, 0, added, added)
	w.call(ownerKey, registry.EncodeEdit(edit))
	w.node.Commit()
	w.node.Commit()
	right := w.facts()
	require.Len(t, right, 7)
	require.False(t, right[5].Whole, "a block of two messages")
	newest, err := w.client.Head(t.Context())
	require.NoError(t, err)
	audit := func(held []ledger.Raw) *index.Findings {
		t.Helper()
		a := w.auditor()
		a.Ledger = func(_ context.Context, fn func(ledger.Raw) error) error {
			for _, m := range held {
				if err := fn(m); err != nil {
					return err
				}
			}
			return nil
		}
		findings, err := a.Audit(t.Context())
		require.NoError(t, err)
		return findings
	}
	first, last, head := right[0].Block.Number, right[6].Block.Number, newest.Number
	rewind := func(to ledger.Raw) ledger.Raw { return ledger.Raw{Kind: ledger.Rewind, Block: to.Block, Whole: true} }
	empty := ledger.Raw{Kind: ledger.Block, Block: newest.Ref(), Whole: true}
	letter := ledger.Raw{Kind: ledger.Letter, Block: right[1].Block}
	at := func(i int) uint64 { return right[i].Block.Number }
	for name, is := range map[string]struct {
		held []ledger.Raw
		want index.LedgerFindings
	}{
		"empty":     {nil, index.LedgerFindings{Behind: head}},
		"whole":     {append(slices.Clone(right), empty), index.LedgerFindings{From: first, To: head, Blocks: 5}},
		"half told": {right[:6], index.LedgerFindings{From: first, To: at(4), Behind: 3, Blocks: 4}},
		"half told, and taken back": {
			slices.Concat(right[:6], []ledger.Raw{rewind(right[1])}, right[2:]),
			index.LedgerFindings{From: first, To: last, Behind: 2, Blocks: 5},
		},
		"purged within a block": {right[6:], index.LedgerFindings{From: last, To: last, Behind: 2}},
		"behind":                {right[:3], index.LedgerFindings{From: first, To: at(2), Behind: head - at(2), Blocks: 2}},
		"purged":                {right[2:], index.LedgerFindings{From: at(2), To: last, Behind: 2, Blocks: 3}},
		"purged up to a letter": {
			append([]ledger.Raw{letter}, right[2:]...), index.LedgerFindings{From: at(1), To: last, Behind: 2, Blocks: 4},
		},
		"taken back and told again": {
			slices.Concat(right[:4], []ledger.Raw{rewind(right[1])}, right[2:]),
			index.LedgerFindings{From: first, To: last, Behind: 2, Blocks: 5},
		},
		"purged, then taken back": {
			slices.Concat(right[3:], []ledger.Raw{rewind(right[0])}, right[1:]),
			index.LedgerFindings{From: at(3), To: last, Behind: 2, Blocks: 2},
		},
	} {
		findings := audit(is.held)
		require.Equal(t, is.want, findings.Ledger, name)
		require.True(t, findings.OK(), name)
	}

	reads := 0
	a := w.auditor()
	a.Ledger = func(_ context.Context, fn func(ledger.Raw) error) error {
		held := right
		if reads++; reads < 4 {
			held = right[1:2] // a writer is about to take it back
			held = append(held[:1:1], right[3:]...)
		}
		for _, m := range held {
			if err := fn(m); err != nil {
				return err
			}
		}
		return nil
	}
	findings, err := a.Audit(t.Context())
	require.NoError(t, err)
	require.True(t, findings.OK())
	require.Equal(t, 4, reads)

	found := func(held []ledger.Raw, problem, example string) {
		t.Helper()
		t.Run(problem, func(t *testing.T) {
			t.Parallel() // each is looked at for seconds
			findings := audit(held)
			require.False(t, findings.OK())
			require.Equal(t, problem, findings.Problem())
			require.Len(t, findings.Examples, 1)
			require.Contains(t, findings.Examples[0], example)
		})
	}
	const (
		lacks = "1 final blocks that the ledger lacks"
		twice = "1 blocks that are twice in the ledger"
		other = "1 blocks in the ledger that are not the chain's"
	)
	found(slices.Concat(right[:2], right[3:]), lacks, "has 1 events, and the ledger tells none of it")
	found(slices.Concat(right[:3], right[2:]), twice, "the ledger tells events of block")
	found(slices.Concat(right[:4], right[1:2], right[4:]), twice, "the ledger tells events of block")
	found(slices.Concat(right[:6], right[5:]), twice, "the ledger tells events of block")
	found(slices.Concat(right[:5], right[6:]), other, "tells 1 events of block")
	branch, wrong := right[2], right[2]
	branch.Logs, wrong.Logs = slices.Clone(branch.Logs), slices.Clone(wrong.Logs)
	branch.Block.Hash, branch.Logs[0].BlockHash = common.Hash{7}, common.Hash{7}
	found(slices.Concat(right[:2], []ledger.Raw{branch}, right[3:]), other, "others there")
	wrong.Logs[0].Data = append(slices.Clone(wrong.Logs[0].Data), 1)
	found(slices.Concat(right[:2], []ledger.Raw{wrong}, right[3:]), other, "others there")
	made := ledger.Raw{Kind: ledger.Block, Block: newest.Ref(), Whole: true, Logs: slices.Clone(right[2].Logs)}
	found(append(slices.Clone(right), made), other, "and the chain has none in it")
}
