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

// Suffixes outside of public DNS: RFC 6762, ICANN's for private use, and Kubernetes Services.
var notPublic = []string{".local", ".internal", ".svc"}

// guard rejects requests with a foreign Host header, against DNS rebinding. A foreign page's name may resolve to this
// machine. Then a browser that reaches the listener treats page and listener as one origin, and lets the page read
// every response.
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

func hostOf(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

func isOps(path string) bool { return path == "/ops" || strings.HasPrefix(path, "/ops/") }

// /ops accepts only loopback and configured hosts: others would send its token across a network without TLS.
func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// private reports whether a host is safe from DNS rebinding: an address, a name without a dot, or one ending as in
// notPublic. So kubelets, probes without a host, and Prometheus by address or Service name need no setting.
func private(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || !strings.Contains(host, ".") || slices.ContainsFunc(notPublic, func(end string) bool { return strings.HasSuffix(host, end) })
}
