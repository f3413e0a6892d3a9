package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/score"
)

// pastChain is a chain as its logs tell of one project: its executions in order.
type pastChain struct {
	Chain
	executions []score.Execution
	extent     score.Extent
	atOnce     uint64
	read       uint64 // blocks, of the last request
	fails      uint64 // once so many are read; 0: never
}

func (c *pastChain) Extent(context.Context) (score.Extent, error) { return c.extent, nil }

func (c *pastChain) History(
	_ context.Context, _ score.ProjectID, wallet common.Address, from, to uint64, _ score.Extent, fn func(uint64, []score.Execution) bool,
) error {
	for to >= from {
		if c.fails > 0 && c.read >= c.fails {
			return errors.New("the endpoints fail")
		}
		down := to - min(to-from, c.atOnce-1)
		c.read += to - down + 1
		var found []score.Execution
		for _, e := range slices.Backward(c.executions) {
			if e.Block >= down && e.Block <= to && e.Target == wallet {
				found = append(found, e)
			}
		}
		if !fn(down, found) || down == 0 {
			return nil
		}
		to = down - 1
	}
	return nil
}

// TestAHistoryIsToldOnceAndWhole follows pages of any size from the newest execution to the contract's first block, with any part of it final, kept, or
// must be read from the logs: together they are the wallet's executions, each once, the newest first.
func TestAHistoryIsToldOnceAndWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.SampledFrom([]uint64{5, 40, 70_000}).Draw(t, "head")
		chain := &pastChain{
			extent: score.Extent{First: rapid.Uint64Range(1, 3).Draw(t, "first"), Head: head}, atOnce: rapid.SampledFrom([]uint64{1, 7, 2000}).Draw(t, "at once"),
		}
		if head > 40 {
			chain.atOnce = 2000
		}
		blocks := rapid.SliceOfN(rapid.Uint64Range(chain.extent.First, head), 0, 40).Draw(t, "blocks")
		slices.Sort(blocks)
		for i, block := range blocks {
			target := common.Address{rapid.Byte().Draw(t, "wallet") % 2}
			chain.executions = append(chain.executions, score.Execution{Update: score.Update{ID: score.UpdateID{byte(i)}, Target: target}, Block: block})
		}
		chain.extent.Final = rapid.Uint64Range(0, head).Draw(t, "final")
		r := recent{asOf: rapid.Uint64Range(0, chain.extent.Final).Draw(t, "as of")}
		ahead := rapid.Uint64Range(r.asOf, chain.extent.Final).Draw(t, "ahead") // of the checkpoint some executions are there already
		for _, e := range slices.Backward(chain.executions) {
			if e.Block <= ahead {
				r.newest = append(r.newest, e)
			}
		}
		kept := rapid.IntRange(0, len(r.newest)).Draw(t, "kept")
		r.all, r.newest = kept == len(r.newest), r.newest[:kept]

		var want, got []score.Execution
		for _, e := range slices.Backward(chain.executions) {
			if e.Target == (common.Address{1}) {
				want = append(want, e)
			}
		}
		s := &Server{deps: Deps{Chain: chain}, histories: make(chan struct{}, 1)}
		for next := (&historyCursor{block: math.MaxUint64}); next != nil; {
			page := &historyPage{begin: *next, limit: rapid.IntRange(1, 5).Draw(t, "limit")}
			chain.read = 0
			again, final, p := s.fill(t.Context(), nil, &caller{}, page, score.ProjectID{}, common.Address{1}, r)
			require.Nil(t, p)
			require.Empty(t, s.histories)
			require.LessOrEqual(t, chain.read, uint64(maxHistoryBlocks)+1)
			require.GreaterOrEqual(t, final, r.asOf)
			require.LessOrEqual(t, final, chain.extent.Final)
			got = append(got, page.found...)
			if again != nil {
				parsed, err := parseHistoryCursor(again.String())
				require.NoError(t, err)
				require.NotEqual(t, *next, parsed, "each page comes further")
				again = &parsed
			}
			next = again
		}
		require.Equal(t, want, got)
	})
}

// TestAHistoryTellsWhatItRead: of a question that failed in the end the caller gets what was read before.
func TestAHistoryTellsWhatItRead(t *testing.T) {
	t.Parallel()
	alice := common.Address{1}
	chain := &pastChain{
		executions: []score.Execution{
			{Update: score.Update{ID: score.UpdateID{1}, Target: alice}, Block: 10}, {Update: score.Update{ID: score.UpdateID{2}, Target: alice}, Block: 90},
		},
		extent: score.Extent{First: 1, Final: 95, Head: 100}, atOnce: 10, fails: 20,
	}
	s := &Server{deps: Deps{Chain: chain, Log: slog.New(slog.DiscardHandler)}, histories: make(chan struct{}, 1)}
	page := &historyPage{begin: historyCursor{block: math.MaxUint64}, limit: 9}
	next, final, p := s.fill(t.Context(), nil, &caller{}, page, score.ProjectID{}, alice, recent{})
	require.Nil(t, p)
	require.Equal(t, chain.executions[1:], page.found)
	require.EqualValues(t, 95, final)
	chain.fails, chain.read = 0, 0
	page = &historyPage{begin: *next, limit: 9}
	next, _, p = s.fill(t.Context(), nil, &caller{}, page, score.ProjectID{}, alice, recent{})
	require.Nil(t, p)
	require.Nil(t, next)
	require.Equal(t, chain.executions[:1], page.found)
}

func TestAPlaceIsReadOrRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "AAAA", "not base64!", historyCursor{1, 2}.String() + "A"} {
		_, err := parseHistoryCursor(text)
		require.ErrorIs(t, err, errHistoryCursor, text)
	}
}
