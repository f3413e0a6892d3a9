package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/dev"
	"github.com/scorelay/scorelay/cmd/scorelay/internal/status"
	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/retry"
)

type statusCommand struct {
	natsFlags  `embed:""`
	chainFlags `embed:""`

	RedisURL app.Secret `name:"redis-url" env:"SCORELAY_REDIS_URL" placeholder:"URL" help:"Redis, as redis:// or rediss:// with user, password and database."`
	Watch    bool       `name:"watch" help:"Look again every two seconds, until Ctrl-C."`
	JSON     bool       `name:"json" help:"Print a JSON document; with --watch one per line, each time."`
}

const watchEvery = 2 * time.Second

// Run shows the deployment's state. A waiting lane does not make it fail.
func (c *statusCommand) Run(s signals) error {
	d, closeAll, err := c.open(s.drain)
	if err != nil {
		return err
	}
	defer closeAll()
	screen := dev.NewScreen(os.Stdout, uncoloured)
	defer screen.Release()
	for {
		doc, err := d.Look(s.drain)
		switch {
		case c.Watch && s.drain.Err() != nil:
			return nil
		case err != nil && !c.Watch:
			return err
		case err != nil:
			c.unknown(screen, os.Stderr, err)
		default:
			if err := c.show(screen, doc); err != nil {
				return err
			}
		}
		if !c.Watch || retry.Sleep(s.drain, watchEvery) != nil {
			return nil
		}
	}
}

// unknown shows why the state is unknown: on the screen or, if programs may read the output, on beside.
func (c *statusCommand) unknown(screen *dev.Screen, beside io.Writer, err error) {
	says := "NATS does not tell: " + err.Error()
	if c.JSON || !screen.Terminal() {
		_, _ = fmt.Fprintln(beside, "scorelay: "+says)
		return
	}
	screen.Show(dev.Fold(says, status.Columns)...)
}

func (c *statusCommand) show(screen *dev.Screen, doc *overview.Document) error {
	switch {
	case c.JSON:
		out := json.NewEncoder(os.Stdout)
		if !c.Watch {
			out.SetIndent("", "  ")
		}
		return out.Encode(doc)
	case c.Watch && screen.Terminal():
		_, rows, err := term.GetSize(int(os.Stdout.Fd()))
		if err != nil {
			rows = 0
		}
		screen.Show(status.Lines(doc, rows)...)
	default:
		for _, line := range status.Lines(doc, 0) {
			fmt.Println(line)
		}
	}
	return nil
}

// uncoloured is os.Getenv with NO_COLOR set: in the status, colours have no meaning.
func uncoloured(name string) string {
	if name == "NO_COLOR" {
		return "1"
	}
	return os.Getenv(name)
}

// open connects to the chain, Redis and NATS. The caller calls the returned function to close.
func (c *statusCommand) open(ctx context.Context) (*overview.Deployment, func(), error) {
	log, url := commandLog(), c.RedisURL
	if url == "" {
		info, err := c.running("--redis-url")
		if err != nil {
			return nil, nil, err
		}
		url = app.Secret(info.RedisURL)
	}
	client, err := c.dial(ctx, c.devDir, log)
	if err != nil {
		return nil, nil, err
	}
	redis, err := redisdb.Open(url.Reveal())
	if err != nil {
		client.Close()
		return nil, nil, fmt.Errorf("--redis-url: %w", err)
	}
	closeBoth := func() { client.Close(); _ = redis.Close() }
	js, opened, closeNATS, err := c.natsFlags.open(ctx, log)
	if err != nil {
		closeBoth()
		return nil, nil, err
	}
	return &overview.Deployment{JS: js, Stream: opened, Chain: client, Redis: redis, Standings: app.NewStandings(redis, opened), Observer: "scorelay status", Elsewhere: func() { _ = js.Conn().ForceReconnect() }, Log: log},
		func() { closeBoth(); closeNATS() }, nil
}
