package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// issue writes a new certificate for 127.0.0.1 and its key.
func issue(t *testing.T, serial int64, chain, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	for file, block := range map[string]*pem.Block{chain: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: pkcs8}} {
		if file != "" {
			require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
			require.NoError(t, os.Chtimes(file, time.Time{}, time.Unix(serial, 0)), "each at a time of its own")
		}
	}
}

// TestTheCertificateIsReadAgain: when its files change; files that do not fit each other change nothing.
func TestTheCertificateIsReadAgain(t *testing.T) {
	t.Parallel()
	chain, key := filepath.Join(t.TempDir(), "chain.pem"), filepath.Join(t.TempDir(), "key.pem")
	_, err := newCertificate(chain, key, quiet, prometheus.NewRegistry())
	require.ErrorContains(t, err, "SCORELAY_TLS_CERTIFICATE_FILE")
	issue(t, 1, chain, key)
	c, err := newCertificate(chain, key, quiet, prometheus.NewRegistry())
	require.NoError(t, err)
	now := time.Now()
	c.now = func() time.Time { return now }
	serial := func(after time.Duration) int64 {
		now = now.Add(after)
		pair, err := c.get(nil)
		require.NoError(t, err)
		return pair.Leaf.SerialNumber.Int64()
	}
	require.EqualValues(t, 1, serial(0))
	issue(t, 2, chain, key)
	require.EqualValues(t, 1, serial(certificateLook/2), "the files are not looked at for every caller")
	require.EqualValues(t, 2, serial(certificateLook))
	issue(t, 3, chain, "") // the key is still that of 2
	require.EqualValues(t, 2, serial(certificateLook))
	require.NoError(t, os.Remove(key))
	require.EqualValues(t, 2, serial(certificateLook))
	issue(t, 4, chain, key)
	require.EqualValues(t, 4, serial(certificateLook))

	issue(t, 5, chain, key)
	good, err := os.ReadFile(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(key, []byte("damaged"), 0o600))
	info, err := os.Stat(key)
	require.NoError(t, err)
	require.EqualValues(t, 4, serial(certificateLook))
	require.NoError(t, os.WriteFile(key, good, 0o600))
	require.NoError(t, os.Chtimes(key, info.ModTime(), info.ModTime()))
	require.EqualValues(t, 5, serial(certificateLook), "repaired without another time, as chown does")
}

// TestTheAPISpeaksTLS: and shows the new certificate to who connects after a change, without a restart.
func TestTheAPISpeaksTLS(t *testing.T) {
	t.Parallel()
	b, _ := newDeployment(t, 1)
	s := b.apiSettings(t)
	s.TLSCertificate, s.TLSKey = filepath.Join(t.TempDir(), "chain.pem"), filepath.Join(t.TempDir(), "key.pem")
	s.PublicMetrics = true
	issue(t, 1, s.TLSCertificate, s.TLSKey)
	end := run(t, func(drain, kill context.Context) error { return RunAPI(drain, kill, s, quiet) })

	metrics := ""           // as the API's address served them last
	shown := func() int64 { // the serial number of the certificate, 0 for no answer
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true, ForceAttemptHTTP2: true}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+s.Listen+"/metrics", nil)
		require.NoError(t, err)
		resp, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			return 0
		}
		defer func() { _ = resp.Body.Close() }()
		require.Equal(t, "HTTP/1.1", resp.Proto)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		metrics = string(body)
		return resp.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	require.Eventually(t, func() bool { return shown() == 1 }, 2*time.Minute, 20*time.Millisecond)
	issue(t, 2, s.TLSCertificate, s.TLSKey)
	require.Eventually(t, func() bool { return shown() == 2 }, 2*time.Minute, 20*time.Millisecond)
	require.Contains(t, metrics, "scorelay_api_certificate_expiry_timestamp_seconds 1.")
	end()
}
