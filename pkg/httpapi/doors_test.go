package httpapi_test

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
)

const livez = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"

// line is a connection that a test writes to as it likes.
type line struct {
	net.Conn
	b *bench
	r *bufio.Reader
}

// dial opens a connection from one of this machine's addresses.
func (b *bench) dial(from string) *line {
	b.t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := dialer.DialContext(b.t.Context(), "tcp", strings.TrimPrefix(b.url, "http://"))
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = c.Close() })
	require.NoError(b.t, c.SetDeadline(time.Now().Add(2*time.Minute)))
	return &line{Conn: c, b: b, r: bufio.NewReader(c)}
}

// begin opens a connection and writes to it.
func (b *bench) begin(text string) *line {
	b.t.Helper()
	l := b.dial(loopback)
	l.write(text)
	return l
}

func (l *line) write(text string) {
	l.b.t.Helper()
	_, err := io.WriteString(l, text)
	require.NoError(l.b.t, err)
}

// ask writes and reads one answer.
func (l *line) ask(text string) response {
	l.b.t.Helper()
	l.write(text)
	return l.answer()
}

func (l *line) answer() response {
	l.b.t.Helper()
	res, err := http.ReadResponse(l.r, nil)
	require.NoError(l.b.t, err)
	return read(l.b.t, res)
}

// ends waits until the API closes the connection, without another word.
func (l *line) ends() {
	l.b.t.Helper()
	rest, err := io.ReadAll(l.r)
	require.NoError(l.b.t, err)
	require.Empty(l.b.t, string(rest))
}

// keyed is a look-up that needs the bench's key.
func (b *bench) keyed() string {
	return "GET /projects/0x12 HTTP/1.1\r\nHost: x\r\nX-API-KEY: " + b.secret.Reveal() + "\r\n\r\n"
}

const loopback, another = "127.0.0.1", "127.0.0.2"

// TestOneAddressDoesNotShutTheAPIOff: idle connections of one address take the places of that address and no others.
func TestOneAddressDoesNotShutTheAPIOff(t *testing.T) {
	const most = 20
	b := newBench(t, func(s *setup) { s.config.MaxPerAddress, s.config.KeylessIdle = most, time.Minute })
	first := b.dial(loopback)
	require.Equal(t, "ok\n", first.ask(livez).raw)
	for range most - 1 {
		require.Equal(t, "ok\n", b.dial(loopback).ask(livez).raw)
	}
	for range 2 * most { // these are idle; they are told when they ask
		b.dial(loopback)
	}
	for range most {
		l := b.dial(loopback)
		r := l.ask(livez)
		require.Equal(t, "too_many_connections", r.code())
		require.Equal(t, "60", r.header.Get("Retry-After"), "so long an idle connection takes a place")
		l.ends()
	}
	require.Equal(t, "ok\n", b.dial(another).ask(livez).raw, "another address is answered")
	require.EqualValues(t, most+1, b.count("scorelay_api_connections"))
	require.EqualValues(t, 3*most, b.count("scorelay_api_connections_refused_total"))
	_ = first.Close()
	require.Eventually(t, func() bool { return b.dial(loopback).ask(livez).status == http.StatusOK }, 2*time.Minute, time.Millisecond,
		"a connection that is closed leaves its place to another")
}

// TestOneKeyDoesNotTakeAllPlaces: a key has so many connections, from however many addresses; another key is served, one more connection of
// the first is told and closed, and a trusted proxy's count for none.
func TestOneKeyDoesNotTakeAllPlaces(t *testing.T) {
	const most = 4
	var log fresh.Log
	b := newBench(t, func(s *setup) {
		s.config.MaxPerKey, s.config.MaxConnections, s.config.KeylessIdle, s.config.Idle = most, 8*most, time.Minute, 40*time.Second
		s.config.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}
		s.log = slog.NewTextHandler(&log, nil)
	})
	from := []string{loopback, another, "127.0.0.3"}
	var lines []*line
	for i := range most {
		lines = append(lines, b.dial(from[i%len(from)]))
		require.Equal(t, "invalid_path", lines[i].ask(b.keyed()).code())
	}
	body := "POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nX-API-KEY: " + b.secret.Reveal() + "\r\n\r\n{}"
	for i, ask := range []string{b.keyed(), body, b.keyed() + b.keyed()} {
		l := b.dial(from[i])
		require.Equal(t, "ok\n", l.ask(livez).raw, "it has a place until it shows the key")
		r := l.ask(ask)
		require.Equal(t, "too_many_connections", r.code())
		require.Equal(t, "40", r.header.Get("Retry-After"), "so long an idle connection takes a place")
		require.Contains(t, r.raw, "at most 4 of one key")
		l.ends()
	}
	require.EqualValues(t, 3, b.count("scorelay_api_connections_refused_total"))
	require.Equal(t, 1, strings.Count(log.String(), "bound=key"), log.String())
	require.NotContains(t, log.String(), b.secret.Reveal())

	second, _ := b.key("second", apikey.Terms{})
	other := strings.Replace(b.keyed(), b.secret.Reveal(), second.Reveal(), 1)
	for range most {
		require.Equal(t, "invalid_path", b.dial(loopback).ask(other).code(), "another key is served")
	}
	for range 2 * most {
		require.Equal(t, "invalid_path", b.dial("127.0.0.9").ask(b.keyed()).code(), "a proxy's connection may be many callers'")
	}
	for _, l := range lines {
		require.Equal(t, "invalid_path", l.ask(b.keyed()).code(), "those that are open are served")
	}
	_ = lines[0].Close()
	require.Eventually(t, func() bool { return b.dial(loopback).ask(b.keyed()).code() == "invalid_path" }, 2*time.Minute, time.Millisecond,
		"a connection that is closed leaves its place to another")
}

