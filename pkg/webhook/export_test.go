package webhook

import "net/netip"

// Controls are asked before a connection is made: for https://, and for http://.
func Controls(allow []netip.Prefix) (secure, plain control) {
	return controls(allow)
}
