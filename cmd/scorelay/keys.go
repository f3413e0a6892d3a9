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
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/dev"
	"github.com/scorelay/scorelay/cmd/scorelay/internal/keyfile"
	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

type keysCommand struct {
	Create keysCreateCommand `cmd:"" help:"Issue an API key. It is printed once and cannot be read again."`
	List   keysListCommand   `cmd:"" help:"List the API keys, revoked ones included."`
	Edit   keysEditCommand   `cmd:"" help:"Change the terms of an API key; APIs apply them within 5 seconds, to look-ups within 15."`
	Revoke keysRevokeCommand `cmd:"" help:"Revoke an API key: APIs refuse its posts within 5 seconds, and its look-ups within 15."`
}

type keysCreateCommand struct {
	natsFlags  `embed:""`
	termsFlags `embed:""`
	Name       string `arg:"" help:"Whose key it is."`
}

// termsFlags are a key's limits and rights. A nil or empty field leaves the term unchanged.
type termsFlags struct {
	Rate    *int     `name:"rate" placeholder:"N" help:"Updates per second, each of a signed group counted; 0 is the API's default (SCORELAY_RATE). A new key has 500."`
	LookUps *int     `name:"look-ups" placeholder:"N" help:"Look-ups per second; 0 is the API's default (SCORELAY_LOOK_UP_RATE). A new key has 50."`
	Gas     *uint64  `name:"gas-per-day" placeholder:"GAS" help:"Gas that its updates and creations of a UTC day may take at worst; 0 is the API's default (SCORELAY_GAS_PER_DAY), as a new key has."`
	Ether   string   `name:"ether-per-day" placeholder:"ETHER" help:"Ether that they may cost at worst in a UTC day, L1's fee of a rollup included, at the price when each is accepted; 0 is no bound, as a new key has."`
	Creates *uint64  `name:"create-gas-per-day" placeholder:"GAS" help:"Gas that its creations and edits of a UTC day may take at worst; 0 is no bound. A new key has 1000000000."`
	Words   *uint64  `name:"words-per-day" placeholder:"N" help:"Different words of 256 updateIds of a project for which it may send updates in a UTC day; a random id takes one, ids that count up share them. 0 is no bound. A new key has 1000000."`
	Wallets *uint64  `name:"wallets-per-day" placeholder:"N" help:"Different wallets of a project, of four score types each, for which it may send updates in a UTC day; 0 is no bound. A new key has 1000000."`
	Rights  []string `name:"rights" placeholder:"RIGHT,…" help:"What it may do, of create (projects, and their owners' edits), update (send updates) and read (look up), or all. A new key may do all."`

	Projects []string `name:"projects" placeholder:"ID,…" help:"To which projects it is bound, or all. A new key is bound to none."`
	Expires  string   `name:"expires" placeholder:"WHEN" help:"From when on it is refused: a time like 2027-01-31T00:00:00Z, how long from now on (720h), or never. A new key never is."`
	Whole    *bool    `name:"whole-signatures" placeholder:"BOOL" help:"Whether it refuses signatures that cover only the time, as those of the published scheme (true or false). A new key does not."`
}

const (
	all           = "all"
	secondsPerDay = 24 * 60 * 60
)

func (f *termsFlags) apply(t *apikey.Terms) error {
	if f.Rate != nil {
		t.Rate = *f.Rate
	}
	if f.LookUps != nil {
		t.LookUps = *f.LookUps
	}
	if f.Gas != nil {
		t.Gas = *f.Gas
	}
	if f.Creates != nil {
		t.Creates = *f.Creates
	}
	if f.Words != nil {
		t.Words = *f.Words
	}
	if f.Wallets != nil {
		t.Wallets = *f.Wallets
	}
	if f.Ether != "" {
		ether, err := apikey.ParseEther(f.Ether)
		if err != nil {
			return fmt.Errorf("--ether-per-day: %w", err)
		}
		t.Ether = ether
	}
	if len(f.Rights) > 0 {
		t.Rights = without(f.Rights, all)
	}
	if len(f.Projects) > 0 {
		t.Projects = nil
		for _, text := range without(f.Projects, all) {
			project, err := score.ParseProjectID(text)
			if err != nil {
				return fmt.Errorf("--projects: %q: %w", text, err)
			}
			t.Projects = append(t.Projects, project)
		}
	}
	if f.Whole != nil {
		t.Whole = *f.Whole
	}
	if f.Expires != "" {
		expires, err := apikey.ParseExpiry(f.Expires, time.Now())
		if err != nil {
			return fmt.Errorf("--expires: %w", err)
		}
		t.Expires = expires
	}
	return nil
}

