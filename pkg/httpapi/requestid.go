package httpapi

import (
	"crypto/rand"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/scorelay/scorelay/pkg/httpapi/internal/framing"
)

// requestIDHeader carries the id of a request: in answers always, in requests where a trusted proxy made it.
const requestIDHeader = "X-Request-Id"

// maxRequestID bounds the id that a trusted proxy may give, bytes. One that is longer, or no token, is replaced.
const maxRequestID = 128

// requestIDs are unique among all processes. They say nothing and are no secret.
type requestIDs struct {
	process string
	n       atomic.Uint64
}

func newRequestIDs() *requestIDs {
	return &requestIDs{process: strings.ToLower(rand.Text()[:12]) + "-"}
}

// next writes another id to b.
func (r *requestIDs) next(b []byte) []byte {
	return strconv.AppendUint(append(b, r.process...), r.n.Add(1), 36)
}

// identify gives the request its id, in the answer's header, where all who need it read it.
func (s *Server) identify(ctx *fasthttp.RequestCtx) {
	if conn, ok := ctx.Conn().(*conn); ok && conn.trusted {
		if id := ctx.Request.Header.Peek(requestIDHeader); len(id) <= maxRequestID && framing.IsToken(id) {
			ctx.Response.Header.SetBytesV(requestIDHeader, id)
			return
		}
	}
	var b [32]byte
	ctx.Response.Header.SetBytesV(requestIDHeader, s.ids.next(b[:0]))
}

// requestID is the id of a request that has one.
func requestID(c *fiber.Ctx) string {
	return string(c.Response().Header.Peek(requestIDHeader))
}

// log is for lines about one request.
func (s *Server) log(c *fiber.Ctx) *slog.Logger {
	return s.deps.Log.With("request", requestID(c))
}
