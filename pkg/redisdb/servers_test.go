package redisdb_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/redisdb"
)

// set sets a key, as one that calls redisdb does.
func set(ctx context.Context, client *redisdb.Client, key string) error {
	return client.Call(ctx, func(ctx context.Context) error { return client.Set(ctx, key, "there", 0).Err() })
}

// TestTheClientFollowsAFailover: the master is killed, the replica takes its place, and calls are made again by themselves.
func TestTheClientFollowsAFailover(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	servers, err := fresh.StartRedisSentinel(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(servers.Close)
	client := open(t, servers.URL)
	client.Timeout, client.Pause = 5*time.Second, 50*time.Millisecond
	require.False(t, client.Cluster())
	require.NoError(t, set(t.Context(), client, "before"))
	require.NoError(t, client.Do(t.Context(), "wait", 1, 5000).Err())
	servers.Nodes[0].Close()
	_ = set(t.Context(), client, "while") // it fails, unless the replica took the place already
	require.Eventually(t, func() bool { return set(t.Context(), client, "after") == nil }, 3*time.Minute, 20*time.Millisecond)
	require.Equal(t, "there", client.Get(t.Context(), "before").Val())
}

// TestTLS: rediss:// speaks it, and refuses a certificate that no authority signed.
func TestTLS(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600))
		return path
	}
	port, err := devnet.FreePort()
	require.NoError(t, err)
	server, err := devnet.StartRedis(dir, devnet.RedisOptions{Args: []string{
		"--tls-port", fmt.Sprint(port), "--tls-auth-clients", "no", "--tls-cert-file", write("cert", "CERTIFICATE", certificate),
		"--tls-key-file", write("key", "PRIVATE KEY", secret), "--tls-ca-cert-file", filepath.Join(dir, "cert"),
	}})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	url := fmt.Sprintf("rediss://127.0.0.1:%d/0", port)
	require.ErrorContains(t, ping(t.Context(), open(t, url)), "certificate")
	require.NoError(t, ping(t.Context(), open(t, url+"?skip_verify=true")))
}