func without(list []string, word string) []string {
	if len(list) == 1 && list[0] == word {
		return nil
	}
	return list
}

type keysEditCommand struct {
	natsFlags  `embed:""`
	termsFlags `embed:""`
	ID         string `arg:"" help:"The key's id: the part of the key between the first and the second underscore."`
}

func (c *keysEditCommand) Run(s signals) error {
	return c.withStore(s.drain, func(_ jetstream.JetStream, store *apikey.Store) error {
		key, err := store.Edit(s.drain, c.ID, c.apply)
		if err != nil {
			return err
		}
		return printKeys([]apikey.Key{key})
	})
}

// Run prints only the secret to standard output, so it can be piped into a file.
func (c *keysCreateCommand) Run(s signals) error {
	return c.withStore(s.drain, func(js jetstream.JetStream, store *apikey.Store) error {
		terms := apikey.CallerTerms()
		if err := c.apply(&terms); err != nil {
			return err
		}
		secret, key, err := store.Create(s.drain, c.Name, terms)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "created key %s for %s; its secret, on standard output, is shown this once\n", key.ID, key.Name)
		fmt.Println(secret.Reveal())
		reports, _ := kv.Reports(s.drain, js) // optional: if it fails, explained omits the price
		fmt.Fprint(os.Stderr, explained(&key, overview.RatesOf(reports)))
		return nil
	})
}

// explained describes a key's daily limits and worst-case cost, in ether only if rates has a gas price.
func explained(key *apikey.Key, rates *overview.Rates) string {
	var b strings.Builder
	bound := func(n uint64, unit string) string {
		if n == 0 {
			return "no bound of " + unit
		}
		return dev.Thousands(int(n)) + " " + unit
	}
	rate := "updates as the API's default rate lets it"
	if key.Rate > 0 {
		day := key.Rate * secondsPerDay
		rate = fmt.Sprintf("%d updates a second, %s a day (%s gas if ids count up)", key.Rate, dev.Thousands(day), dev.Thousands(day*lane.UsualGas))
	}
	if may(key, "update") {
		fmt.Fprintf(&b, "It may send %s,\nfor %s (random ids take one each) and %s a day.\n", rate,
			bound(key.Words, "different words of ids"), bound(key.Wallets, "different wallets"))
	}
	if may(key, "create") {
		fmt.Fprintf(&b, "It may create and edit projects, for %s a day.\n", bound(key.Creates, "gas"))
	}
	if gas := mostGas(key); gas > 0 {
		fmt.Fprintf(&b, "All of it takes at worst %s gas a day, beside %s for each transaction", dev.Thousands(int(gas)), dev.Thousands(int(registry.Osaka().Batch.Base)))
		if rates != nil && rates.GasPriceGwei != nil {
			fmt.Fprintf(&b, ", %.3g ether at the %.3g gwei that relayers paid lately", float64(gas)**rates.GasPriceGwei/1e9, *rates.GasPriceGwei)
		}
		fmt.Fprintln(&b, ".")
	}
	if key.Ether > 0 {
		fmt.Fprintf(&b, "It may cost %s ether a day.\n", key.Ether)
	}
	fmt.Fprintf(&b, "To change this: scorelay keys edit %s with --rate, --words-per-day, --wallets-per-day, --create-gas-per-day, --gas-per-day, "+
		"--ether-per-day, --rights or --projects.\n", key.ID)
	return b.String()
}

