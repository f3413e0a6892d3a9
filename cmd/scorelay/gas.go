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
}

// Run measures what updates cost, on an EVM of its own: it needs no chain. It fails when a promise is broken.
func (c *gasCommand) Run(signals) error {
	if c.GasPrice < 0 || c.EtherPrice < 0 {
		return errors.New("--gas-price and --ether-price must not be negative")
	}
	report, err := gas.Measure(gas.Prices{Gas: c.GasPrice, Ether: c.EtherPrice})
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
