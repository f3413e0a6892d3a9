package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
)

type chainCommand struct {
	devDir     `embed:""`
	chainFlags `embed:""`

	JSON bool `name:"json" help:"Print a JSON document."`
}

// Run needs no deployment.
func (c *chainCommand) Run(s signals) error {
	client, err := c.dial(s.drain, c.devDir, commandLog())
	if err != nil {
		return err
	}
	defer client.Close()
	profile, err := client.Profile(s.drain)
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(profile)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "WHAT\tFOUND\tEVIDENCE")
	for _, f := range profile.Facts {
		fmt.Fprintf(out, "%s\t%s\t%s\n", f.What, f.Found, map[bool]string{true: "verified", false: "an endpoint's word"}[f.Verified])
	}
	err = out.Flush()
	if words := strings.Join(profile.Unverified, ", "); words != "" {
		fmt.Println("\nNot verified, and believed if only one endpoint is named:", words)
	}
	return err
}
