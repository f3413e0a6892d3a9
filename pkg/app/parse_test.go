package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

type testCLI struct {
	ConfigFile
	Name   string        `name:"name" env:"SCORELAY_T_NAME" default:"none" help:"A name."`
	Wait   time.Duration `name:"wait" env:"SCORELAY_T_WAIT" default:"1s" help:"A | wait."`
	Count  int           `name:"count" env:"SCORELAY_T_COUNT" default:"3" help:"A count."`
	On     bool          `name:"on" env:"SCORELAY_T_ON" help:"A switch."`
	List   []string      `name:"list" env:"SCORELAY_T_LIST" help:"A list."`
	Key    Secret        `name:"key" env:"SCORELAY_T_KEY" help:"A secret."`
	Keys   []Secret      `name:"keys" env:"SCORELAY_T_KEYS" help:"Secrets."`
	Hidden string        `name:"hidden" hidden:"" env:"SCORELAY_T_HIDDEN"`
}

func parse(t *testing.T, args ...string) (testCLI, error) {
	t.Helper()
	var cli testCLI
	parser, err := NewParser("test", "", &cli)
	require.NoError(t, err)
	_, err = parser.Parse(args)
	return cli, err
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestPrecedence(t *testing.T) {
	file := write(t, "name: file\nwait: 5s\ncount: 7\non: true\nlist: [a, b]\nkeys: [k1, k2]\n")
	cli, err := parse(t, "--config", file)
	require.NoError(t, err)
	require.Equal(t, testCLI{
		ConfigFile: ConfigFile{file}, Name: "file", Wait: 5 * time.Second, Count: 7, On: true,
		List: []string{"a", "b"}, Keys: []Secret{"k1", "k2"},
	}, cli)

	t.Setenv("SCORELAY_CONFIG", file)
	t.Setenv("SCORELAY_T_NAME", "env")
	t.Setenv("SCORELAY_T_WAIT", "6s")
	t.Setenv("SCORELAY_T_LIST", "c")
	cli, err = parse(t, "--wait", "7s")
	require.NoError(t, err)
	require.Equal(t, "env", cli.Name, "the environment wins over the file")
	require.Equal(t, 7*time.Second, cli.Wait, "the command line wins over the environment")
	require.Equal(t, 7, cli.Count, "the file wins over the default")
	require.Equal(t, []string{"c"}, cli.List)
}

func TestDefaults(t *testing.T) {
	cli, err := parse(t)
	require.NoError(t, err)
	require.Equal(t, testCLI{Name: "none", Wait: time.Second, Count: 3}, cli)
}

func TestSecretsFromFiles(t *testing.T) {
	t.Setenv("SCORELAY_T_KEY_FILE", write(t, "hush\n"))
	t.Setenv("SCORELAY_T_KEYS_FILE", write(t, "k1,k2\n"))
	cli, err := parse(t)
	require.NoError(t, err)
	require.Equal(t, "hush", cli.Key.Reveal())
	require.Equal(t, []Secret{"k1", "k2"}, cli.Keys)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v %s %q", cli, cli, cli, cli.Key, cli.Keys), "hush")

	t.Setenv("SCORELAY_T_KEY", "also")
	_, err = parse(t)
	require.ErrorContains(t, err, "SCORELAY_T_KEY and SCORELAY_T_KEY_FILE are both set")
}

// TestSecretArguments: those that other users of the machine could read are told, with what to set instead, and never shown.
func TestSecretArguments(t *testing.T) {
	t.Setenv("SCORELAY_T_KEYS", "hush")
	for args, tells := range map[string]bool{
		"":               false, // the environment is one's own
		"--name=hush":    false, // no secret
		"--key=hush":     true,
		"--keys=hush,no": true,
		"--key=nats://127.0.0.1:4222,nats://b:4222":      false,
		"--key=nats://127.0.0.1:4222,nats://u:hush@b:42": true,
		"--key=redis://127.0.0.1:6379/0?cluster=true":    false,
		"--key=rediss://:hush@127.0.0.1:6379/0":          true,
		"--keys=http://127.0.0.1:8545/,https://b":        false,
		"--keys=http://a,https://b/v3/hush":              true,
		"--keys=https://b?key=hush":                      true,
		"--key=://hush":                                  true,
	} {
		var cli testCLI
		parser, err := NewParser("test", "", &cli)
		require.NoError(t, err)
		ctx, err := parser.Parse(strings.Fields(args))
		require.NoError(t, err)
		told, err := SecretArguments(ctx)
		require.NoError(t, err)
		require.NotContains(t, fmt.Sprint(told), "hush")
		if !tells {
			require.Empty(t, told, args)
			continue
		}
		flag, _, _ := strings.Cut(args, "=")
		require.Len(t, told, 1, args)
		require.Contains(t, told[0], flag+" holds a secret")
		require.Contains(t, told[0], "_FILE instead")
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ file, says string }{
		"unknown key":   {"titel: x\n", "has keys that are no setting: titel"},
		"duplicate key": {"name: x\nname: y\n", "already defined"},
		"no YAML":       {"name: [x\n", "couldn't read the settings file"},
		"wrong type":    {"count: many\n", "count"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(t, "--config", write(t, c.file))
			require.ErrorContains(t, err, c.says)
		})
	}
	_, err := parse(t, "--config", "/nowhere/at/all")
	require.ErrorContains(t, err, "couldn't read the settings file")
	t.Setenv("SCORELAY_T_KEY_FILE", "/nowhere/at/all")
	_, err = parse(t)
	require.ErrorContains(t, err, "the file that SCORELAY_T_KEY_FILE names")
}

