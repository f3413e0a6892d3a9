package httpapi

import (
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"github.com/scorelay/scorelay/pkg/httpapi/internal/framing"
)

// script is a connection whose caller sends the same request again and again, when the one before is answered.
type script struct {
	net.Conn // nil: nothing else is called
	text     []byte
	left     int
}

func (s *script) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	s.left--
	return copy(p, s.text), nil
}

func (s *script) Write(p []byte) (int, error)      { return len(p), nil }
func (s *script) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (s *script) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (s *script) Close() error                     { return nil }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }

func newTestServer() *Server {
	return &Server{
		config: Config{}.withDefaults(), metrics: newMetrics(prometheus.NewRegistry()), ids: newRequestIDs(),
		deps: Deps{Log: slog.New(slog.DiscardHandler)},
	}
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
		require.NoError(b, server.ServeConn(wrap(&script{text: typical, left: b.N})))
	}
	b.Run("without", func(b *testing.B) {
		serve(b, func(c net.Conn) net.Conn { return c }, func(*fasthttp.Server) {})
	})
	b.Run("with", func(b *testing.B) {
		serve(b, func(c net.Conn) net.Conn {
			guarded := &conn{Conn: c, doors: doors}
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
		var f framing.Framing
		b.SetBytes(int64(len(typical)))
		b.ReportAllocs()
		for b.Loop() {
			if _, wrong := f.Follow(typical); wrong != nil {
				b.Fatal(wrong)
			}
		}
	})
}
