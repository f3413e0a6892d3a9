package main

import (
	"cmp"
	"context"
	"os"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/export"
	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

type exportCommand struct {
	Updates exportUpdatesCommand `cmd:"" help:"Export what the contract did with each update of a project, in the order of the chain."`
	Scores  exportScoresCommand  `cmd:"" help:"Export a project's scores, as its updates add up to them, once the contract has the same."`
}

type exportFlags struct {
	natsFlags  `embed:""`
	chainFlags `embed:""`

	Project score.ProjectID `arg:"" placeholder:"0x…" help:"The project's id."`
	Output  string          `name:"output" short:"o" type:"path" placeholder:"FILE" help:"Write to this file, which is replaced once the export is complete. By default lines go to the standard output."`
	Format  string          `name:"format" enum:"csv,ndjson," default:"" help:"csv or ndjson. By default as the file's name ends (.ndjson and .jsonl are ndjson), or csv."`
}

type exportUpdatesCommand struct {
	exportFlags `embed:""`

	After string `name:"after" placeholder:"CURSOR" help:"Export only updates after this cursor, which an earlier export printed."`
}

func (c *exportUpdatesCommand) Run(s signals) error {
	return c.export(s.drain, export.Updates, c.After)
}

type exportScoresCommand struct {
	exportFlags `embed:""`
}

// Run writes the scores only if they equal the contract's.
func (c *exportScoresCommand) Run(s signals) error { return c.export(s.drain, export.Scores, "") }

func (c *exportFlags) export(ctx context.Context, what, after string) error {
	log := commandLog()
	js, opened, closeNATS, err := c.open(ctx, log)
	if err != nil {
		return err
	}
	defer closeNATS()
	facts, err := opened.FindLedger(ctx)
	if err != nil {
		return err
	}
	projects, err := kv.OpenProjects(ctx, js)
	if err != nil {
		return err
	}
	dated, err := projects.Dated(ctx, c.Project)
	if err != nil {
		return err
	}
	client, err := c.dial(ctx, c.devDir, log)
	if err != nil {
		return err
	}
	defer client.Close()
	deployment := opened.Deployment()
	starting, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	if err := (app.Connector{Log: log}).VerifyChain(starting, client, deployment); err != nil {
		return err
	}
	return (&export.Export{
		Deployment: deployment, ID: c.Project, Project: dated, Chain: client, Ledger: facts, Log: log,
		What: what, Format: cmp.Or(c.Format, export.FormatOf(c.Output)), After: after, Path: c.Output, Out: os.Stdout, Say: say,
	}).Run(ctx)
}
