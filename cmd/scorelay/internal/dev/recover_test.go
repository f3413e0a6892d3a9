package dev

import (
	"context"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/signer"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

var quiet = slog.New(slog.DiscardHandler)

// keptStack is a data directory as a stack leaves it, without ever having run an API or a relayer: a contract on a chain
// of few blocks, which geth does not think immutable yet, and NATS that calls the newest final.
func keptStack(t *testing.T) (*dataDir, *kept, evidence.Ref) { t.Helper(); return keptStackOn(t, nil) }

// keptStackOn is a keptStack on an outside chain, or with one of its own.
func keptStackOn(t *testing.T, outside *devnet.Chain) (*dataDir, *kept, evidence.Ref) {
	t.Helper()
	ctx := t.Context()
	d, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(d.release)
	k := &kept{Lanes: 1, Ready: true, APIKey: "key", ProjectID: score.ProjectID{1}}
	server, err := devnet.StartNATS(d.nats(), devnet.NATSOptions{})
	require.NoError(t, err)
	defer server.Close()
	own := outside
	if outside != nil {
		k.ChainRPC = []string{outside.URL}
	} else {
		own, err = devnet.StartChain(chainOptions(d, k, 100*time.Millisecond))
		require.NoError(t, err)
		defer own.Close()
	}

	natsSettings, chain := app.NATS{NATSURL: app.Secret(server.URL)}, chainSettings([]string{own.URL})
	conn, js, err := app.Connector{Log: quiet}.NATS(ctx, &natsSettings, "test")
	require.NoError(t, err)
	defer conn.Close()
	c, err := app.DialChain(ctx, &chain, quiet, prometheus.NewRegistry())
	require.NoError(t, err)
	defer c.Close()
	admin, err := signer.FromHex(devnet.HexKey(devnet.AccountAdmin), quiet)
	require.NoError(t, err)
	deployment, err := app.Setup(ctx, js, c, admin.For(devnet.ChainID), app.SetupPlan{Relayers: []common.Address{devnet.Address(devnet.AccountSigner)}}, quiet)
	require.NoError(t, err)
	projects, err := kv.OpenProjects(ctx, js)
	require.NoError(t, err)
	header, err := own.Client().HeaderByNumber(ctx, nil)
	require.NoError(t, err)
	at := evidence.Ref{Number: header.Number.Uint64(), Hash: header.Hash()}
	_, err = projects.SetFollowed(ctx, 0, score.Followed{ChainID: deployment.ChainID, Contract: deployment.Contract, Block: at.Number, Hash: at.Hash})
	require.NoError(t, err)
	return d, k, at
}

// starts runs a stack in the directory until it is ready.
func starts(t *testing.T, path string) (info *devnet.Info, err error) {
	t.Helper()
	o := options(t)
	o.DataDir, o.BlockTime, o.Lanes = path, 100*time.Millisecond, nil
	if _, err := os.Stat(filepath.Join(path, "kept.json")); err == nil {
		o.Port = nil
	}
	o.ChainKey = app.Secret(devnet.HexKey(devnet.AccountOwner)) // of an outside chain
	err = Run(t.Context(), t.Context(), o, func(string) {}, func(_ context.Context, s *Stack) error {
		info = &s.Info
		return nil
	})
	return info, err
}

func TestAStackIsContinued(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	first, err := starts(t, path)
	require.NoError(t, err)
	second, err := starts(t, path)
	require.NoError(t, err)
	require.Equal(t, []string{first.APIKey, first.ProjectID, first.Contract, first.APIURL}, []string{second.APIKey, second.ProjectID, second.Contract, second.APIURL})
}

// TestDamagedDataIsRefused, with the fix, and stays as it is.
func TestDamagedDataIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		harm func(t *testing.T, d *dataDir, k *kept, final evidence.Ref)
		says string
	}{
		"another chain":   {func(t *testing.T, d *dataDir, _ *kept, _ evidence.Ref) { require.NoError(t, os.RemoveAll(d.chain())) }, "chain 1337 has at 0x"},
		"another branch":  {branch, "the chain does not hold block "},
		"another genesis": {func(_ *testing.T, _ *dataDir, k *kept, _ evidence.Ref) { k.Lanes = 2 }, "incompatible genesis"},
		"no streams":      {func(t *testing.T, d *dataDir, _ *kept, _ evidence.Ref) { require.NoError(t, os.RemoveAll(d.nats())) }, "NATS has no complete deployment"},
		"broken chain": {func(t *testing.T, d *dataDir, _ *kept, _ evidence.Ref) {
			require.NoError(t, filepath.Walk(d.chain(), func(path string, info os.FileInfo, err error) error {
				if err == nil && strings.HasPrefix(info.Name(), "MANIFEST") {
					return os.WriteFile(path, []byte("broken"), 0o600)
				}
				return err
			}))
		}, "couldn't start a chain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, k, final := keptStack(t)
			c.harm(t, d, k, final)
			require.NoError(t, d.writeKept(k))
			d.release()
			_, err := starts(t, d.path)
			require.ErrorContains(t, err, "couldn't go on with the stack in "+d.path)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "begin again with --fresh")
			is, err := d.readKept()
			require.NoError(t, err)
			require.Equal(t, k, is, "it is as it was")
		})
	}
}