func TestAnEmptyFileIsNoSettings(t *testing.T) {
	_, err := parse(t, "--config", write(t, "# nothing yet\n"))
	require.NoError(t, err)
}

func TestSettingsTable(t *testing.T) {
	table, err := SettingsTable(&testCLI{})
	require.NoError(t, err)
	require.Contains(t, table, "| `SCORELAY_T_WAIT` | `--wait` | `1s` | A \\| wait. |\n")
	require.Contains(t, table, "| `SCORELAY_T_KEY` (or `_FILE`) | `--key` |  | A secret. |\n")
	require.NotContains(t, table, "HIDDEN")
}

// TestWhatCannotBeSplitFitsTheSmallestTransaction: the largest creation and the largest signed group, at worst.
func TestWhatCannotBeSplitFitsTheSmallestTransaction(t *testing.T) {
	name := func(i, length int) string { return fmt.Sprintf("%0*d", length, i) }
	project := &score.Project{Name: name(0, score.MaxProjectNameBytes)}
	for i := range score.MaxActions {
		project.Actions = append(project.Actions, score.Action{Name: name(i, score.MaxNameBytes), Points: score.MaxPoints})
	}
	for i := range score.MaxScoreTypes {
		project.ScoreTypes = append(project.ScoreTypes, name(i, score.MaxNameBytes))
	}
	for i := range score.MaxCreationMembers {
		project.Owners = append(project.Owners, common.BytesToAddress(slices.Repeat([]byte{byte(i + 1)}, 20)))
	}
	require.Empty(t, project.Problems())
	require.LessOrEqual(t, registry.Osaka().CreateProject(project), uint64(minMaxGas))
	require.LessOrEqual(t, len(registry.EncodeCreateProject(project))+1024, minMaxBytes)

	group := make([]score.Update, score.MaxSigned)
	for i := range group {
		group[i].ID[0], group[i].Target[0] = byte(i), byte(i)
	}
	builder, err := batch.NewBuilder(registry.Osaka().Batch, batch.DefaultLimits())
	require.NoError(t, err)
	require.True(t, builder.AddUnit(score.Unit{Updates: group, Kind: score.KindFree, Signature: new(score.GroupSignature)}))
	b, model := builder.Build(), registry.Osaka().Batch
	require.LessOrEqual(t, model.Gas(b), uint64(minMaxGas))
	require.LessOrEqual(t, model.Bytes(b), minMaxBytes)
}
