package main

import (
	"context"
	"errors"
	"os"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/dev"
)

type devCommand struct {
	Stack dev.Options `embed:""`

	Demo    int  `name:"demo" placeholder:"N" help:"Send N signed updates, wait until all are final, audit, print a verdict and end."`
	Verbose bool `name:"verbose" short:"v" help:"Log to the terminal, too."`
}

func (c *devCommand) Run(s signals) error {
	if c.Demo < 0 {
		return errors.New("--demo must not be negative")
	}
	if c.Verbose {
		c.Stack.LogTo = os.Stderr
	}
	screen := dev.NewScreen(os.Stdout, os.Getenv)
	if c.Demo > 0 {
		return c.demo(s, screen)
	}
	return dev.Run(s.drain, s.kill, c.Stack, screen.Step, func(ctx context.Context, stack *dev.Stack) error {
		screen.Headline("Scorelay is up.")
		screen.Print(stack.Description())
		<-ctx.Done()
		screen.Say("ending; a second Ctrl-C does not wait")
		return nil
	})
}

// demo prints its verdict even after an error.
func (c *devCommand) demo(s signals, screen *dev.Screen) error {
	demo := dev.NewDemo(c.Demo)
	var summary *dev.Summary
	err := dev.Run(s.drain, s.kill, c.Stack, screen.Step, func(ctx context.Context, stack *dev.Stack) (err error) {
		watching, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { defer close(done); screen.Watch(watching, demo.Progress) }()
		summary, err = demo.Run(ctx, stack)
		stop()
		<-done
		return err
	})
	if summary == nil {
		return err
	}
	if err != nil && s.drain.Err() == nil {
		screen.Say("scorelay: " + err.Error())
	}
	screen.Verdict(summary)
	if err != nil || !summary.Good() {
		return errFailed
	}
	return nil
}
