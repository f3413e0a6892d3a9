package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
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
	natsFlags  `embed:""`
	termsFlags `embed:""`
	Name       string `arg:"" help:"Whose key it is."`
}

// termsFlags are what a key allows; nil where nothing is said.
type termsFlags struct {
	Rate    *int     `name:"rate" placeholder:"N" help:"Updates per second, each of a signed group counted; 0 is the API's default (SCORELAY_RATE). A new key has 200."`
	LookUps *int     `name:"look-ups" placeholder:"N" help:"Look-ups per second; 0 is the API's default (SCORELAY_LOOK_UP_RATE). A new key has 50."`
	Gas     *uint64  `name:"gas-per-day" placeholder:"GAS" help:"Gas that its updates and creations of a UTC day may take at worst; 0 is the API's default (SCORELAY_GAS_PER_DAY). A new key has 1000000000."`
	Rights  []string `name:"rights" placeholder:"RIGHT,…" help:"What it may do, of create (projects), update (send updates) and read (look up). A new key may do all."`
}

// apply changes the terms as the flags say.
func (f *termsFlags) apply(t *apikey.Terms) {
	if f.Rate != nil {
		t.Rate = *f.Rate
	}
	if f.LookUps != nil {
		t.LookUps = *f.LookUps
	}
	if f.Gas != nil {
		t.Gas = *f.Gas
	}
	if len(f.Rights) > 0 {
		t.Rights = f.Rights
	}
}

// Run issues a key. The secret alone goes to standard output, so that it can be piped into a file.
func (c *keysCreateCommand) Run(s signals) error {
	return c.withStore(s.drain, func(store *apikey.Store) error {
		terms := apikey.CallerTerms()
		c.apply(&terms)
		secret, key, err := store.Create(s.drain, c.Name, terms)
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
		_, _ = fmt.Fprintln(table, "ID\tNAME\tRATE\tLOOK-UPS\tGAS A DAY\tRIGHTS\tCREATED\tREVOKED")
		for _, key := range keys {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", key.ID, key.Name, orDefault(key.Rate, "/s"), orDefault(key.LookUps, "/s"),
				orDefault(key.Gas, ""), cmp.Or(strings.Join(key.Rights, ","), "all"), key.Created.Format(time.RFC3339), when(key.Revoked))
		}
		return table.Flush()
	})
}

// orDefault is a bound of a key, of which 0 is the API's.
func orDefault[N int | uint64](n N, unit string) string {
	if n == 0 {
		return "default"
	}
	return fmt.Sprint(n) + unit
}

// when is a time that may not have come.
func when(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339)
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
	secret, key, err := store.Create(ctx, "setup", apikey.CallerTerms())
	if err != nil {
		return err
	}
	if err := keyfile.Replace(c.APIKeyFile, []byte(secret.Reveal()+"\n")); err != nil {
		return fmt.Errorf("couldn't write the API key (revoke %s): %w", key.ID, err)
	}
	log.Info("created an API key", "id", key.ID, "file", c.APIKeyFile)
	return nil
}
