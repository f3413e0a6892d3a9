package registry_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
)

// framing asks the contract what it makes of a batch's data: nil if it takes it.
func (c *chain) framing(data []byte) *registry.Revert {
	c.t.Helper()
	returned, err := c.callFrom(c.relayer.addr, bindings.NewScoreRegistry().PackApplyBatch(data))
	if err == nil {
		return nil
	}
	if !errors.Is(err, vm.ErrExecutionReverted) {
		require.ErrorIs(c.t, err, vm.ErrOutOfGas)
	}
	return registry.DecodeRevert(returned)
}

// Parts of batches, besides the good one of one KindWord group.
const toMask = 1 + 32 + 20 + 31

var (
	aSignature = make([]byte, 64)
	aRun       = slices.Concat(make([]byte, 20), []byte{0, 0, 9, 0})
)

func runsOf(good []byte) []byte {
	return slices.Concat([]byte{0x02}, good[1:toMask], []byte{0, 1}, aRun)
}

func freeOf(good []byte) []byte {
	return slices.Concat([]byte{0x03}, good[1:53], []byte{0, 1}, aRun[:22], make([]byte, 33))
}

func then(good []byte, kind byte, more ...byte) []byte {
	return append(append(slices.Clone(good), kind), more...)
}

func TestBatchRefusals(t *testing.T) {
	t.Parallel()
	lab := newGasLab(t)
	good := registry.EncodeBatchData(planned(lab.updates(4, 4, 0, consecutive)))
	body, runs, free := good[53:], runsOf(good), freeOf(good)
	with := func(at int, bytes ...byte) []byte {
		out := slices.Clone(good)
		copy(out[at:], bytes)
		return out
	}
	for name, tc := range map[string]struct {
		data   []byte
		offset int
	}{
		"empty":                           {nil, 0},
		"a kind alone":                    {good[:1], 0},
		"no body":                         {good[:53], 0},
		"no mask":                         {good[:toMask], 0},
		"no records":                      {good[:toMask+3], 0},
		"cut short":                       {good[:len(good)-1], 0},
		"kind 0":                          {with(0, 0), 0},
		"kind 4":                          {with(0, 4), 0},
		"kind 15":                         {with(0, 15), 0},
		"same project as nothing":         {with(0, 0x11), 0},
		"same signer as nothing":          {with(0, 0x21), 0},
		"same word as nothing":            {with(0, 0x41), 0},
		"mask of nothing":                 {with(toMask, 0, 0), 0},
		"empty mask":                      {with(toMask+2, 0), 0},
		"mask beyond the word":            {with(toMask, 32, 1), 0},
		"mask of another start":           {with(toMask, 31, 2), 0},
		"mask of more":                    {with(toMask+2, 0x1f), 0},
		"a byte more":                     {then(good, 0), len(good)},
		"a second one cut short":          {append(slices.Clone(good), good[:len(good)-1]...), len(good)},
		"same word, signed":               {then(good, 0xf1, slices.Concat(aSignature, body[31:])...), len(good)},
		"same word, free":                 {then(good, 0x73, free[53:]...), len(good)},
		"same word after a free one only": {slices.Concat(free, []byte{0x71}, body[31:]), len(free)},
		"no runs":                         {slices.Concat(runs[:toMask], []byte{0, 0}), 0},
		"more runs":                       {slices.Concat(runs[:toMask], []byte{0, 2}, aRun), 0},
		"a longer run":                    {slices.Concat(runs[:toMask], []byte{0, 1}, aRun[:21], []byte{1, 9, 0}), 0},
		"no free runs":                    {slices.Concat(free[:53], []byte{0, 0}), 0},
		"a free run cut short":            {free[:len(free)-1], 0},
		"a signature and no body":         {then(good, 0xb1, aSignature...), len(good)},
	} {
		refusal := lab.framing(tc.data)
		require.NotNil(t, refusal, name)
		require.EqualError(t, refusal, fmt.Sprintf("contract reverted: BadFraming(%d)", tc.offset), name)
		_, err := registry.DecodeBatchData(tc.data)
		require.ErrorIs(t, err, registry.ErrFraming, name)
		if len(tc.data) > 0 {
			require.ErrorContains(t, err, fmt.Sprintf("group at byte %d:", tc.offset), name)
		}
	}
}

