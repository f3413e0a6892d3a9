package main

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/gas"
)

type gasCommand struct {
	JSON       bool    `name:"json" help:"Print the report as JSON."`
	GasPrice   float64 `name:"gas-price" default:"1" placeholder:"GWEI" help:"Price of gas (${default} gwei)."`
	EtherPrice float64 `name:"ether-price" default:"3000" placeholder:"USD" help:"Price of an ether (${default} USD)."`
	Chain      string  `name:"chain" enum:"ethereum,op,arbitrum" default:"ethereum" help:"Kind of chain: a rollup (op or arbitrum) charges for bytes on L1, too."`
	L1BaseFee  float64 `name:"l1-base-fee" default:"1" placeholder:"GWEI" help:"Base fee of L1, with --chain op or arbitrum (${default} gwei)."`
	BlobFee    float64 `name:"l1-blob-base-fee" default:"0.1" placeholder:"GWEI" help:"Base fee of L1's blobs, with --chain op (${default} gwei)."`
}

// Run fails if a row uses more gas than promised.
func (c *gasCommand) Run(signals) error {
	if min(c.GasPrice, c.EtherPrice, c.L1BaseFee, c.BlobFee) < 0 {
		return errors.New("prices must not be negative")
	}
	report, err := gas.Measure(gas.Prices{Gas: c.GasPrice, Ether: c.EtherPrice, Chain: c.Chain, L1BaseFee: c.L1BaseFee, L1BlobFee: c.BlobFee})
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		err = out.Encode(report)
	} else {
		err = report.WriteText(os.Stdout)
	}
	if err == nil && len(report.Broken()) > 0 {
		err = errFailed
	}
	return err
}
