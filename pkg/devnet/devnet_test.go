package devnet_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/params"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
)

func TestNATSComesBackWithItsData(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := fresh.NATSThatRestarts(t)
	first, js := server.NATSServer, fresh.JetStreamAt(t, server.URL)
	_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
	require.NoError(t, err)
	_, err = js.Publish(ctx, "s", []byte("kept"))
	require.NoError(t, err)
	first.Close()
	server.Restart()
	require.Equal(t, first.URL, server.URL)
	require.Equal(t, first.MonitorURL, server.MonitorURL)
	stream, err := fresh.JetStreamAt(t, server.URL).Stream(ctx, "S")
	require.NoError(t, err)
	msg, err := stream.GetMsg(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, "kept", string(msg.Data))
}

func TestNATSSyncsAlways(t *testing.T) {
	t.Parallel()
	for _, noSync := range []bool{false, true} {
		s := fresh.NATS(t, devnet.NATSOptions{NoSync: noSync})
		resp, err := http.Get(s.MonitorURL + "/jsz?config=1")
		require.NoError(t, err)
		defer func() { _ = resp.Body.Close() }()
		var body struct {
			Config struct {
				SyncAlways bool `json:"sync_always"`
			} `json:"config"`
		}
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&body))
		require.Equal(t, !noSync, body.Config.SyncAlways)
	}
}

func TestNATSSaysThatItsPortIsTaken(t *testing.T) {
	t.Parallel()
	s := fresh.NATS(t)
	_, err := devnet.StartNATS(t.TempDir(), devnet.NATSOptions{Port: fresh.Port(t, s.URL)})
	require.ErrorContains(t, err, "address already in use")
}

func TestRedis(t *testing.T) {
	t.Parallel()
	for _, embedded := range []bool{false, true} {
		s := fresh.Redis(t, devnet.RedisOptions{Embedded: embedded})
		client := redisClient(t, s.URL)
		require.NoError(t, client.Set(t.Context(), "k", "v", 200*time.Millisecond).Err())
		require.Eventually(t, func() bool { return errors.Is(client.Get(t.Context(), "k").Err(), redis.Nil) },
			time.Minute, 20*time.Millisecond, "keys expire by themselves in %s", s.Kind)

		_, err := devnet.StartRedis(t.TempDir(), devnet.RedisOptions{Port: fresh.Port(t, s.URL), Embedded: embedded})
		require.ErrorContains(t, err, "ddress already in use")
		s.Close()
		<-s.Exited()
	}
}

func TestRedisServerComesBackWithItsData(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	dir := t.TempDir()
	first, err := devnet.StartRedis(dir, devnet.RedisOptions{})
	require.NoError(t, err)
	client := redisClient(t, first.URL)
	require.NoError(t, client.Set(t.Context(), "k", "v", 0).Err())
	first.Close()
	second, err := devnet.StartRedis(dir, devnet.RedisOptions{Port: fresh.Port(t, first.URL)})
	require.NoError(t, err)
	defer second.Close()
	require.Equal(t, "v", client.Get(t.Context(), "k").Val())
}

func TestChainMinesReorgsAndForgets(t *testing.T) {
	t.Parallel()
	c := fresh.NewChain(t)
	ctx := t.Context()
	remote, err := ethclient.DialContext(ctx, c.URL)
	require.NoError(t, err)
	defer remote.Close()
	id, err := remote.ChainID(ctx)
	require.NoError(t, err)
	require.EqualValues(t, devnet.ChainID, id.Uint64())
	require.Equal(t, http.StatusOK, httpStatus(t, c.URL))

	parent := c.Commit()
	tx := send(t, remote, 0)
	block := c.Commit()
	receipt, err := remote.TransactionReceipt(ctx, tx.Hash())
	require.NoError(t, err)
	require.Equal(t, block, receipt.BlockHash)

	require.NoError(t, c.Fork(parent))
	require.NotEqual(t, block, c.Commit())
	c.Commit()
	receipt, err = remote.TransactionReceipt(ctx, tx.Hash())
	require.NoError(t, err, "geth puts a reorged transaction back into its pool")
	require.NotEqual(t, block, receipt.BlockHash)

	send(t, remote, 1)
	c.Rollback()
	nonce, err := remote.PendingNonceAt(ctx, devnet.Address(0))
	require.NoError(t, err)
	require.EqualValues(t, 1, nonce, "the pool is empty again")
}

func TestChainMinesEveryInterval(t *testing.T) {
	t.Parallel()
	c := fresh.NewChain(t, devnet.ChainOptions{Interval: 20 * time.Millisecond})
	require.Eventually(t, func() bool {
		n, err := c.Client().BlockNumber(t.Context())
		return err == nil && n >= 3
	}, time.Minute, 10*time.Millisecond)
}

func TestChainSaysThatItsPortIsTaken(t *testing.T) {
	t.Parallel()
	c := fresh.NewChain(t)
	_, err := devnet.StartChain(devnet.ChainOptions{Port: fresh.Port(t, c.URL)})
	require.ErrorContains(t, err, "address already in use")
}

func send(t *testing.T, client *ethclient.Client, nonce uint64) *types.Transaction {
	t.Helper()
	to := devnet.Address(1)
	tx, err := types.SignNewTx(devnet.Key(0), types.LatestSignerForChainID(big.NewInt(devnet.ChainID)), &types.DynamicFeeTx{
		Nonce: nonce, To: &to, Value: big.NewInt(1), Gas: 21_000,
		GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(10 * params.GWei),
	})
	require.NoError(t, err)
	require.NoError(t, client.SendTransaction(context.Background(), tx))
	return tx
}

func redisClient(t *testing.T, url string) *redis.Client {
	t.Helper()
	opts, err := redis.ParseURL(url)
	require.NoError(t, err)
	client := redis.NewClient(opts)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func httpStatus(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode
}

// TestAFreePortIsNobodysWhoAsksForAny: so that a server that was stopped finds its port free when it comes back.
func TestAFreePortIsNobodysWhoAsksForAny(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for range 100 {
		port, err := devnet.FreePort()
		require.NoError(t, err)
		require.Less(t, port, 32768, "where Linux's ports for anyone begin")
		require.False(t, seen[port], "%d was given away already", port)
		seen[port] = true
	}
}

// TestNoTwoProcessesHaveAFreePortInCommon: between the choice of a port and the start of a server there, no other process chooses it.
func TestNoTwoProcessesHaveAFreePortInCommon(t *testing.T) {
	const asked, processes = "SCORELAY_TEST_PRINTS_FREE_PORTS", 5
	ports := long.Size(200, 800) // of each
	if os.Getenv(asked) != "" {
		for range ports {
			port, err := devnet.FreePort()
			require.NoError(t, err)
			fmt.Println("port", port)
		}
		_, _ = io.Copy(io.Discard, os.Stdin) // until the others have theirs
		return
	}
	t.Parallel()
	seen := map[string]bool{}
	for range processes {
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), asked+"=1")
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { require.NoError(t, cmd.Wait()) })
		t.Cleanup(func() { _ = in.Close() })
		lines := bufio.NewScanner(out)
		for n := 0; n < ports && lines.Scan(); {
			if port, is := strings.CutPrefix(lines.Text(), "port "); is {
				require.False(t, seen[port], "%s is another process's, too", port)
				seen[port] = true
				n++
			}
		}
	}
	require.Len(t, seen, processes*ports)
}
