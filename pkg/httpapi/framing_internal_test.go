package httpapi

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// script is a connection whose caller has sent its bytes already; they arrive in pieces of the given sizes, which repeat.
type script struct {
	net.Conn // nil: nothing else is called
	text     []byte
	pieces   []byte
	n        int
	again    int // how often text comes again, whole
	rest     []byte
}

func (s *script) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		if s.again == 0 {
			return 0, io.EOF
		}
		s.again--
		s.rest = s.text
	}
	size := len(s.rest)
	if len(s.pieces) > 0 {
		size = min(size, 1+int(s.pieces[s.n%len(s.pieces)]))
		s.n++
	}
	n := copy(p, s.rest[:size])
	s.rest = s.rest[n:]
	return n, nil
}

func (s *script) Write(p []byte) (int, error)      { return len(p), nil }
func (s *script) Close() error                     { return nil }
func (s *script) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (s *script) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (s *script) SetDeadline(time.Time) error      { return nil }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }

func newTestServer() *Server {
	return &Server{
		config: Config{}.withDefaults(), metrics: newMetrics(prometheus.NewRegistry()), ids: newRequestIDs(),
		deps: Deps{Log: slog.New(slog.DiscardHandler)},
	}
}

// seen is what two parsers must agree about.
type seen struct{ method, target, key, body string }

// FuzzFraming: any bytes, in any pieces: each request that is served is one that net/http, which reads the
// same bytes from the start, sees at the same place, with the same body and API key; and it has no trailer.
func FuzzFraming(f *testing.F) {
	for _, text := range []string{
		"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nX-API-KEY: k\r\n\r\n{}GET /b HTTP/1.0\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\nX-API-KEY: k\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-API-KEY: k\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nX: y\r\n Content-Length: 5\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\nContent-Length: 5\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}GET /b HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		f.Add([]byte(text), []byte{255})
		f.Add([]byte(text), []byte{0, 3, 11})
	}
	doors := newDoors(nil, newTestServer())
	f.Fuzz(func(t *testing.T, text, pieces []byte) {
		var served []seen
		server := fasthttp.Server{
			Handler: func(c *fasthttp.RequestCtx) {
				h := &c.Request.Header
				served = append(served, seen{string(h.Method()), string(h.RequestURI()), string(h.Peek("X-API-KEY")), string(c.Request.Body())})
			},
			ReadBufferSize: maxHeaders, MaxRequestBodySize: 64 << 10, NoDefaultServerHeader: true, Logger: slog.NewLogLogger(slog.DiscardHandler, 0),
		}
		c := &conn{Conn: &script{text: text, pieces: pieces, again: 1}, doors: doors, idle: true}
		require.Empty(t, doors.enter(c))
		_ = server.ServeConn(c)

		r := bufio.NewReader(bytes.NewReader(text))
		for i, got := range served {
			req, err := http.ReadRequest(r)
			if errors.As(err, new(*url.Error)) {
				return // it reads targets, too: /% is one here, and no path
			}
			require.NoError(t, err, "request %d: %+v", i, got)
			body, err := io.ReadAll(req.Body)
			require.NoError(t, err, "request %d: %+v", i, got)
			require.Equal(t, seen{req.Method, req.RequestURI, req.Header.Get("X-API-KEY"), string(body)}, got)
			require.Empty(t, req.Trailer)
		}
	})
}

// typical is a request as backends send them.
var typical = func() []byte {
	body := `{"updateId":"0x` + strings.Repeat("ab", 32) + `","projectId":"0x` + strings.Repeat("cd", 32) + `","actionName":"buy","scoreType":"reputation","targetWallet":"0x` +
		strings.Repeat("ef", 20) + `","message":"1700000000000","signature":"0x` + strings.Repeat("12", 65) + `"}`
	return []byte("POST /livez HTTP/1.1\r\nHost: api.example.com:8080\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\nAccept-Encoding: identity\r\nContent-Type: application/json\r\nX-API-KEY: scorelay_" + strings.Repeat("k", 43) + "\r\n\r\n" + body)
}()

// BenchmarkDoors is what a request costs from its bytes to an answer of a few bytes: without doors, with them and an id, and
// what of it is the check of the framing. The connection is none of the kernel's, which would hide the difference.
func BenchmarkDoors(b *testing.B) {
	s := newTestServer()
	doors := newDoors(nil, s)
	serve := func(b *testing.B, wrap func(net.Conn) net.Conn, change func(*fasthttp.Server)) {
		server := fasthttp.Server{
			Handler:     func(c *fasthttp.RequestCtx) { c.SetStatusCode(200) },
			ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute, ReadBufferSize: maxHeaders,
		}
		change(&server)
		b.ReportAllocs()
		b.ResetTimer()
		require.NoError(b, server.ServeConn(wrap(&script{text: typical, again: b.N})))
	}
	b.Run("without", func(b *testing.B) {
		serve(b, func(c net.Conn) net.Conn { return c }, func(*fasthttp.Server) {})
	})
	b.Run("with", func(b *testing.B) {
		serve(b, func(c net.Conn) net.Conn {
			guarded := &conn{Conn: c, doors: doors, idle: true}
			require.Empty(b, doors.enter(guarded))
			return guarded
		}, func(server *fasthttp.Server) {
			handle := server.Handler
			server.Handler = func(c *fasthttp.RequestCtx) { s.identify(c); handle(c) }
			server.HeaderReceived = func(*fasthttp.RequestHeader) fasthttp.RequestConfig {
				return fasthttp.RequestConfig{ReadTimeout: 10 * time.Second}
			}
		})
	})
	b.Run("framing", func(b *testing.B) {
		var f framing
		b.SetBytes(int64(len(typical)))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, wrong := f.follow(typical); wrong != nil {
				b.Fatal(wrong)
			}
		}
	})
}