func may(key *apikey.Key, right string) bool {
	return len(key.Rights) == 0 || slices.Contains(key.Rights, right)
}

// mostGas returns the most gas that a key's traffic of a UTC day can use; 0 if its own terms leave it unbounded.
func mostGas(t *apikey.Key) (gas uint64) {
	switch {
	case !may(t, "update") && !may(t, "create"):
		return 0
	case !may(t, "update"):
		gas = t.Creates
	case t.Rate > 0 && t.Words > 0 && t.Wallets > 0 && (t.Creates > 0 || !may(t, "create")):
		rules, one := registry.Osaka(), make([]score.Update, 1)
		update := rules.Unit(score.Unit{Updates: one})
		for _, kind := range []score.Kind{score.KindWord, score.KindRuns, score.KindFree} {
			update = max(update, rules.Unit(score.Unit{Updates: one, Kind: kind, Signature: new(score.GroupSignature)}))
		}
		update -= 2 * rules.NewSlot() // for the word and the wallet's scores, added below
		day := uint64(t.Rate) * secondsPerDay
		gas = day*update + (min(t.Words, day)+min(t.Wallets, day))*rules.NewSlot()
		if may(t, "create") {
			gas += t.Creates
		}
	}
	if gas == 0 || t.Gas > 0 && t.Gas < gas {
		gas = t.Gas
	}
	return gas
}

type keysListCommand struct {
	natsFlags `embed:""`
	JSON      bool `name:"json" help:"Print JSON."`
}

func (c *keysListCommand) Run(s signals) error {
	return c.withStore(s.drain, func(_ jetstream.JetStream, store *apikey.Store) error {
		keys, err := store.List(s.drain)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(keys)
		}
		return printKeys(keys)
	})
}

func printKeys(keys []apikey.Key) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "ID\tNAME\tRATE\tLOOK-UPS\tGAS A DAY\tCREATE GAS\tWORDS A DAY\tWALLETS A DAY\tETHER A DAY\tRIGHTS\tPROJECTS\tSIGNATURES\tCREATED\tLAST USED\tEXPIRES\tREVOKED")
	for _, key := range keys {
		ether, projects, signatures := orNone(key.Ether), all, "any"
		if n := len(key.Projects); n > 0 {
			projects = fmt.Sprint(n)
		}
		if key.Whole {
			signatures = "whole"
		}
		_, _ = fmt.Fprintln(table, strings.Join([]string{
			key.ID, key.Name, orDefault(key.Rate, "/s"), orDefault(key.LookUps, "/s"), orDefault(key.Gas, ""), orNone(key.Creates), orNone(key.Words), orNone(key.Wallets), ether,
			cmp.Or(strings.Join(key.Rights, ","), all), projects, signatures,
			when(&key.Created), when(key.LastUsed), when(key.Expires), when(key.Revoked),
		}, "\t"))
	}
	return table.Flush()
}

func orDefault[N int | uint64](n N, unit string) string {
	if n == 0 {
		return "default"
	}
	return fmt.Sprint(n) + unit
}

func orNone[N uint64 | score.Gwei](n N) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func when(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.RFC3339)
}

type keysRevokeCommand struct {
	natsFlags `embed:""`
	ID        string `arg:"" help:"The key's id: the part of the key between the first and the second underscore."`
}

func (c *keysRevokeCommand) Run(s signals) error {
	return c.withStore(s.drain, func(_ jetstream.JetStream, store *apikey.Store) error {
		if err := store.Revoke(s.drain, c.ID); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "revoked key %s\n", c.ID)
		return nil
	})
}

func (f *natsFlags) withStore(ctx context.Context, do func(jetstream.JetStream, *apikey.Store) error) error {
	js, closeNATS, err := f.connect(ctx, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	store, err := apikey.Open(ctx, js)
	if err != nil {
		return err
	}
	return do(js, store)
}

// apiKey writes a new key to --api-key-file. It keeps an existing file, so setup can be repeated.
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
