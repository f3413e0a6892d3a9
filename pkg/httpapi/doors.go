package httpapi

import (
	"container/list"
	"errors"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/scorelay/scorelay/pkg/httpapi/internal/framing"
)

const (
	// Refused connections that are answered after their request; further ones are answered at once.
	maxRefusing  = 256
	refusingTime = time.Second          // for the request to arrive, and again for the response to be read
	logPause     = time.Minute          // between two log lines about the same subject
	keylessGrace = time.Second          // age from which a keyless connection gives up its place to a new one
	acceptPause  = 5 * time.Millisecond // of Accept while files or memory are short; doubles up to a second
)

// Limits that refuse a connection: label values of scorelay_api_connections_refused_total. shares also returns
// boundKey and boundAll.
const (
	boundKey     = "key"
	boundAddress = "address"
	boundAll     = "all"
	boundSystem  = "system"  // the system is out of files or memory
	boundKeyless = "keyless" // closed for a newer one: the API was full, and this was the oldest keyless one
)

// doors is a listener that limits connections: per address, per API key and in total. A refused connection gets a
// problem document.
type doors struct {
	net.Listener
	server  *Server
	bodies  *shares
	lingers *shares // counts lingering connections
	config  *Config
	metrics *metrics
	log     *slog.Logger
	ids     *requestIDs

	refusing chan struct{} // one element per refused connection that is being answered

	mu      sync.Mutex
	open    int
	of      map[netip.Addr]int // open connections, by address group
	ofKey   map[string]int     // by API key
	keyless list.List          // of *conn, oldest first
	quiet   map[string]silence // by subject of the log line
}

// silence counts suppressed log lines.
type silence struct {
	until time.Time
	times int
}

func newDoors(listener net.Listener, s *Server) *doors {
	return &doors{
		Listener: listener, server: s, bodies: s.bodies, config: &s.config, metrics: s.metrics, log: s.deps.Log, ids: s.ids,
		lingers:  &shares{most: maxLingers, of: map[string]int{}},
		refusing: make(chan struct{}, maxRefusing), of: map[netip.Addr]int{}, ofKey: map[string]int{}, quiet: map[string]silence{},
	}
}

// Accept returns the next connection that gets a place. While the system is out of files or memory, it retries, since
// closing connections free some.
func (d *doors) Accept() (net.Conn, error) {
	for pause := acceptPause; ; {
		raw, err := d.Listener.Accept()
		if exhausted(err) {
			d.refused(boundSystem, netip.Addr{}, "", err)
			<-time.After(pause)
			pause = min(2*pause, time.Second)
			continue
		}
		if err != nil {
			return nil, err
		}
		pause = acceptPause
		from := addressOf(raw)
		c := &conn{Conn: raw, doors: d, since: time.Now()}
		c.framing.Gate = c
		if c.trusted = d.config.trusts(from); c.trusted {
			c.known.Store(true)
		} else {
			c.from = group(from)
		}
		if bound := d.enter(c); bound != "" {
			d.refused(bound, from, "", nil)
			d.turnAway(raw, d.problemOf(bound))
			continue
		}
		return c, nil
	}
}

