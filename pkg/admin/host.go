package admin

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// notPublic are ends of names that no public DNS knows: RFC 6762, ICANN's for private use, and a cluster's Services.
var notPublic = []string{".local", ".internal", ".svc"}

// guard refuses requests that name a host by which the listener is not reached. A page elsewhere may have its own name lead to this machine
// (DNS rebinding); for the browser that shows it, and that reaches the listener, it is then of the listener's origin, and reads what it likes.
func guard(next http.Handler, hosts []string, log *slog.Logger) http.Handler {
	seldom := rate.Sometimes{Interval: time.Minute}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r)
		if loopback(host) || slices.Contains(hosts, host) || !isOps(r.URL.Path) && private(host) {
			next.ServeHTTP(w, r)
			return
		}
		seldom.Do(func() {
			log.Warn("the admin listener refused a request that names another host; if it is yours, name it in SCORELAY_ADMIN_HOSTS", "host", r.Host, "path", r.URL.Path, "from", r.RemoteAddr)
		})
		answer(w, text, http.StatusMisdirectedRequest, fmt.Sprintf("%q is not a host by which this is reached. If it is yours, name it in SCORELAY_ADMIN_HOSTS.", host))
	})
}

// hostOf is the host that a request names, without its port.
func hostOf(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

func isOps(path string) bool { return path == "/ops" || strings.HasPrefix(path, "/ops/") }

// loopback tells whether a host is this machine's own. /ops is for such, and for hosts that were named, alone: elsewhere a token would cross a network without TLS.
func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// private tells whether no page elsewhere can be at this host: an address leads to itself, and where a name without a dot, or with one of those
// ends, leads is not said outside. So kubelets, Prometheus that found an address or knows a Service, and probes that name no host are answered without a setting.
func private(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || !strings.Contains(host, ".") || slices.ContainsFunc(notPublic, func(end string) bool { return strings.HasSuffix(host, end) })
}
