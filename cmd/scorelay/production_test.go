package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// authority signs certificates of this machine.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

func newAuthority(t *testing.T, path string) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: filepath.Base(path)}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	writePEM(t, path, "CERTIFICATE", der)
	return &authority{cert, key, path}
}

// sign writes name.pem and name.key.
func (a *authority) sign(t *testing.T, name string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	require.NoError(t, err)
	raw, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	writePEM(t, name+".pem", "CERTIFICATE", der)
	writePEM(t, name+".key", "EC PRIVATE KEY", raw)
}

// shipped is a configuration of deploy/production with other values in place of some, which must be there.
func shipped(t *testing.T, name, to string, pairs ...string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "deploy", "production", name))
	require.NoError(t, err)
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, string(raw), pairs[i])
	}
	require.NoError(t, os.WriteFile(to, []byte(strings.NewReplacer(pairs...).Replace(string(raw))), 0o600))
	return to
}

// production is three NATS servers and a Redis with the configurations of deploy/production.
type production struct {
	dir, ca       string
	nats, monitor []string // host:port
	redis         string
	trusted       *tls.Config
}

const productionPassword = "a-password-of-the-test"

func startProduction(t *testing.T) *production {
	t.Helper()
	p := &production{dir: t.TempDir()}
	p.ca = filepath.Join(p.dir, "ca.pem")
	public, routes := newAuthority(t, p.ca), newAuthority(t, filepath.Join(p.dir, "route-ca.pem"))
	public.sign(t, filepath.Join(p.dir, "server"))
	routes.sign(t, filepath.Join(p.dir, "route"))
	pool := x509.NewCertPool()
	pool.AddCert(public.cert)
	p.trusted = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	port := func() string {
		port, err := devnet.FreePort()
		require.NoError(t, err)
		return fmt.Sprintf("127.0.0.1:%d", port)
	}
	users := fmt.Sprintf("users: [{ user: scorelay, password: %q }]\n", productionPassword)
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "users.conf"), []byte(users), 0o600))
	between := []string{port(), port(), port()}
	for i := range between {
		p.nats, p.monitor = append(p.nats, port()), append(p.monitor, port())
		single := fmt.Sprintf("nats-%d.conf", i)
		shipped(t, "nats.conf", filepath.Join(p.dir, single),
			"$NATS_NAME", fmt.Sprintf("nats-%d", i), "/etc/nats/tls", p.dir, "0.0.0.0:4222", p.nats[i], "0.0.0.0:8222", p.monitor[i],
			"/data/jetstream", filepath.Join(p.dir, fmt.Sprintf("data-%d", i)))
		conf := shipped(t, "nats-cluster.conf", filepath.Join(p.dir, fmt.Sprintf("nats-cluster-%d.conf", i)),
			"include nats.conf", "include "+single, "/etc/nats/tls", p.dir, "0.0.0.0:6222", between[i],
			"nats-0:6222", between[0], "nats-1:6222", between[1], "nats-2:6222", between[2])
		opts, err := server.ProcessConfigFile(conf)
		require.NoError(t, err)
		opts.NoSigs = true
		s, err := server.NewServer(opts)
		require.NoError(t, err)
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	}
	p.redis = port()
	acl := filepath.Join(p.dir, "users.acl")
	require.NoError(t, os.WriteFile(acl, []byte("user default off\nuser scorelay on >"+productionPassword+" ~* &* +@all -@admin -@dangerous +info\n"), 0o600))
	conf := shipped(t, "redis.conf", filepath.Join(p.dir, "redis.conf"),
		"/etc/redis/tls", p.dir, "/etc/redis/users.acl", acl, "dir /data", "dir "+t.TempDir(), "tls-port 6379", "tls-port "+strings.Split(p.redis, ":")[1],
		"bind * -::*", "bind 127.0.0.1")
	cmd := exec.Command("redis-server", conf)
	cmd.SysProcAttr = devnet.DieWithParent()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return p
}

func (p *production) natsURL(user string) string {
	urls := make([]string, len(p.nats))
	for i, at := range p.nats {
		urls[i] = "tls://" + user + at
	}
	return strings.Join(urls, ",")
}

