package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/scorelay/scorelay/pkg/app"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Print JSON, as /version of the admin listeners."`
}

func (c *versionCommand) Run() error { return c.print(os.Stdout, app.Build()) }

func (c *versionCommand) print(out io.Writer, b app.BuildInfo) error {
	if c.JSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(b)
	}
	commit := cmp.Or(b.Commit, "not known")
	if b.Changed {
		commit += ", with changes"
	}
	_, err := fmt.Fprintf(out, "scorelay %s\ncommit   %s\nbuilt    %s, %s\nformats  messages %d, journals %d, roster %d\n",
		b.Version, commit, b.Go, b.System, b.Formats.Message, b.Formats.Journal, b.Formats.Roster)
	return err
}