func TestBatchesThatSayMoreThanTheyMust(t *testing.T) {
	t.Parallel()
	lab := newGasLab(t)
	good := registry.EncodeBatchData(planned(lab.updates(4, 4, 0, consecutive)))
	body, runs, free := good[53:], runsOf(good), freeOf(good)
	call := bindings.NewScoreRegistry().PackApplyBatch(good)
	require.Equal(t, registry.RevertNotRelayer, lab.refused(lab.admin.addr, call).Name)
	for name, data := range map[string][]byte{
		"again":               then(good, 0x31, body...),
		"again, the word too": then(good, 0x71, body[31:]...),
		"signed":              then(good, 0xb1, slices.Concat(aSignature, body)...),
		"runs":                runs,
		"free":                free,
		"runs after free":     slices.Concat(free, []byte{0x32}, runs[53:]),
	} {
		require.Nil(t, lab.framing(data), name)
		_, err := registry.DecodeBatchData(data)
		require.NoError(t, err, name)
	}
	lab.transact(lab.relayer, call)
}

// TestFramingIsTheContracts spoils batches at random: the contract takes what DecodeBatchData takes, and nothing else.
func TestFramingIsTheContracts(t *testing.T) {
	t.Parallel()
	lab := newGasLab(t)
	taken, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		g := &player{T: rt, chain: lab.chain, world: newWorld()}
		var groups []*drawnGroup
		for range 1 + g.draw("groups", 4) {
			d := g.group()
			d.by = nil
			if g.draw("of the project", 4) > 0 { // else of one that does not exist
				d.Project, d.Signer = lab.project.ID, lab.project.Updaters[g.draw("updater", 3)]
			}
			for i := range d.Updates {
				d.Updates[i].Project, d.Updates[i].Signer = d.Project, d.Signer
			}
			groups = append(groups, d)
		}
		data := spoil(rt, lab.oddData(rt, groups))
		_, err := registry.DecodeBatchData(data)
		revert := lab.framing(data)
		if err == nil {
			require.Nil(rt, revert)
			taken++
			return
		}
		refused++
		require.NotNil(rt, revert, err.Error())
		if revert.Name != "" { // else it ran out of gas on its way to the end
			require.Equal(rt, registry.RevertBadFraming, revert.Name)
		}
	})
	t.Logf("%d taken, %d refused", taken, refused)
}

// spoil changes a few bytes of a batch's data, mostly where they frame it.
func spoil(t *rapid.T, data []byte) []byte {
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		if rapid.Bool().Draw(t, "near the front") {
			at = min(at, []int{0, 1 + 32 + 20 + 31, 1 + 32 + 20 + 31 + 1, 1 + 32 + 20 + 31 + 2, 1 + 32 + 20, 1 + 32 + 20 + 1}[rapid.IntRange(0, 5).Draw(t, "place")])
		}
		some := byte(rapid.SampledFrom([]int{0, 1, 2, 3, 0x11, 0x31, 0x71, 0x32, 0x72, 0x33, 0x73, 0x80, 0xb1, 0xff}).Draw(t, "byte"))
		switch rapid.IntRange(0, 5).Draw(t, "how") {
		case 0:
			data = data[:at+1]
		case 1:
			data = slices.Insert(slices.Clone(data), at, some)
		case 2:
			data = slices.Delete(slices.Clone(data), at, at+1)
		case 3:
			data = append(slices.Clone(data), some)
		default:
			data = slices.Clone(data)
			data[at] = some
		}
		if len(data) == 0 {
			return data
		}
	}
	return data
}