// TestShippedConfigurationsForProduction: NATS and Redis run with them, let only those in who have the password, by TLS, and
// Scorelay's programs use them.
func TestShippedConfigurationsForProduction(t *testing.T) {
	long.Test(t)
	fresh.NeedsRedisServer(t)
	t.Parallel()
	p := startProduction(t)
	var js jetstream.JetStream
	require.Eventually(t, func() bool {
		conn, err := nats.Connect(p.natsURL("scorelay:"+productionPassword+"@"), nats.Secure(p.trusted), nats.Timeout(20*time.Second))
		if err != nil {
			return false
		}
		t.Cleanup(conn.Close)
		js, err = jetstream.New(conn, jetstream.WithDefaultTimeout(30*time.Second))
		return err == nil
	}, 2*time.Minute, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		return stream.Setup(ctx, js, stream.Config{
			Replicas: 3, MaxBytes: 1 << 20, Deployment: score.Deployment{Lanes: 1, ChainID: 1, Contract: common.Address{1}},
		}) == nil
	}, 3*time.Minute, 100*time.Millisecond, "the servers find each other by their routes")

	for _, wrong := range []string{"", "scorelay:wrong@"} {
		_, err := nats.Connect(p.natsURL(wrong), nats.Secure(p.trusted), nats.Timeout(20*time.Second))
		require.ErrorIs(t, err, nats.ErrAuthorization)
	}
	_, err := nats.Connect(p.natsURL("scorelay:" + productionPassword + "@"))
	require.Error(t, err, "a certificate of an authority that the machine does not know")

	ping := func(opts *redis.Options) error {
		client := redis.NewClient(opts)
		defer func() { _ = client.Close() }()
		return client.Ping(t.Context()).Err()
	}
	require.Eventually(t, func() bool {
		return ping(&redis.Options{Addr: p.redis, Username: "scorelay", Password: productionPassword, TLSConfig: p.trusted}) == nil
	}, 2*time.Minute, 100*time.Millisecond)
	require.Error(t, ping(&redis.Options{Addr: p.redis, TLSConfig: p.trusted}))
	require.Error(t, ping(&redis.Options{Addr: p.redis, Username: "scorelay", Password: "wrong", TLSConfig: p.trusted}))
	require.Error(t, ping(&redis.Options{Addr: p.redis, Username: "scorelay", Password: productionPassword}))

	also := "" // in the environment
	scorelay := func(args ...string) (string, error) {
		cmd := command(args...)
		cmd.Env = append(os.Environ(), also, "SSL_CERT_FILE="+p.ca, "SCORELAY_NATS_URL="+p.natsURL("scorelay:"+productionPassword+"@"),
			"SCORELAY_NATS_MONITOR_URL=https://"+strings.Join(p.monitor, ",https://"),
			"SCORELAY_REDIS_URL=rediss://scorelay:"+productionPassword+"@"+p.redis+"/0")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := scorelay("keys", "create", "acme")
	require.NoError(t, err, out)
	out, err = scorelay("halt", "show")
	require.NoError(t, err, out)
	require.Contains(t, out, "Accepting does not halt")
	require.Contains(t, out, "Redis noted sequences up to 0", "it was asked, too")
	out, err = scorelay("setup", "--deployer-key", strings.Repeat("1", 64), "--relayers", common.Address{2}.Hex())
	require.Error(t, err)
	require.Contains(t, out, "--deployer-key is refused")
	require.NotContains(t, out, strings.Repeat("1", 64))
	also = "SCORELAY_DEPLOYER_KEY=" + strings.Repeat("1", 64)
	out, err = scorelay("setup", "--relayers", common.Address{2}.Hex(), "--chain-rpc", "http://127.0.0.1:1", "--start-timeout", "20s")
	require.Error(t, err)
	require.Contains(t, out, "SCORELAY_CHAIN_RPC", "the monitoring endpoints of all servers say that they sync; what is missing is the chain")
	require.NotContains(t, out, "monitor")
}
