package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	lastEventID   = "Last-Event-ID"
	eventsAtOnce  = 100             // per read and write
	eventPause    = time.Second     // after a failed read of the ledger
	comeBack      = 2 * time.Second // before clients reopen an ended stream
	streamsShare  = 4               // one key, and one address, may have 1/streamsShare of all streams
	streamRetries = 15 * time.Second
	pageBeats     = 4 // heartbeats until a page's stream ends; its script reopens it if the session is valid
)

// Reasons for the end of a stream: label values of scorelay_api_event_streams_ended_total.
const (
	endedByClient   = "client" // closed the connection, or stopped reading
	endedByKey      = "key"    // revoked, expired, or bound to other projects
	endedByPage     = "page"   // the cookie must be checked again
	endedByShutdown = "shutdown"
	endedByReorg    = "replaced" // a reorg replaced the cursor's block, and the ledger dropped the rewind
)

type streamMetrics struct {
	open        prometheus.Gauge
	ended, told *prometheus.CounterVec // streams by reason; events by type
}

func newStreamMetrics(with promauto.Factory) *streamMetrics {
	m := &streamMetrics{
		open: with.NewGauge(prometheus.GaugeOpts{Name: "scorelay_api_event_streams", Help: "Streams of events that are open."}),
		ended: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_event_streams_ended_total", Help: "Streams of events that ended, by why: client (it closed, or did not read), key (revoked, expired, or of other projects now), page (each of the page does after a minute, to be opened again by who is still signed in), shutdown (of this process), replaced (its cursor was replaced by a reorg that the ledger does not tell of any more).",
		}, []string{"why"}),
		told: with.NewCounterVec(prometheus.CounterOpts{
			Name: "scorelay_api_events_told_total", Help: "Events that streams were sent, by type.",
		}, []string{"type"}),
	}
	for _, why := range []string{endedByClient, endedByKey, endedByPage, endedByShutdown, endedByReorg} {
		m.ended.WithLabelValues(why)
	}
	return m
}

var (
	errRevoked = errors.New("the key may not read the project any more")
	// errSession ends a page's stream: the browser must send its session again.
	errSession = errors.New("the session is to be looked at again")
)

// streams limits the open event streams: per key, per address and in total.
type streams struct {
	most int

	mu   sync.Mutex
	open int
	of   map[any]int // open streams, by key (string) and by address (netip.Addr)
}

func (s *streams) enter(key string, from netip.Addr) (leave func(), p *Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	share := max(1, s.most/streamsShare)
	switch {
	case s.of[key] >= share:
		return nil, temporary(codeTooManyStreams, streamRetries, fmt.Sprintf("at most %d of one key", share))
	case from.IsValid() && s.of[from] >= share: // invalid for a trusted proxy, which has no limit
		return nil, temporary(codeTooManyStreams, streamRetries, fmt.Sprintf("at most %d of one address", share))
	case s.open >= s.most:
		return nil, temporary(codeOverloaded, streamRetries, fmt.Sprintf("%d streams of events are open", s.open))
	}
	s.count(1, key, from)
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.count(-1, key, from)
	}), nil
}

// count adds n streams. The caller holds the lock.
func (s *streams) count(n int, key string, from netip.Addr) {
	s.open += n
	for _, of := range []any{key, from} {
		if s.of[of] += n; s.of[of] == 0 {
			delete(s.of, of)
		}
	}
}

func (s *Server) events(c *fiber.Ctx, by *caller) *Problem { return s.eventsFor(c, by, math.MaxInt64) }

// pageEvents is events for the page. The server cannot notice a sign-out or a session's end. So the stream is short,
// and the browser's next request shows whether its cookie is valid.
func (s *Server) pageEvents(c *fiber.Ctx, by *caller) *Problem {
	return s.eventsFor(c, by, pageBeats*s.config.Heartbeat)
}

func (s *Server) eventsFor(c *fiber.Ctx, by *caller, life time.Duration) *Problem {
	rec, p := s.recordParam(c, by)
	if p != nil {
		return p
	}
	at, p := s.eventsFrom(c, by)
	if p != nil {
		return p
	}
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("X-Accel-Buffering", "no") // disables nginx's buffering
	conn := connOf(c)
	if conn == nil || c.Method() == fiber.MethodHead {
		return nil
	}
	leave, p := s.streams.enter(by.Key, conn.from)
	if p != nil {
		return p
	}
	e := &eventStream{Server: s, key: by.Key, conn: conn, secret: strings.Clone(c.Get("X-API-KEY")), project: rec.ID, at: at, life: life, log: s.log(c)}
	ctx := c.Context()
	ctx.SetConnectionClose() // later reads only detect the client's end, so the connection closes
	stream := func(w *bufio.Writer) {
		defer leave()
		defer func() {
			if r := recover(); r != nil {
				e.log.Error("a stream of events panicked; the API ends it and continues", "project", e.project, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			}
		}()
		e.run(w)
	}
	if ctx.Request.Header.IsHTTP11() {
		ctx.SetBodyStreamWriter(stream)
		return nil
	}
	leave() // else it is lost if the connection ends before the hijack, which enters again
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(hijacked net.Conn) { // HTTP/1.0 has no chunks: the body ends with the connection
		if leave, p = e.streams.enter(e.key, e.conn.from); p != nil {
			return
		}
		ctx.Response.Header.SetContentLength(-2) // neither a length nor chunks
		w := bufio.NewWriter(hijacked)
		_, _ = w.Write(ctx.Response.Header.Header())
		stream(w)
	})
	return nil
}

