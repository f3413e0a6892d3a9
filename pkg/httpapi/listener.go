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

// A server that refuses a body it has not read, and closes, makes the kernel reset the connection, and the reset can
// overtake the answer: the caller sees a broken connection instead of a 413. So a connection that is closed on a caller
// who is still sending says first that nothing more will come, and listens on for a moment. What is read then is thrown away, on
// cores that all share, so it is bounded as bodies are: within Config.Linger a key may linger as often as it leaves free for others.
const (
	lingerBytes = 4 << 20 // of one connection
	maxLingers  = 64      // within Config.Linger; of connections beyond little is read, and they end after a quarter of the time
)

// conn is a connection to the API. One over which no valid API key came yet may be idle for a short time only.
type conn struct {
	net.Conn
	doors   *doors
	from    netip.Addr  // whose bound it counts for; the zero address: none's, since a trusted proxy opened it
	trusted bool        // a trusted proxy opened it
	known   atomic.Bool // a valid API key came over it, or a trusted proxy opened it

	since   time.Time     // when it was accepted
	keyless *list.Element // its place among those without a key; nil: none. Of the doors, as left
	key     string        // whose bound it counts for: that which came over it first; empty: none's. Of the doors, as keyless
	left    bool          // its place is given back

	heard bool // something was read, ever

	framing framing.Framing
	wrong   *framing.Flaw // of the request after those that were passed on; nothing is read any more
	told    bool          // the server has come to that request
	refused *Problem      // why its body may not come, where the flaw is framing.Refused
	hold    hold          // for the body in progress

	linger atomic.Bool
	once   sync.Once
}

// Read reads what is framed well. Of a request that is not the server gets the beginning, without the line that is wrong, and
// then an error: it answers that, and closes the connection. A caller that never said anything is no request that timed
// out: the connection just ends.
func (c *conn) Read(p []byte) (int, error) {
	if c.wrong != nil {
		c.told = true
		return 0, errMalformed
	}
	if c.framing.Between() { // all before is answered: fasthttp reads when it has nothing left
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

// LetIn decides about a body, before fasthttp knows of it.
func (c *conn) LetIn(target, key []byte, length uint64) bool {
	c.refused = c.doors.server.letIn(&c.hold, string(target), string(key), length)
	return c.refused == nil
}

// SetReadDeadline bounds how long the caller may take: less for its next request to begin, and for its head, while it showed no key.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.framing.InHead() && !c.known.Load() {
		if soon := time.Now().Add(c.doors.config.KeylessIdle); soon.Before(t) {
			t = soon
		}
	}
	return c.Conn.SetReadDeadline(t)
}

// Close closes the connection, after the caller has stopped sending if it lingers, and gives its place back.
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

// drainAndClose closes a connection when its caller has read what was written and stopped sending, or after the time. It reads so many bytes at most;
// a caller that sends more has the time to read the answer, since to close with bytes unread is what resets the connection.
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

// connOf is the request's connection; nil in tests that have none of ours.
func connOf(c *fiber.Ctx) *conn {
	known, _ := c.Context().Conn().(*conn)
	return known
}

// lingerOnClose has the request's connection linger when it is closed.
func lingerOnClose(c *fiber.Ctx) {
	if conn := connOf(c); conn != nil {
		conn.linger.Store(true)
	}
}
