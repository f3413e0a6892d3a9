package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"code.dny.dev/ssrf"
)

const (
	connectTimeout = 5 * time.Second  // for name resolution and connection, and for TLS
	postTimeout    = 15 * time.Second // of the whole POST; shorter than a process's drain
	maxHeaderBytes = 16 << 10
	maxRetryAfter  = time.Hour
)

var errPlain = errors.New("http:// is for the networks that SCORELAY_WEBHOOK_ALLOW names")

// wireServer is Azure's public address that serves confidential data to virtual machines.
var wireServer = netip.MustParsePrefix("168.63.129.16/32")

type poster struct{ secure, plain *http.Client }

// newPoster lets https:// reach public addresses and the allowed networks, http:// only the latter.
func newPoster(allow []netip.Prefix) *poster {
	secure, plain := controls(allow)
	return &poster{secure: newClient(secure), plain: newClient(plain)}
}

// control returns an error unless a resolved address may be dialed.
type control = func(network, address string, c syscall.RawConn) error

func controls(allow []netip.Prefix) (secure, plain control) {
	var four, six []netip.Prefix
	for _, prefix := range allow {
		if prefix.Addr().Is4() {
			four = append(four, prefix)
		} else {
			six = append(six, prefix)
		}
	}
	public := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(four...), ssrf.WithAllowedV6Prefixes(six...), ssrf.WithDeniedV4Prefixes(wireServer))
	return public.Safe, func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err == nil && !slices.ContainsFunc(allow, func(p netip.Prefix) bool { return p.Contains(at.Addr()) }) {
			err = errPlain
		}
		return err
	}
}

// newClient ignores proxies, which would connect in its place.
func newClient(may control) *http.Client {
	dialer := &net.Dialer{Timeout: connectTimeout, Control: may}
	return &http.Client{
		Timeout:       postTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: connectTimeout, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: maxHeaderBytes, DisableCompression: true, IdleConnTimeout: time.Minute,
		},
	}
}

// post sends a message once. It ignores shutdown: if the response were lost, another process would repeat the POST.
func (p *poster) post(to string, m *message, keys [][]byte) Attempt {
	began := time.Now()
	a := Attempt{Time: began.UTC().Truncate(time.Millisecond), Message: m.id, Events: m.events, After: m.after, Test: m.test, Resend: m.resend}
	answer, err := p.send(to, m, keys, began)
	a.Millis = time.Since(began).Milliseconds()
	if err != nil {
		a.Answer = printable(reason(err))
		return a
	}
	defer answer.Body.Close() //nolint:errcheck // what is not read does not count
	a.Status = answer.StatusCode
	if a.Status == http.StatusSwitchingProtocols { // the body is the connection, and reads have no timeout
		a.Answer = "it would speak another protocol"
		return a
	}
	beginning, _ := io.ReadAll(io.LimitReader(answer.Body, answerBytes)) // the status counts, however the rest ends
	a.Answer = printable(string(beginning))
	if location := answer.Header.Get("Location"); a.Status/100 == 3 {
		a.Answer = printable("redirects are not followed: to " + location)
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds > 0 {
		a.retry = min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	return a
}

func (p *poster) send(to string, m *message, keys [][]byte, at time.Time) (*http.Response, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, to, bytes.NewReader(m.body))
	if err != nil {
		return nil, err
	}
	client := p.plain
	if req.URL.Scheme == "https" { // url.Parse lowercases it
		client = p.secure
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Scorelay-Webhooks")
	m.sign(req.Header, keys, at)
	return client.Do(req)
}

// reason omits the URL from an error.
func reason(err error) string {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		err = of.Err
	}
	return err.Error()
}

// printable returns the start of a foreign text, with unprintable characters as spaces.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
	if len(text) > answerBytes {
		text = fmt.Sprintf("%.*s…", answerBytes, text)
	}
	return strings.TrimSpace(text)
}