// branch replaces the final block and those after it by others.
func branch(t *testing.T, d *dataDir, k *kept, final evidence.Ref) {
	t.Helper()
	own, err := devnet.StartChain(chainOptions(d, k, 0))
	require.NoError(t, err)
	defer own.Close()
	block, err := own.Client().HeaderByHash(t.Context(), final.Hash)
	require.NoError(t, err)
	require.NoError(t, own.Fork(block.ParentHash))
	for range 3 {
		own.Commit()
	}
}

func TestAnOutsideChainThatWasResetIsRefused(t *testing.T) {
	t.Parallel()
	outside, err := devnet.StartChain(devnet.ChainOptions{Interval: 100 * time.Millisecond})
	require.NoError(t, err)
	defer outside.Close()
	d, k, final := keptStackOn(t, outside)
	require.NoError(t, d.writeKept(k))
	d.release()
	_, err = starts(t, d.path)
	require.NoError(t, err)

	address, err := url.Parse(outside.URL)
	require.NoError(t, err)
	port, err := strconv.Atoi(address.Port())
	require.NoError(t, err)
	outside.Close()
	again, err := devnet.StartChain(devnet.ChainOptions{Port: port})
	require.NoError(t, err)
	defer again.Close()
	for range final.Number {
		again.Commit()
	}
	_, err = starts(t, d.path)
	require.ErrorContains(t, err, "chain 1337 has at 0x")
	require.ErrorContains(t, err, "check --chain-rpc")
	require.ErrorContains(t, err, "begin again with --fresh")
	require.DirExists(t, d.nats())
	balance, err := again.Client().BalanceAt(t.Context(), devnet.Address(devnet.AccountSigner), nil)
	require.NoError(t, err)
	other, err := again.Client().BalanceAt(t.Context(), devnet.Address(devnet.AccountAdmin), nil)
	require.NoError(t, err)
	require.Equal(t, other, balance, "nothing was paid on the wrong chain")
}

// TestDataWithoutItsSettingsIsRefused, since it may be a stack whose kept.json was lost.
func TestDataWithoutItsSettingsIsRefused(t *testing.T) {
	t.Parallel()
	d, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	defer d.release()
	write(t, "", d.nats(), "x")
	_, err = prepared(d, options(t))
	require.ErrorContains(t, err, "but no kept.json; begin again with --fresh")
	require.DirExists(t, d.nats())
}

func TestAnUnfinishedStartIsDiscarded(t *testing.T) {
	t.Parallel()
	d, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	defer d.release()
	write(t, "", d.nats(), "x")
	require.NoError(t, d.writeKept(&kept{Lanes: 1, APIKey: "key"}))
	s, err := prepared(d, options(t))
	require.NoError(t, err)
	require.Empty(t, s.kept.APIKey)
	require.NoDirExists(t, d.nats())
}
