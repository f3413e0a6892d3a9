package relay_test

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/remotesigner"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/signer"
)

// serveSigner starts a remote signer that has the first lane's key, at an address.
func serveSigner(t *testing.T, address string) *remotesigner.Server {
	t.Helper()
	server := remotesigner.New(devnet.ChainID, devnet.Key(laneAccount))
	require.NoError(t, server.Listener.Close())
	var err error
	server.Listener, err = net.Listen("tcp", address)
	require.NoError(t, err)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// describedSigner is the first lane's signer, at a remote one.
func describedSigner(t *testing.T, address string) *signer.Signer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "signer.json")
	text := fmt.Sprintf(`{"address": %q, "web3signer": "http://%s", "timeout": "2s"}`, devnet.Address(laneAccount).Hex(), address)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	keys, err := signer.FromKeystore(path, "")
	require.NoError(t, err)
	return keys[0].For(devnet.ChainID)
}

// TestARemoteSignerThatFailsOrLiesMakesItsLaneWaitAndDoesNothingElse: nothing of what it answers is journaled or broadcast, no
// nonce is used or freed, nothing is dead-lettered, and the lane resumes by itself. That it signed what no one received is harmless.
func TestARemoteSignerThatFailsOrLiesMakesItsLaneWaitAndDoesNothingElse(t *testing.T) {
	t.Parallel()
	port, err := devnet.FreePort()
	require.NoError(t, err)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	w := watch(t)
	server := serveSigner(t, address)
	w.deps.Signer = signers(describedSigner(t, address))
	w.start(w.config, w.deps)
	w.drain()
	on := func(chainID int64, asked *types.Transaction, key *ecdsa.PrivateKey, nonce uint64) (any, error) {
		tx, err := types.SignNewTx(key, types.LatestSignerForChainID(big.NewInt(chainID)), &types.DynamicFeeTx{
			ChainID: big.NewInt(chainID), Nonce: nonce, GasTipCap: asked.GasTipCap(), GasFeeCap: asked.GasFeeCap(), Gas: asked.Gas(), To: asked.To(),
			Value: asked.Value(), Data: asked.Data(),
		})
		if err != nil {
			return nil, err
		}
		return remotesigner.Hex(tx)
	}
	faults := []struct {
		name  string
		spoil remotesigner.Spoil // nil: it is killed
	}{
		{"killed", nil},
		{"signed, and the answer comes too late", func(ctx context.Context, _ *ecdsa.PrivateKey, _, _ *types.Transaction) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
		{"another nonce", func(_ context.Context, key *ecdsa.PrivateKey, asked, _ *types.Transaction) (any, error) {
			return on(devnet.ChainID, asked, key, asked.Nonce()+1)
		}},
		{"another chain", func(_ context.Context, key *ecdsa.PrivateKey, asked, _ *types.Transaction) (any, error) {
			return on(1, asked, key, asked.Nonce())
		}},
		{"another account", func(_ context.Context, _ *ecdsa.PrivateKey, asked, _ *types.Transaction) (any, error) {
			return on(devnet.ChainID, asked, devnet.Key(adminAccount), asked.Nonce())
		}},
		{"a high s", func(_ context.Context, _ *ecdsa.PrivateKey, _, signed *types.Transaction) (any, error) {
			return remotesigner.Hex(remotesigner.HighS(signed))
		}},
		{"garbage", func(context.Context, *ecdsa.PrivateKey, *types.Transaction, *types.Transaction) (any, error) {
			return "0xc0ffee", nil
		}},
	}
	for i, fault := range faults {
		t.Log(fault.name)
		next := w.states()[0].Next
		if fault.spoil == nil {
			server.CloseClientConnections()
			server.Close()
		} else {
			server.Spoil(fault.spoil)
		}
		w.accept(some(1, 20*i, 20)...)
		w.waitsFor(lane.WaitSigner)
		for range 5 {
			w.mine()
		}
		require.Equal(t, next, w.states()[0].Next, "nothing is journaled")
		require.Empty(t, w.states()[0].Slots)
		pending, err := w.geth.Client().PendingNonceAt(t.Context(), w.keys[0].Address())
		require.NoError(t, err)
		require.Equal(t, next, pending, "nothing is broadcast")
		if fault.spoil == nil {
			server = serveSigner(t, address)
		}
		server.Spoil(nil)
		w.drain()
		require.Equal(t, next+1, w.states()[0].Next, "the nonce was not lost")
	}
	require.Equal(t, map[score.Outcome]int{score.Applied: 20 * len(faults)}, w.audit())
	require.Empty(t, w.deadLetters())
	require.Zero(t, w.metric("sessions_ended_total", ""))
}

// TestWhatASlowSignerSignedGoesWhileItSignsMore: the third signature is not made before the first transaction is in the node's pool.
func TestWhatASlowSignerSignedGoesWhileItSignsMore(t *testing.T) {
	t.Parallel()
	w := watch(t)
	server := serveSigner(t, "127.0.0.1:0")
	w.deps.Signer = signers(describedSigner(t, server.Listener.Addr().String()))
	stop := w.start(w.config, w.deps)
	w.drain()
	stop()
	next, stuck := w.states()[0].Next, atomic.Bool{}
	server.Spoil(func(ctx context.Context, _ *ecdsa.PrivateKey, asked, signed *types.Transaction) (any, error) {
		if asked.Nonce() < next+2 {
			_ = retry.Sleep(ctx, 150*time.Millisecond) // it is slow
		}
		for asked.Nonce() == next+2 {
			pending, err := w.geth.Client().PendingNonceAt(ctx, w.keys[0].Address())
			if err != nil {
				stuck.Store(true) // it waited for as long as it may
			}
			if err != nil || pending > next {
				break
			}
		}
		return remotesigner.Hex(signed)
	})
	w.accept(some(1, 0, 80)...) // four batches
	w.metrics = prometheus.NewRegistry()
	w.deps.Metrics = w.metrics
	w.start(w.config, w.deps)
	require.Eventually(t, func() bool { return w.states()[0].Next == next+4 }, 2*time.Minute, 10*time.Millisecond)
	require.False(t, stuck.Load())
	server.Spoil(nil)
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 80}, w.audit())
}
