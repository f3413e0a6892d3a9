package httpapi

import (
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
)

// A server that refuses a body it has not read, and closes, makes the kernel reset the connection, and the reset can
// overtake the answer: the caller sees a broken connection instead of a 413. So a connection that is closed on a caller
// who is still sending says first that nothing more will come, and listens on for a moment.
const (
	lingerTime  = 2 * time.Second
	lingerBytes = 16 << 20
)

// lingeringListener's connections can be told to close that way.
type lingeringListener struct{ net.Listener }

func (l lingeringListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lingeringConn{Conn: conn}, nil
}

type lingeringConn struct {
	net.Conn
	linger atomic.Bool
}

// Close closes the connection, after the caller has stopped sending if it lingers.
func (c *lingeringConn) Close() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.linger.Swap(false) && half.CloseWrite() == nil {
		_ = c.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	return c.Conn.Close()
}

// lingerOnClose has the request's connection linger when it is closed.
func lingerOnClose(c *fiber.Ctx) {
	if conn, ok := c.Context().Conn().(*lingeringConn); ok {
		conn.linger.Store(true)
	}
}