// TestAllConnectionsAreBounded: also those of trusted proxies; and the log is told of it once.
func TestAllConnectionsAreBounded(t *testing.T) {
	var log fresh.Log
	b := newBench(t, func(s *setup) {
		s.config.MaxConnections, s.config.MaxPerAddress, s.config.KeylessIdle = 5, 2, time.Minute
		s.config.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
		s.log = slog.NewTextHandler(&log, nil)
	})
	for range 5 {
		require.Equal(t, "ok\n", b.dial(another).ask(livez).raw, "a trusted proxy may have more than an address")
	}
	for range 10 {
		for _, from := range []string{loopback, another} {
			l := b.dial(from)
			r := l.ask(livez)
			require.Equal(t, "connections_full", r.code())
			l.ends()
		}
	}
	require.Equal(t, 1, strings.Count(log.String(), "the API refuses connections"), log.String())
	require.Contains(t, log.String(), "bound=all")
}

// TestConnectionsThatArriveTogetherKeepToTheBound: as many as may be are served, and each of the others is told.
func TestConnectionsThatArriveTogetherKeepToTheBound(t *testing.T) {
	const most, all = 8, 64
	b := newBench(t, func(s *setup) { s.config.MaxPerAddress, s.config.KeylessIdle = most, time.Minute })
	var served, refused atomic.Int64
	var asking sync.WaitGroup
	for range all {
		asking.Go(func() {
			switch r := b.dial(loopback).ask(livez); r.status {
			case http.StatusOK:
				served.Add(1)
			case http.StatusTooManyRequests:
				refused.Add(1)
			}
		})
	}
	asking.Wait()
	require.EqualValues(t, most, served.Load())
	require.EqualValues(t, all-most, refused.Load())
}

// TestAConnectionWithoutAKeyIsNotKept: it may be idle for a short time, one that showed a valid key for long. One over
// which nothing came ends without a word.
func TestAConnectionWithoutAKeyIsNotKept(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.KeylessIdle = 2 * time.Second })
	known := b.dial(loopback)
	require.Equal(t, "invalid_path", known.ask(b.keyed()).code())
	silent, keyless := b.dial(loopback), b.dial(loopback)
	require.Equal(t, "ok\n", keyless.ask(livez).raw)
	guessing := b.dial(loopback)
	require.Equal(t, "invalid_api_key", guessing.ask("GET /projects/0x12 HTTP/1.1\r\nHost: x\r\nX-API-KEY: guess\r\n\r\n").code())
	silent.ends()
	keyless.ends()
	guessing.ends()
	require.Equal(t, "invalid_path", known.ask(b.keyed()).code(), "this one is still there")
}

// TestConnectionsWithoutAKeyMakeRoom: where all places are taken, by any number of addresses, the oldest connection without a key
// gives its own up to a new one; those that showed a key stay.
func TestConnectionsWithoutAKeyMakeRoom(t *testing.T) {
	const most = 6
	b := newBench(t, func(s *setup) { s.config.MaxConnections, s.config.KeylessIdle = most, time.Minute })
	known := b.dial(loopback)
	require.Equal(t, "invalid_path", known.ask(b.keyed()).code())
	var keyless []*line
	for range most - 1 {
		keyless = append(keyless, b.dial(loopback))
		require.Equal(t, "ok\n", keyless[len(keyless)-1].ask(livez).raw)
	}
	require.Equal(t, "connections_full", b.dial(another).ask(b.keyed()).code(), "all of them may be about to show a key")
	for range most - 1 {
		require.Eventually(t, func() bool {
			return b.dial(another).ask(b.keyed()).code() == "invalid_path"
		}, 2*time.Minute, 10*time.Millisecond)
	}
	for _, l := range keyless {
		l.ends()
	}
	require.Equal(t, "connections_full", b.dial(another).ask(b.keyed()).code(), "no place is left without a key")
	require.Equal(t, "invalid_path", known.ask(b.keyed()).code())
	require.EqualValues(t, most, b.count("scorelay_api_connections"))
}

// TestABodyMayTakeItsTime: the short time is for a request to begin, not for the body of one that showed a valid key.
func TestABodyMayTakeItsTime(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.KeylessIdle = 2 * time.Second })
	l := b.dial(loopback)
	l.write("POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nX-API-KEY: " + b.secret.Reveal() + "\r\n\r\n{")
	b.dial(loopback).ends() // so the short time is over
	require.Equal(t, "invalid_body", l.ask("}").code())
}

// shortOfFiles is a listener of a system that is out of files for a while.
type shortOfFiles struct {
	net.Listener
	left atomic.Int64
}

func (l *shortOfFiles) Accept() (net.Conn, error) {
	if l.left.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// TestASystemOutOfFilesDoesNotEndTheAPI: it accepts again when there are some.
func TestASystemOutOfFilesDoesNotEndTheAPI(t *testing.T) {
	b := newBench(t, func(s *setup) {
		s.listen = func(l net.Listener) net.Listener {
			short := &shortOfFiles{Listener: l}
			short.left.Store(3)
			return short
		}
	})
	require.Equal(t, "ok\n", b.dial(loopback).ask(livez).raw)
	require.EqualValues(t, 3, b.count("scorelay_api_connections_refused_total"))
}
