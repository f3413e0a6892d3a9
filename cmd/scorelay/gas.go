package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"text/tabwriter"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/dev"
	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

type gasCommand struct {
	JSON       bool    `name:"json" help:"Print JSON."`
	GasPrice   float64 `name:"gas-price" default:"1" placeholder:"GWEI" help:"Price of gas (${default} gwei)."`
	EtherPrice float64 `name:"ether-price" default:"3000" placeholder:"USD" help:"Price of an ether (${default} USD)."`
	Chain      string  `name:"chain" enum:"ethereum,op,arbitrum" default:"ethereum" help:"Kind of chain: a rollup (op or arbitrum) charges for bytes on L1, too."`
	L1BaseFee  float64 `name:"l1-base-fee" default:"1" placeholder:"GWEI" help:"Base fee of L1, with --chain op or arbitrum (${default} gwei)."`
	BlobFee    float64 `name:"l1-blob-base-fee" default:"0.1" placeholder:"GWEI" help:"Base fee of L1's blobs, with --chain op (${default} gwei)."`
}

func (c *gasCommand) Run(signals) error {
	for _, price := range []float64{c.GasPrice, c.EtherPrice, c.L1BaseFee, c.BlobFee} {
		if math.IsNaN(price) || price < 0 || price > 1e9 {
			return errors.New("prices must be from 0 to 1000000000")
		}
	}
	costs, err := c.costs()
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(costs)
	}
	return c.writeText(os.Stdout, costs)
}

// updateCost is the cost of an update by the relayer's gas model. The gas of the transaction is shared by the batch.
type updateCost struct {
	Batch    int    `json:"batch"`   // updates per transaction
	Wallets  string `json:"wallets"` // existing: they have a score; fresh: this is their first
	IDs      string `json:"ids"`     // consecutive, as the SDK makes them, or random
	Gas      int    `json:"gas"`
	NextFork int    `json:"gas_amsterdam"`

	Gwei        float64 `json:"gwei"`        // L1 excluded
	L1          float64 `json:"l1_gwei"`     // 0 unless the chain is a rollup
	MillionEth  float64 `json:"million_eth"` // for a million updates, L1 included
	MillionUSDs float64 `json:"million_usd"`
}

func (c *gasCommand) costs() (out []updateCost, err error) {
	for _, size := range []int{1, 10, 100} {
		for _, ids := range []string{"consecutive", "random"} {
			for _, wallets := range []string{"existing", "fresh"} {
				gas, bytes, err := modelled(registry.Osaka().Batch, size, ids == "random", wallets == "fresh")
				if err != nil {
					return nil, err
				}
				next, _, err := modelled(registry.Amsterdam().Batch, size, ids == "random", wallets == "fresh")
				if err != nil {
					return nil, err
				}
				execution, l1 := gas*c.GasPrice, c.l1(bytes*float64(size))/float64(size)
				ether := (execution + l1) / 1000 // 10^6 updates, 10^9 gwei to one ether
				out = append(out, updateCost{
					Batch: size, Wallets: wallets, IDs: ids, Gas: int(gas), NextFork: int(next),
					Gwei: execution, L1: l1, MillionEth: ether, MillionUSDs: ether * c.EtherPrice,
				})
			}
		}
	}
	return out, nil
}

// wordIDs is the number of ids that share a storage slot.
const wordIDs = 256

// modelled returns the model's gas and bytes per update for batches of size updates, or fewer if a transaction holds
// fewer: one project, one signer, distinct wallets. It averages over batches that use every id of their words, so that
// each new word is paid for.
func modelled(model batch.Model, size int, random, fresh bool) (gas, bytes float64, err error) {
	builder, err := batch.NewBuilder(model, batch.DefaultLimits())
	if err != nil {
		return 0, 0, err
	}
	words := map[score.Word]bool{}
	build := func() {
		b, used := builder.Build(), batch.Fresh{}
		builder.Reset()
		if fresh {
			used.Scores = b.Len()
		}
		for _, g := range b.Groups {
			for _, u := range g.Updates {
				if !words[u.ID.Word()] {
					words[u.ID.Word()] = true
					used.Words++
				}
			}
		}
		gas += float64(model.Estimate(b, used))
		bytes += float64(registry.EnvelopeBytes + len(registry.EncodeBatch(b)))
	}
	source := rand.NewChaCha8([32]byte{})
	draw := func(into []byte) { _, _ = source.Read(into) } // it cannot fail
	u := score.Update{}
	draw(u.Project[:])
	draw(u.Signer[:])
	draw(u.ID[:])
	for i := range size * wordIDs {
		u.Action, u.ScoreType = uint8(i%8), uint8(i%4)
		draw(u.Target[:])
		if random {
			draw(u.ID[:])
		} else {
			binary.BigEndian.PutUint32(u.ID[28:], uint32(i))
		}
		if !builder.Add(u) {
			build()
			builder.Add(u)
		}
		if (i+1)%size == 0 {
			build()
		}
	}
	n := float64(size * wordIDs)
	return gas / n, bytes / n, nil
}

// Factors of an OP Stack chain's L1 fee (Fjord). Each chain has its own scalars; these are Base's, as of 2026.
const (
	baseScalar, blobScalar = 2_269, 1_055_762
	calldataGas            = 16
)

// l1 returns a rollup's highest L1 fee for a transaction, in gwei: its bytes count as incompressible, as most of a
// batch's are.
func (c *gasCommand) l1(bytes float64) float64 {
	switch c.Chain {
	case "op":
		size := max(100_000_000, 836_500*bytes-42_585_600) // millionths of a byte
		return size * (calldataGas*baseScalar*c.L1BaseFee + blobScalar*c.BlobFee) / 1e12
	case "arbitrum":
		return calldataGas * c.L1BaseFee * bytes
	}
	return 0
}

func (c *gasCommand) writeText(w io.Writer, costs []updateCost) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "batch\twallets\tids\tgas\tafter Amsterdam\tgwei\tL1 gwei\tETH a million\tUSD a million\t")
	for _, x := range costs {
		fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%s\t%.2f\t%.2f\t%.4g\t%s\t\n", x.Batch, x.Wallets, x.IDs, dev.Thousands(x.Gas),
			dev.Thousands(x.NextFork), x.Gwei, x.L1, x.MillionEth, dev.Thousands(int(x.MillionUSDs)))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
Per update, by the relayer's gas model, at %v gwei and %v USD an ether. Batch: updates in one transaction. Existing wallets
have a score, fresh ones get their first. Consecutive ids share storage slots, random ids do not.
`, c.GasPrice, c.EtherPrice)
	return err
}
