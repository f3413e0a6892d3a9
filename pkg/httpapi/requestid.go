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

// requestIDHeader is in every response. In a request, it counts only if a trusted proxy sent it.
const requestIDHeader = "X-Request-Id"

// maxRequestID bounds the id from a trusted proxy, in bytes. An id that is longer, or not a token, is replaced.
const maxRequestID = 128

// requestIDs generates ids that are unique across processes. They are public.
type requestIDs struct {
	process string
	n       atomic.Uint64
}

func newRequestIDs() *requestIDs {
	return &requestIDs{process: strings.ToLower(rand.Text()[:12]) + "-"}
}

func (r *requestIDs) next(b []byte) []byte {
	return strconv.AppendUint(append(b, r.process...), r.n.Add(1), 36)
}

// identify sets the request's id in the response header, from where all other code reads it.
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

func requestID(c *fiber.Ctx) string {
	return string(c.Response().Header.Peek(requestIDHeader))
}

func (s *Server) log(c *fiber.Ctx) *slog.Logger {
	return s.deps.Log.With("request", requestID(c))
}
