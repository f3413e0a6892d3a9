package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/keyfile"
	"github.com/scorelay/scorelay/pkg/apikey"
)

type keysCommand struct {
	Create keysCreateCommand `cmd:"" help:"Issue an API key. It is printed once and cannot be read again."`
	List   keysListCommand   `cmd:"" help:"List the API keys, revoked ones included."`
	Revoke keysRevokeCommand `cmd:"" help:"Revoke an API key; every API refuses it within a second."`
}

type keysCreateCommand struct {
	natsFlags `embed:""`
	Name      string `arg:"" help:"Whose key it is."`
	Rate      int    `name:"rate" help:"Requests per second; 0 means the API's default."`
}

// Run issues a key. The secret alone goes to standard output, so that it can be piped into a file.
func (c *keysCreateCommand) Run(s signals) error {
	return c.withStore(s.drain, func(store *apikey.Store) error {
		secret, key, err := store.Create(s.drain, c.Name, c.Rate)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "created key %s for %s; this is the only time it is shown:\n", key.ID, key.Name)
		fmt.Println(secret.Reveal())
		return nil
	})
}

type keysListCommand struct {
	natsFlags `embed:""`
	JSON      bool `name:"json" help:"Print JSON."`
}

// Run lists the keys.
func (c *keysListCommand) Run(s signals) error {
	return c.withStore(s.drain, func(store *apikey.Store) error {
		keys, err := store.List(s.drain)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(keys)
		}
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "ID\tNAME\tRATE\tCREATED\tREVOKED")
		for _, key := range keys {
			revoked, rate := "", "default"
			if key.Revoked != nil {
				revoked = key.Revoked.Format(time.RFC3339)
			}
			if key.Rate > 0 {
				rate = fmt.Sprintf("%d/s", key.Rate)
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", key.ID, key.Name, rate, key.Created.Format(time.RFC3339), revoked)
		}
		return table.Flush()
	})
}

type keysRevokeCommand struct {
	natsFlags `embed:""`
	ID        string `arg:"" help:"The key's id: the part of the key between the first and the second underscore."`
}

// Run revokes a key.
func (c *keysRevokeCommand) Run(s signals) error {
	return c.withStore(s.drain, func(store *apikey.Store) error {
		if err := store.Revoke(s.drain, c.ID); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "revoked key %s\n", c.ID)
		return nil
	})
}

func (f *natsFlags) withStore(ctx context.Context, do func(*apikey.Store) error) error {
	js, closeNATS, err := f.connect(ctx, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	store, err := apikey.Open(ctx, js)
	if err != nil {
		return err
	}
	return do(store)
}

// apiKey makes the key of --api-key-file. A file that exists is left alone, so that setup can be repeated.
func (c *setupCommand) apiKey(ctx context.Context, js jetstream.JetStream, log *slog.Logger) error {
	if c.APIKeyFile == "" {
		return nil
	}
	if _, err := os.Stat(c.APIKeyFile); err == nil || !errors.Is(err, fs.ErrNotExist) {
		log.Info("the API key's file exists; leaving it as it is", "file", c.APIKeyFile)
		return nil
	}
	store, err := apikey.Open(ctx, js)
	if err != nil {
		return err
	}
	secret, key, err := store.Create(ctx, "setup", 0)
	if err != nil {
		return err
	}
	if err := keyfile.Replace(c.APIKeyFile, []byte(secret.Reveal()+"\n")); err != nil {
		return fmt.Errorf("couldn't write the API key (revoke %s): %w", key.ID, err)
	}
	log.Info("created an API key", "id", key.ID, "file", c.APIKeyFile)
	return nil
}
