package framing_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"github.com/scorelay/scorelay/pkg/httpapi/internal/framing"
)

// script is a connection whose caller has sent its bytes already; they arrive in pieces of the given sizes, which repeat.
type script struct {
	net.Conn // nil: nothing else is called
	rest     []byte
	pieces   []byte
	n        int
	framing  framing.Framing
	wrong    *framing.Flaw
}

func (s *script) Read(p []byte) (int, error) {
	if s.wrong != nil || len(s.rest) == 0 {
		return 0, io.EOF
	}
	size := len(s.rest)
	if len(s.pieces) > 0 {
		size = min(size, 1+int(s.pieces[s.n%len(s.pieces)]))
		s.n++
	}
	n := copy(p, s.rest[:size])
	s.rest = s.rest[n:]
	if n, s.wrong = s.framing.Follow(p[:n]); n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (s *script) Write(p []byte) (int, error)      { return len(p), nil }
func (s *script) Close() error                     { return nil }
func (s *script) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (s *script) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }

// seen is what two parsers must agree about.
type seen struct{ method, target, key, body string }

// FuzzFraming: any bytes, in any pieces: each request that is served is one that net/http, which reads the
// same bytes from the start, sees at the same place, with the same body and API key; and it has no trailer.
func FuzzFraming(f *testing.F) {
	for _, text := range []string{
		"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nX-API-KEY: k\r\n\r\n{}GET /b HTTP/1.0\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\nX-API-KEY: k\r\n\r\n",
		"\r\nPOST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
		"\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
		"\r\n\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-API-KEY: k\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nX: y\r\n Content-Length: 5\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\nContent-Length: 5\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}GET /b HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		f.Add([]byte(text), []byte{255})
		f.Add([]byte(text), []byte{0, 3, 11})
	}
	f.Fuzz(func(t *testing.T, text, pieces []byte) {
		var served []seen
		server := fasthttp.Server{
			Handler: func(c *fasthttp.RequestCtx) {
				h := &c.Request.Header
				served = append(served, seen{string(h.Method()), string(h.RequestURI()), string(h.Peek("X-API-KEY")), string(c.Request.Body())})
			},
			ReadBufferSize: 8 << 10, MaxRequestBodySize: 64 << 10, NoDefaultServerHeader: true, Logger: slog.NewLogLogger(slog.DiscardHandler, 0),
		}
		_ = server.ServeConn(&script{rest: bytes.Clone(text), pieces: pieces})

		r := bufio.NewReader(bytes.NewReader(text))
		for i, got := range served {
			if line, _ := r.Peek(2); string(line) == "\r\n" { // one may come before each, which net/http does not skip
				_, _ = r.Discard(2)
			}
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
