package httpapi

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatCountsAsOneAddress: an address of IPv4, a /64 of IPv6.
func TestWhatCountsAsOneAddress(t *testing.T) {
	t.Parallel()
	for a, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "2001:db8::1": "2001:db8::", "2001:db8:0:0:ffff::9": "2001:db8::", "2001:db8:0:1::1": "2001:db8:0:1::",
	} {
		require.Equal(t, netip.MustParseAddr(want), group(netip.MustParseAddr(a)))
	}
}
