package webhook_test

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/webhook"
)

// TestAddressesThatAreNotDialled: a name may resolve to anything, and only public addresses are.
func TestAddressesThatAreNotDialled(t *testing.T) {
	t.Parallel()
	secure, plain := webhook.Controls(nil)
	network := func(address string) string {
		if netip.MustParseAddrPort(address).Addr().Is4() {
			return "tcp4"
		}
		return "tcp6"
	}
	for address, what := range map[string]string{
		"127.0.0.1:443": "loopback", "127.255.255.254:80": "loopback", "[::1]:443": "loopback", "0.0.0.0:80": "unspecified", "0.1.2.3:80": "this network",
		"[::]:80": "unspecified", "10.0.0.1:443": "private", "172.16.0.1:443": "private", "172.31.255.255:443": "private", "192.168.1.1:443": "private",
		"[fd12::1]:443": "private", "[fd00:ec2::254]:80": "metadata of AWS", "169.254.169.254:80": "metadata", "169.254.170.2:80": "metadata of ECS",
		"[fe80::1]:443": "link-local", "[fe80::1%eth0]:443": "link-local with a zone", "100.64.0.1:443": "CGNAT", "100.100.100.200:80": "metadata of Alibaba", "192.0.0.192:80": "metadata of Oracle",
		"168.63.129.16:80": "wire server of Azure", "224.0.0.1:443": "multicast", "[ff02::1]:443": "multicast", "240.0.0.1:443": "reserved", "255.255.255.255:443": "broadcast",
		"198.18.0.1:443": "benchmarks", "192.0.2.1:443": "documentation", "[2001:db8::1]:443": "documentation", "[::ffff:127.0.0.1]:443": "mapped", "[::ffff:10.0.0.1]:443": "mapped",
		"[::ffff:8.8.8.8]:443": "mapped", "[64:ff9b::7f00:1]:443": "NAT64", "[64:ff9b:1::a00:1]:443": "NAT64", "[2002:7f00:1::]:443": "6to4", "[2001::1]:443": "Teredo", "[::127.0.0.1]:443": "compatible",
		"[fec0::1]:443": "site-local",
	} {
		require.Error(t, secure(network(address), address, nil), "%s %s", what, address)
		require.Error(t, plain(network(address), address, nil), "%s %s", what, address)
	}
	for _, address := range []string{"1.1.1.1:443", "8.8.8.8:8443", "[2606:4700::1111]:443"} {
		require.NoError(t, secure(network(address), address, nil), address)
		require.Error(t, plain(network(address), address, nil), "in the clear: %s", address)
	}
	require.Error(t, secure("udp4", "1.1.1.1:443", nil))
	secure, plain = webhook.Controls([]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("::1/128")})
	for _, address := range []string{"10.1.2.3:80", "[::1]:443"} {
		require.NoError(t, secure(network(address), address, nil), address)
		require.NoError(t, plain(network(address), address, nil), address)
	}
	require.Error(t, secure("tcp4", "10.2.0.1:443", nil))
	require.Error(t, plain("tcp4", "1.1.1.1:80", nil))
}

// TestTheGuardStandsBehindTheName: a name that resolves to what may not be reached is not, and is told.
func TestTheGuardStandsBehindTheName(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(1)
	reached := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was reached") }))
	t.Cleanup(reached.Close)
	_, port, err := net.SplitHostPort(reached.Listener.Addr().String())
	require.NoError(t, err)
	for _, url := range []string{"https://localhost:" + port, reached.URL, "http://localhost:" + port} {
		to := r.endpoint(newReceiver(t, nil), webhook.Endpoint{URL: url})
		stop := r.deliver(func(c *webhook.Config) { c.Allow = nil })
		_, s := r.state(to, func(_ webhook.Endpoint, s webhook.State) bool { return len(s.Attempts) > 0 })
		require.Regexp(t, "prohibited IP address|http:// is for the networks", s.Attempts[0].Answer)
		stop()
	}
}

// TestASchemeInCapitalsIsHTTPS: it is stored in lower case, and an endpoint of before is reached as https://, not as http://.
func TestASchemeInCapitalsIsHTTPS(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(1)
	reached := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was reached") }))
	t.Cleanup(reached.Close)
	to := r.endpoint(newReceiver(t, nil), webhook.Endpoint{URL: strings.Replace(reached.URL, "https", "HttpS", 1)})
	stored, _, err := r.store.Get(t.Context(), to.id)
	require.NoError(t, err)
	require.Equal(t, reached.URL, stored.URL)

	bucket, err := fresh.JetStreamAt(t, r.nats).KeyValue(t.Context(), webhook.Bucket)
	require.NoError(t, err)
	entry, err := bucket.Get(t.Context(), to.id)
	require.NoError(t, err)
	_, err = bucket.Update(t.Context(), to.id, bytes.Replace(entry.Value(), []byte("https"), []byte("HTTPS"), 1), entry.Revision())
	require.NoError(t, err)
	defer r.deliver(func(c *webhook.Config) { c.Allow = nil })()
	e, s := r.state(to, func(_ webhook.Endpoint, s webhook.State) bool { return len(s.Attempts) > 0 })
	require.Contains(t, e.URL, "HTTPS://")
	require.Contains(t, s.Attempts[0].Answer, "prohibited IP address")
}

func TestEndpointsThatCannotBe(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, e := range []webhook.Endpoint{
		{URL: "ftp://example.com", Batch: 1},
		{URL: "https://", Batch: 1},
		{URL: "https://user:password@example.com", Batch: 1},
		{URL: "https://example.com/#part", Batch: 1},
		{URL: "example.com", Batch: 1},
		{URL: "https://example.com", Batch: 0},
		{URL: "https://example.com", Batch: webhook.MaxBatch + 1},
		{URL: "https://example.com", Batch: 1, Types: []event.Type{"update.*"}},
	} {
		_, _, err := r.store.Add(t.Context(), e, webhook.Move{})
		require.ErrorIs(t, err, webhook.ErrEndpoint, e.URL)
	}
	for _, id := range []string{"", "*", ">", "aaaaaaaaaaaa"} {
		_, _, err := r.store.Get(t.Context(), id)
		require.ErrorIs(t, err, webhook.ErrNotFound)
		require.ErrorIs(t, r.store.Enable(t.Context(), id), webhook.ErrNotFound)
	}
}