func exhausted(err error) bool {
	for _, code := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

func addressOf(c net.Conn) netip.Addr {
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// group returns the address that MaxPerAddress counts. For IPv6 it is the /64 of one subscriber.
func group(a netip.Addr) netip.Addr {
	if a.Is6() {
		return netip.PrefixFrom(a, 64).Masked().Addr()
	}
	return a
}

// enter takes a place for a connection, or returns the limit that it hit. If the API is full, it closes the oldest
// keyless connection, unless that one is so young that its first request may be on its way.
func (d *doors) enter(c *conn) (bound string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.from.IsValid() && d.of[c.from] >= d.config.MaxPerAddress {
		return boundAddress
	}
	if d.open >= d.config.MaxConnections {
		front := d.keyless.Front()
		if front == nil || c.since.Sub(front.Value.(*conn).since) < min(keylessGrace, d.config.KeylessIdle) {
			return boundAll
		}
		oldest := front.Value.(*conn)
		d.take(oldest)
		d.metrics.refused.WithLabelValues(boundKeyless).Inc()
		go func() { _ = oldest.Close() }() // asynchronous, since closing TLS may write first
	}
	d.open++
	if c.from.IsValid() {
		d.of[c.from]++
	}
	if !c.known.Load() {
		c.keyless = d.keyless.PushBack(c)
	}
	d.metrics.connections.Set(float64(d.open))
	return ""
}

// showedKey counts the connection for the first valid key that came over it. If the key is at its limit, it returns
// false, and the caller must close the connection.
func (d *doors) showedKey(c *conn, key string) bool {
	if c.known.Load() {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.left { // it is closing
		return true
	}
	if d.ofKey[key] >= d.config.MaxPerKey {
		return false
	}
	d.ofKey[key]++
	c.key = key
	c.known.Store(true)
	d.forget(c)
	return true
}

// forget drops c from the keyless ones. The caller holds the lock.
func (d *doors) forget(c *conn) {
	if c.keyless != nil {
		d.keyless.Remove(c.keyless)
		c.keyless = nil
	}
}

func (d *doors) leave(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.take(c)
	d.metrics.connections.Set(float64(d.open))
}

// take frees the connection's place, once. The caller holds the lock.
func (d *doors) take(c *conn) {
	if c.left {
		return
	}
	c.left = true
	d.forget(c)
	d.open--
	if c.from.IsValid() {
		if d.of[c.from]--; d.of[c.from] == 0 {
			delete(d.of, c.from)
		}
	}
	if c.key != "" {
		if d.ofKey[c.key]--; d.ofKey[c.key] == 0 {
			delete(d.ofKey, c.key)
		}
	}
}

// refused counts and logs a refused connection; key and err may be empty.
func (d *doors) refused(bound string, from netip.Addr, key string, err error) {
	d.metrics.refused.WithLabelValues(bound).Inc()
	times, open, ok := d.mayLog(bound)
	switch {
	case !ok:
	case err != nil:
		d.log.Warn("the system gives the API no connection; it tries again", "err", err, "times", times, "open", open)
	default:
		d.log.Warn("the API refuses connections: as many are open as may be", "bound", bound, "from", from.String(), "key", key, "times", times, "open", open)
	}
}

func (d *doors) malformed(wrong *framing.Flaw, c net.Conn) {
	d.metrics.malformed.WithLabelValues(wrong.Name).Inc()
	if times, _, ok := d.mayLog(wrong.Name); ok {
		d.log.Warn("the API refuses requests that are not framed well, and closes their connections", "flaw", wrong.Name, "from", addressOf(c).String(), "times", times)
	}
}

// mayLog reports whether to log a subject now, at most once per logPause. times is how often the subject occurred
// since its last line.
func (d *doors) mayLog(what string) (times, open int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.quiet[what]
	s.times++
	d.quiet[what] = s
	now := time.Now()
	if now.Before(s.until) {
		return 0, 0, false
	}
	d.quiet[what] = silence{until: now.Add(logPause)}
	return s.times, d.open, true
}

func (d *doors) problemOf(bound string) *Problem {
	p := temporary(codeConnectionsFull, retryAfterFailure, "")
	if bound == boundAddress {
		p = temporary(codeTooManyConnections, d.config.KeylessIdle, "at most "+strconv.Itoa(d.config.MaxPerAddress)+" connections")
	}
	p.Request = string(d.ids.next(nil))
	return p
}

// turnAway responds to a refused connection and closes it, asynchronously. If too many are being answered, it
// responds before the request arrives, and the response may be lost.
func (d *doors) turnAway(c net.Conn, p *Problem) {
	select {
	case d.refusing <- struct{}{}:
		go func() {
			defer func() { <-d.refusing }()
			_ = c.SetDeadline(time.Now().Add(refusingTime))
			// A client considers the connection broken if the response comes before it sent a request.
			if _, err := c.Read(make([]byte, maxHeaders)); err == nil {
				_, _ = c.Write(p.wire())
				_ = drainAndClose(c, refusingTime, lingerBytes)
				return
			}
			_ = c.Close()
		}()
	default:
		if plain, ok := c.(*net.TCPConn); ok { // without TLS only: a handshake would wait for the caller
			_ = plain.SetWriteDeadline(time.Now().Add(time.Millisecond))
			_, _ = plain.Write(p.wire())
		}
		_ = c.Close()
	}
}

// wire encodes the problem as the complete and last response of a connection.
func (p *Problem) wire() []byte {
	body, err := json.Marshal(p)
	if err != nil {
		return nil // unreachable: all fields can be encoded
	}
	head := "HTTP/1.1 " + strconv.Itoa(p.Status) + " " + p.Title + "\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\n" +
		requestIDHeader + ": " + p.Request + "\r\nX-Content-Type-Options: nosniff\r\nRetry-After: " + strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))) +
		"\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	return append([]byte(head), body...)
}
