package dev

import (
	"context"
	"log/slog"
	"math/big"
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
	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
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
	k := &kept{Lanes: 1, Ready: true, APIKey: "key", ProjectID: common.Hash{1}}
	server, err := devnet.StartNATS(d.nats(), devnet.NATSOptions{})
	require.NoError(t, err)
	defer server.Close()
	own := outside
	if outside != nil {
		k.ChainRPC = []string{outside.URL}
	} else {
		own, err = devnet.StartChain(chainOptions(d, k, 0, 100*time.Millisecond))
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
	b := &builder{kept: k}
	keys, err := b.keys(firstSigner + k.Lanes)
	require.NoError(t, err)
	deployment, err := app.Setup(ctx, js, c, keys[accountAdmin].For(devnet.ChainID), app.SetupPlan{Relayers: []common.Address{keys[firstSigner].Address()}}, quiet)
	require.NoError(t, err)
	projects, err := directory.Open(ctx, js)
	require.NoError(t, err)
	header, err := own.Client().HeaderByNumber(ctx, nil)
	require.NoError(t, err)
	at := evidence.Ref{Number: header.Number.Uint64(), Hash: header.Hash()}
	_, err = projects.SetFollowed(ctx, 0, score.Followed{ChainID: deployment.ChainID, Contract: deployment.Contract, Block: at.Number, Hash: at.Hash})
	require.NoError(t, err)
	return d, k, at
}

// resumed runs resume and returns what it said.
func resumed(t *testing.T, ctx context.Context, d *dataDir, k *kept) (said string, err error) {
	t.Helper()
	err = resume(ctx, d, k, &Options{Confirmations: 2}, func(line string) { said += line }, quiet)
	return said, err
}

func TestAWholeStackIsResumed(t *testing.T) {
	t.Parallel()
	d, k, at := keptStack(t)
	for range 2 { // looking changes nothing
		said, err := resumed(t, t.Context(), d, k)
		require.NoError(t, err)
		require.Contains(t, said, "going on with the stack in "+d.path)
		require.Equal(t, "key", k.APIKey)
	}
	own, err := devnet.StartChain(chainOptions(d, k, 0, 0))
	require.NoError(t, err)
	defer own.Close()
	header, err := own.Client().HeaderByNumber(t.Context(), new(big.Int).SetUint64(at.Number))
	require.NoError(t, err)
	require.Equal(t, at.Hash, header.Hash())
}

func TestAChainThatLostFinalBlocksMakesAFreshStart(t *testing.T) {
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
			said, err := resumed(t, t.Context(), d, k)
			require.NoError(t, err)
			require.Contains(t, said, "starting fresh, with a new API key and project: ")
			require.Contains(t, said, c.says)
			require.Contains(t, said, filepath.Join(d.path, "unusable"))
			require.Equal(t, &kept{Lanes: k.Lanes}, k)
			require.NoDirExists(t, d.nats())
			require.NoDirExists(t, d.chain())
		})
	}
}

// branch replaces the final block and those after it by others.
func branch(t *testing.T, d *dataDir, k *kept, final evidence.Ref) {
	t.Helper()
	own, err := devnet.StartChain(chainOptions(d, k, 0, 0))
	require.NoError(t, err)
	defer own.Close()
	block, err := own.Client().HeaderByHash(t.Context(), final.Hash)
	require.NoError(t, err)
	require.NoError(t, own.Fork(block.ParentHash))
	for range 3 {
		own.Commit()
	}
}

func TestAnOutsideChainIsFollowedUntilItIsAnother(t *testing.T) {
	t.Parallel()
	outside, err := devnet.StartChain(devnet.ChainOptions{Interval: 100 * time.Millisecond})
	require.NoError(t, err)
	defer outside.Close()
	d, k, final := keptStackOn(t, outside)
	said, err := resumed(t, t.Context(), d, k)
	require.NoError(t, err)
	require.Contains(t, said, "going on with the stack")

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
	said, err = resumed(t, t.Context(), d, k)
	require.NoError(t, err)
	require.Contains(t, said, "starting fresh, with a new API key and project: chain 1337 has at 0x")
	require.Equal(t, []string{outside.URL}, k.ChainRPC, "on the same chain")
}

func TestAnUnfinishedStartIsNotWorthRecovering(t *testing.T) {
	t.Parallel()
	d, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	defer d.release()
	write(t, "", d.nats(), "x")
	k := &kept{Lanes: 1, APIKey: "key"}
	said, err := resumed(t, t.Context(), d, k)
	require.NoError(t, err)
	require.Empty(t, said)
	require.Empty(t, k.APIKey)
	require.NoDirExists(t, d.nats())
}

func TestAnInterruptedLookIsNoReasonToStartFresh(t *testing.T) {
	t.Parallel()
	d, k, _ := keptStack(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := resumed(t, ctx, d, k)
	require.Error(t, err)
	require.True(t, k.Ready)
	require.DirExists(t, d.nats())

	k.ChainRPC = []string{"http://127.0.0.1:1"} // an outside chain that is away may come back
	ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = resumed(t, ctx, d, k)
	require.Error(t, err)
	require.DirExists(t, d.nats())
}
