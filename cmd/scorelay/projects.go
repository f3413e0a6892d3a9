package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

type projectsCommand struct {
	Show projectsShowCommand `cmd:"" help:"Show a project as JSON: members, actions, score types, and the nonce of its next edit."`
	Edit projectsEditCommand `cmd:"" help:"Edit a project by an owner's signature. The edits are made together, or none of them."`
}

type projectsShowCommand struct {
	apiFlags `embed:""`
	ID       string `arg:"" name:"project" help:"The projectId."`
}

// Run shows a project.
func (c *projectsShowCommand) Run(s signals) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	return c.show(s.drain, client, os.Stdout)
}

func (c *projectsShowCommand) show(ctx context.Context, client *sdk.Client, out io.Writer) error {
	id, err := score.ParseProjectID(c.ID)
	if err != nil {
		return fmt.Errorf("the projectId %w", err)
	}
	project, err := client.Project(ctx, id)
	if err != nil {
		return err
	}
	next, err := client.NextEdit(ctx, id)
	if err != nil {
		return err
	}
	document := json.NewEncoder(out)
	document.SetIndent("", "  ")
	return document.Encode(struct {
		*sdk.ProjectState
		*sdk.NextEdit
	}{project, next})
}
