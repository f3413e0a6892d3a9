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

// Bounds of the answers to connections for which there is no place.
const (
	maxRefusing  = 256                  // that are answered at once, each when its request has come; more are answered unasked
	refusingTime = time.Second          // for the request to come, and as long again for the answer to be read
	logPause     = time.Minute          // between two lines of the log about the same
	keylessGrace = time.Second          // after which a connection that showed no key gives its place up to a new one
	acceptPause  = 5 * time.Millisecond // before the next try where the system gave no connection, doubled up to a second
)

// What keeps a connection out: the labels of scorelay_api_connections_refused_total. boundKey and boundAll are also the
// bounds of shares.
const (
	boundKey     = "key"     // its API key has as many as it may, or as much
	boundAddress = "address" // its address has as many as it may
	boundAll     = "all"     // there are as many as there may be, or as much
	boundSystem  = "system"  // the system has no file or memory for it
	boundKeyless = "keyless" // there are as many as there may be, and this one is the oldest without a key
)

// doors are a listener whose connections are bounded, by address, by API key and in all. One that is refused gets a problem document.
type doors struct {
	net.Listener
	server  *Server
	bodies  *shares
	lingers *shares // of connections
	config  *Config
	metrics *metrics
	log     *slog.Logger
	ids     *requestIDs

	refusing chan struct{} // one for each refused connection that is being answered

	mu      sync.Mutex
	open    int                // connections
	of      map[netip.Addr]int // of them, those of an address
	ofKey   map[string]int     // of them, those of an API key
	keyless list.List          // of them, those that showed no valid key (*conn), the oldest first
	quiet   map[string]silence // by what the log was told of
}

// silence is what the log was not told yet.
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

// Accept returns the next connection for which there is a place. A system that is out of files or memory ends nothing:
// connections that close give some back.
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

// exhausted tells whether an error of Accept ends by itself.
func exhausted(err error) bool {
	for _, code := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// addressOf is who opened the connection; the zero address where that is no IP address.
func addressOf(c net.Conn) netip.Addr {
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// group is what the bound of an address is applied to: an address of IPv4, or the /64 that a subscriber of IPv6 has to himself.
func group(a netip.Addr) netip.Addr {
	if a.Is6() {
		return netip.PrefixFrom(a, 64).Masked().Addr()
	}
	return a
}

// enter takes a place for a connection, or tells which bound is reached. Where all places are taken, the connection that has been
// there the longest without showing a key gives its own up, unless it is so new that its first request may be on its way.
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
		go func() { _ = oldest.Close() }() // TLS may have something to say first
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

// showedKey notes that a valid key came over the connection: it counts for the first one that does. False: the key has as many
// as it may, so this one is to be closed.
func (d *doors) showedKey(c *conn, key string) bool {
	if c.known.Load() {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.left { // it is being closed
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

// forget takes the connection from those without a key. The caller holds the lock.
func (d *doors) forget(c *conn) {
	if c.keyless != nil {
		d.keyless.Remove(c.keyless)
		c.keyless = nil
	}
}

// leave gives a place back.
func (d *doors) leave(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.take(c)
	d.metrics.connections.Set(float64(d.open))
}

// take takes the connection's place from it, once. The caller holds the lock.
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

// refused counts a connection that found no place; key is whose it was, if that is known.
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

// malformed counts a request that is not framed well.
func (d *doors) malformed(wrong *framing.Flaw, c net.Conn) {
	d.metrics.malformed.WithLabelValues(wrong.Name).Inc()
	if times, _, ok := d.mayLog(wrong.Name); ok {
		d.log.Warn("the API refuses requests that are not framed well, and closes their connections", "flaw", wrong.Name, "from", addressOf(c).String(), "times", times)
	}
}

// mayLog tells whether the log shall be told of something now: the first time, and then once a minute how many times it was
// since.
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

// turnAway answers a connection for which there is no place and closes it. It does not wait for the caller: where too many
// are being answered already, the answer goes before the request came, and may be lost.
func (d *doors) turnAway(c net.Conn, p *Problem) {
	select {
	case d.refusing <- struct{}{}:
		go func() {
			defer func() { <-d.refusing }()
			_ = c.SetDeadline(time.Now().Add(refusingTime))
			// A client that reads an answer before it has asked takes the connection for broken.
			if _, err := c.Read(make([]byte, maxHeaders)); err == nil {
				_, _ = c.Write(p.wire())
				_ = drainAndClose(c, refusingTime, lingerBytes)
				return
			}
			_ = c.Close()
		}()
	default:
		if plain, ok := c.(*net.TCPConn); ok { // what TLS would need of the caller first, no one waits for here
			_ = plain.SetWriteDeadline(time.Now().Add(time.Millisecond))
			_, _ = plain.Write(p.wire())
		}
		_ = c.Close()
	}
}

// wire is the problem as the whole answer to a connection that is closed after it.
func (p *Problem) wire() []byte {
	body, err := json.Marshal(p)
	if err != nil {
		return nil // no field of a Problem fails
	}
	head := "HTTP/1.1 " + strconv.Itoa(p.Status) + " " + p.Title + "\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\n" +
		requestIDHeader + ": " + p.Request + "\r\nX-Content-Type-Options: nosniff\r\nRetry-After: " + strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))) +
		"\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	return append([]byte(head), body...)
}