// eventsFrom returns the request's cursor: a reconnecting client's last event id, else the parameter after, else the
// end. To start before the end may take the chain's logs, so it costs as much as a history.
func (s *Server) eventsFrom(c *fiber.Ctx, by *caller) (at event.Cursor, p *Problem) {
	q := queryOf(c, "after")
	text := strings.Clone(c.Get(lastEventID))
	if text == "" {
		text = strings.Clone(q.values["after"])
	}
	if q.wrong != nil {
		return at, q.wrong
	}
	ctx, cancel := context.WithTimeout(s.life, readTimeout)
	defer cancel()
	var err error
	if text == "" || text == "now" {
		at, err = s.deps.Events.End(ctx)
	} else if p := s.countAs(c, by, historyCost); p != nil {
		return at, p
	} else if at, err = event.ParseCursor(text); err == nil {
		err = s.deps.Events.Holds(ctx, at)
	}
	switch {
	case errors.Is(err, event.ErrNotCursor):
		return at, problem(codeInvalidQuery, "after, or the header "+lastEventID+", "+err.Error()+", or now")
	case errors.Is(err, event.ErrReplaced):
		return at, problem(codeCursorReplaced, "")
	case errors.Is(err, event.ErrAhead):
		return at, temporary(codeChainUnavailable, retryAfterFailure, err.Error())
	case err != nil:
		s.log(c).Warn("the API could not read where a stream of events begins; it asks the caller to retry", "err", err)
		return at, temporary(codeChainUnavailable, retryAfterFailure, "")
	}
	return at, nil
}

type eventStream struct {
	*Server

	key     string
	conn    *conn
	secret  string
	project score.ProjectID
	at      event.Cursor
	life    time.Duration
	log     *slog.Logger
}

func (e *eventStream) run(w *bufio.Writer) {
	ctx, stop := context.WithTimeoutCause(event.AsReader(e.streaming, e.key), e.life, errSession)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go e.awaitEnd(cancel)
	e.metrics.streams.open.Inc()
	defer e.metrics.streams.open.Dec()
	err := e.tell(ctx, w)
	why := endedByClient
	switch {
	case e.streaming.Err() != nil:
		why = endedByShutdown
	case errors.Is(err, errRevoked):
		why = endedByKey
	case errors.Is(err, errSession):
		why = endedByPage
	case errors.Is(err, event.ErrReplaced):
		why = endedByReorg
		e.log.Warn("the API ended a stream of events, since the ledger does not know its cursor any more, whose block the chain replaced; its client begins again", "project", e.project, "err", err)
	}
	e.metrics.streams.ended.WithLabelValues(why).Inc()
}

func (e *eventStream) awaitEnd(end context.CancelCauseFunc) {
	_ = e.conn.Conn.SetReadDeadline(time.Time{})
	_, err := e.conn.Conn.Read(make([]byte, 1))
	end(fmt.Errorf("the client ended the stream: %w", err))
}

// A stream sends the project's events. At least every Heartbeat it also sends the current cursor, so that a
// reconnecting client has little to read again.
func (e *eventStream) tell(ctx context.Context, w *bufio.Writer) error {
	text := []byte(fmt.Sprintf("retry: %d\nid: %s\n\n", comeBack.Milliseconds(), e.at))
	for {
		// The deadline disconnects a client that stopped reading; the client can resume from its cursor.
		_ = e.conn.SetWriteDeadline(time.Now().Add(e.config.ReadTimeout))
		_, _ = w.Write(text)
		if err := w.Flush(); err != nil {
			return err
		}
		events, err := e.next(ctx)
		if err != nil {
			return err
		}
		if text, err = e.lines(events); err != nil {
			return err
		}
		for i := range events {
			e.metrics.streams.told.WithLabelValues(string(events[i].Type)).Inc()
		}
	}
}

// next waits up to a Heartbeat for the next events, and moves e.at behind them.
func (e *eventStream) next(ctx context.Context) ([]event.Event, error) {
	beat, cancel := context.WithTimeout(ctx, e.config.Heartbeat)
	defer cancel()
	for beat.Err() == nil {
		events, at, err := e.deps.Events.Next(beat, e.project, e.at, eventsAtOnce)
		// Check the key after the read: the last event must precede the key's end.
		if grant := e.deps.Keys.Authenticate(e.secret); grant == nil || grant.Expired(time.Now()) || grant.Rights&score.MayRead == 0 || !grant.Covers(e.project) {
			return nil, errRevoked
		}
		switch {
		case err == nil:
			if e.at = at; len(events) > 0 {
				return events, nil
			}
		case errors.Is(err, event.ErrReplaced):
			return nil, err
		case beat.Err() == nil: // any other error, which the Reader has logged
			_ = retry.Sleep(beat, eventPause)
		}
	}
	return nil, context.Cause(ctx)
}

// lines encodes events; if there are none, the current cursor, which clients keep as their last event id.
func (e *eventStream) lines(events []event.Event) (text []byte, err error) {
	for i := range events {
		data, err := json.Marshal(&events[i])
		if err != nil {
			return nil, fmt.Errorf("couldn't encode event %s: %w", events[i].ID, err)
		}
		text = fmt.Appendf(text, "id: %s\ndata: %s\n\n", events[i].After, data)
	}
	if len(events) == 0 {
		text = fmt.Appendf(text, ":\nid: %s\n\n", e.at)
	}
	return text, nil
}
