package httpapi

import (
	"container/list"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/httpapi/internal/framing"
)

// If a server closes on an unread body, the kernel resets the connection. The reset can overtake the response, so
// that the caller sees a broken connection instead of a 413. So the API first closes its own direction and reads on
// for a moment: the connection lingers. This takes CPU time that all callers share. So within Config.Linger a key may
// have as many lingering connections as it leaves free for others.
const (
	lingerBytes = 4 << 20 // per connection
	// Connections that linger at once. Further ones are read only a little, for a quarter of the time.
	maxLingers = 64
)

// conn is a connection to the API. Until a valid API key comes over it, it may be idle only briefly.
type conn struct {
	net.Conn
	doors   *doors
	from    netip.Addr // the address group that it counts for; the zero Addr if trusted
	trusted bool
	known   atomic.Bool // a valid API key came over it, or it is trusted

	since   time.Time
	keyless *list.Element // element of doors.keyless, or nil. Guarded by doors.mu, like key and left
	key     string        // the first valid key, or empty
	left    bool          // its place is freed

	heard bool // the caller sent a byte

	framing framing.Framing
	wrong   *framing.Flaw // of the first refused request, after which reading stops; else nil
	told    bool          // the server has received errMalformed
	refused *Problem      // why its body is refused, if wrong is framing.Refused
	hold    hold          // for the body in progress

	linger atomic.Bool
	once   sync.Once
}

// Read passes on well-framed requests. Of a malformed request, the server gets the part before the bad line, and then
// an error. It responds to that error and closes the connection. If the caller never sent a byte, Read returns io.EOF
// instead of a timeout.
func (c *conn) Read(p []byte) (int, error) {
	if c.wrong != nil {
		c.told = true
		return 0, errMalformed
	}
	if c.framing.Between() { // all requests are answered, since fasthttp reads only when its buffer is empty
		c.doors.bodies.give(&c.hold, false)
	}
	n, err := c.Conn.Read(p)
	if n == 0 {
		if !c.heard && (errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed)) {
			return 0, io.EOF
		}
		return n, err
	}
	c.heard = true
	passed, wrong := c.framing.Follow(p[:n])
	if wrong == nil {
		return n, err
	}
	if c.wrong = wrong; wrong != framing.Refused {
		c.doors.malformed(wrong, c.Conn)
	}
	if passed == 0 {
		return c.Read(p)
	}
	return passed, nil
}

var errMalformed = errors.New("the request is not framed as HTTP/1.1, or its body may not come")

// LetIn implements framing.Gate, before fasthttp sees the body.
func (c *conn) LetIn(target, key []byte, length uint64) bool {
	c.refused = c.doors.server.letIn(&c.hold, string(target), string(key), length)
	return c.refused == nil
}

// SetReadDeadline limits how long the caller may take; until a valid key came, to KeylessIdle for the next request's
// head.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.framing.InHead() && !c.known.Load() {
		if soon := time.Now().Add(c.doors.config.KeylessIdle); soon.Before(t) {
			t = soon
		}
	}
	return c.Conn.SetReadDeadline(t)
}

// Close closes the connection and frees its place. If the connection lingers, Close first waits until the caller
// stops sending.
func (c *conn) Close() (err error) {
	c.once.Do(func() {
		defer c.doors.leave(c)
		c.doors.bodies.give(&c.hold, true)
		if !c.linger.Load() {
			err = c.Conn.Close()
			return
		}
		share := &hold{}
		if c.doors.lingers.take(share, c.hold.by, 1) != "" {
			err = drainAndClose(c.Conn, c.doors.config.Linger/4, smallBody)
			return
		}
		time.AfterFunc(c.doors.config.Linger, func() { c.doors.lingers.give(share, true) })
		err = drainAndClose(c.Conn, c.doors.config.Linger, lingerBytes)
	})
	return err
}

// drainAndClose closes a connection once its caller has stopped sending, or after within. It reads up to most bytes.
// If the caller sends more, it waits for the rest of the time, so that the caller can read the response.
func drainAndClose(c net.Conn, within time.Duration, most int64) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		until := time.Now().Add(within)
		_ = c.SetReadDeadline(until)
		if _, err := io.CopyN(io.Discard, c, most); err == nil {
			<-time.After(time.Until(until))
		}
	}
	return c.Close()
}

// connOf returns nil in some tests.
func connOf(c *fiber.Ctx) *conn {
	known, _ := c.Context().Conn().(*conn)
	return known
}

func lingerOnClose(c *fiber.Ctx) {
	if conn := connOf(c); conn != nil {
		conn.linger.Store(true)
	}
}
