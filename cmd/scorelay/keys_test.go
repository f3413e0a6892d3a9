package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestSetupWritesItsAPIKeyOnceAndThroughNoLink: a link that leads to no file would have the key made where it leads.
func TestSetupWritesItsAPIKeyOnceAndThroughNoLink(t *testing.T) {
	t.Parallel()
	js := fresh.JetStream(t)
	_, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: apikey.Bucket})
	require.NoError(t, err)
	outside := filepath.Join(t.TempDir(), "outside")
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.Symlink(outside, path))

	setup := &setupCommand{APIKeyFile: path}
	require.NoError(t, setup.apiKey(t.Context(), js, slog.New(slog.DiscardHandler)))
	require.NoFileExists(t, outside)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode(), "a regular file of its owner's")
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, `^scorelay_\w+\n$`, string(first))

	require.NoError(t, setup.apiKey(t.Context(), js, slog.New(slog.DiscardHandler)))
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, first, again, "setup can be repeated")
	store, err := apikey.Open(t.Context(), js)
	require.NoError(t, err)
	keys, err := store.List(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 1)
}

// TestSetupNamesTheDeployersSettingThatIsAtFault: the keystore's or its password file's.
func TestSetupNamesTheDeployersSettingThatIsAtFault(t *testing.T) {
	t.Parallel()
	dir, password := t.TempDir(), filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte("p"), 0o600))
	absent := filepath.Join(dir, "absent")
	for says, c := range map[string]deployerFlags{
		"--deployer-password-file: couldn't read the keystore's password file": {DeployerKeystore: dir, DeployerPassword: absent},
		"--deployer-keystore: couldn't read the keystore;":                     {DeployerKeystore: absent, DeployerPassword: password},
		"--deployer-keystore: the keystore directory":                          {DeployerKeystore: dir, DeployerPassword: password},
	} {
		_, err := c.deployer()
		require.ErrorContains(t, err, says)
	}
}

// TestTermsOfKeys: flags change what they speak of, and nothing else.
func TestTermsOfKeys(t *testing.T) {
	t.Parallel()
	project := score.ProjectID{7}
	parse := func(args ...string) (termsFlags, error) {
		var c struct {
			termsFlags `embed:""`
		}
		parser, err := kong.New(&c)
		require.NoError(t, err)
		_, err = parser.Parse(args)
		return c.termsFlags, err
	}
	terms := apikey.CallerTerms()
	require.NotZero(t, terms.Rate)
	require.NotZero(t, terms.LookUps)
	require.NotZero(t, terms.Creates)
	require.NotZero(t, terms.Words)
	require.NotZero(t, terms.Wallets)
	for _, step := range []struct {
		args   []string
		change func(*apikey.Terms)
	}{
		{nil, func(*apikey.Terms) {}},
		{[]string{"--rate", "0", "--rights", "read,update"}, func(t *apikey.Terms) { t.Rate, t.Rights = 0, []string{"read", "update"} }},
		{[]string{"--look-ups", "7", "--gas-per-day", "8"}, func(t *apikey.Terms) { t.LookUps, t.Gas = 7, 8 }},
		{[]string{"--create-gas-per-day", "9", "--words-per-day", "0", "--wallets-per-day", "6"}, func(t *apikey.Terms) {
			t.Creates, t.Words, t.Wallets = 9, 0, 6
		}},
		{[]string{"--ether-per-day", "0.5"}, func(t *apikey.Terms) { t.Ether = 500_000_000 }},
		{[]string{"--rate", "9"}, func(t *apikey.Terms) { t.Rate = 9 }},
		{[]string{"--ether-per-day", "0"}, func(t *apikey.Terms) { t.Ether = 0 }},
		{[]string{"--projects", project.String()}, func(t *apikey.Terms) { t.Projects = []score.ProjectID{project} }},
		{[]string{"--whole-signatures"}, func(t *apikey.Terms) { t.Whole = true }},
		{[]string{"--expires", "2027-01-31T01:00:00+01:00"}, func(t *apikey.Terms) {
			at := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
			t.Expires = &at
		}},
		{[]string{"--rights", "all", "--projects", "all"}, func(t *apikey.Terms) { t.Rights, t.Projects = nil, nil }},
		{[]string{"--whole-signatures=false", "--expires", "never"}, func(t *apikey.Terms) { t.Whole, t.Expires = false, nil }},
	} {
		want := terms
		step.change(&want)
		flags, err := parse(step.args...)
		require.NoError(t, err, step.args)
		require.NoError(t, flags.apply(&terms), step.args)
		require.Equal(t, want, terms, step.args)
	}
	flags, err := parse("--expires", "1h")
	require.NoError(t, err)
	require.NoError(t, flags.apply(&terms))
	require.WithinDuration(t, time.Now().Add(time.Hour), *terms.Expires, time.Minute)
	for _, args := range [][]string{{"--expires", "soon"}, {"--projects", "0x12"}} {
		flags, err := parse(args...)
		require.NoError(t, err)
		require.ErrorContains(t, flags.apply(&terms), args[0])
	}
}

// TestADefaultKeyCarries500UpdatesASecondAllDay, and its maker is told what it may spend at most.
func TestADefaultKeyCarries500UpdatesASecondAllDay(t *testing.T) {
	t.Parallel()
	key := apikey.Key{ID: "abc", Terms: apikey.CallerTerms()}
	require.Equal(t, 500, key.Rate)
	require.Zero(t, key.Gas)
	require.Greater(t, key.Words, uint64(5*500*secondsPerDay/256), "with five minters at once, that each begin words of their own")

	price := 0.02
	require.Equal(t, `It may send 500 updates a second, 43,200,000 a day (276,480,000,000 gas if ids count up),
for 1,000,000 different words of ids (random ids take one each) and 1,000,000 different wallets a day.
It may create and edit projects, for 1,000,000,000 gas a day.
All of it takes at worst 1,268,732,800,000 gas a day, beside 28,200 for each transaction, 25.4 ether at the 0.02 gwei that relayers paid lately.
To change this: scorelay keys edit abc with --rate, --words-per-day, --wallets-per-day, --create-gas-per-day, --gas-per-day, --ether-per-day, --rights or --projects.
`, explained(&key, &overview.Rates{GasPriceGwei: &price}))
	require.Contains(t, explained(&key, nil), "at worst 1,268,732,800,000 gas a day, beside 28,200 for each transaction.\n")

	key.Terms = apikey.Terms{Gas: 5, Ether: 500_000_000}
	require.Equal(t, `It may send updates as the API's default rate lets it,
for no bound of different words of ids (random ids take one each) and no bound of different wallets a day.
It may create and edit projects, for no bound of gas a day.
All of it takes at worst 5 gas a day, beside 28,200 for each transaction.
It may cost 0.5 ether a day.
To change this: scorelay keys edit abc with --rate, --words-per-day, --wallets-per-day, --create-gas-per-day, --gas-per-day, --ether-per-day, --rights or --projects.
`, explained(&key, nil))

	key.Terms = apikey.CallerTerms()
	key.Rights = []string{"create", "read"}
	require.Contains(t, explained(&key, nil), "It may create and edit projects, for 1,000,000,000 gas a day.\nAll of it takes at worst 1,000,000,000 gas a day, beside 28,200 for each transaction.\nTo")
	key.Rights = []string{"update"}
	require.NotContains(t, explained(&key, nil), "create and edit")
	require.Contains(t, explained(&key, nil), "at worst 1,267,732,800,000 gas a day")
}
