package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// sse is an open stream of events, as a client reads it.
type sse struct {
	t      *testing.T
	lines  *bufio.Scanner
	close  func()
	lastID string
	retry  string
}

// told is an event as clients get it.
type told struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	ProjectID string    `json:"projectId"`
	Data      object    `json:"data"`

	cursor string
}

func (b *bench) eventsPath() string { return "/projects/" + b.project.ID.String() + "/events" }

// events opens a stream and reads its first lines.
func (b *bench) events(after string, header ...string) *sse {
	b.t.Helper()
	res := b.ask(http.MethodGet, b.eventsPath()+"?after="+after, nil, header...)
	b.t.Cleanup(func() { _ = res.Body.Close() })
	require.Equal(b.t, http.StatusOK, res.StatusCode)
	require.Equal(b.t, "text/event-stream", res.Header.Get("Content-Type"))
	require.Equal(b.t, "no-store", res.Header.Get("Cache-Control"))
	s := &sse{t: b.t, lines: bufio.NewScanner(res.Body), close: func() { _ = res.Body.Close() }}
	require.Nil(b.t, s.block(), "the beginning has no event")
	require.NotEmpty(b.t, s.lastID)
	require.Equal(b.t, "2000", s.retry)
	return s
}

// TestACallersBadCursorIsNoWarning, of whichever list, and takes no time.
func TestACallersBadCursorIsNoWarning(t *testing.T) {
	var said fresh.Log
	b := newBench(t, func(s *setup) { s.log = slog.NewTextHandler(&said, nil) }).withProject()
	b.executing()
	for cursor, code := range map[string]string{
		fmt.Sprintf("0-1-%016x-0", 7): "cursor_replaced", fmt.Sprintf("1-1-%016x-0", 7): "cursor_replaced", fmt.Sprintf("99999999-1-%016x-7", 7): "cursor_replaced",
		fmt.Sprintf("1-99999999-%016x-0", 7): "chain_unavailable", fmt.Sprintf("1-18446744073709551615-%016x-0", 7): "invalid_query", "7": "invalid_query", "%ff": "invalid_query",
	} {
		require.Equal(t, code, b.get("%s", b.eventsPath()+"?after="+cursor).code(), cursor)
	}
	for _, path := range []string{
		"/projects?cursor=", "/projects/" + b.project.ID.String() + "/leaderboards/total?cursor=",
		"/projects/" + b.project.ID.String() + "/wallets/" + devnet.Address(9).Hex() + "/history?cursor=",
	} {
		for _, cursor := range []string{"x", "AAAA", strings.Repeat("A", 16) + "%0a", "%ff"} {
			require.Equal(t, "invalid_query", b.get("%s", path+cursor).code(), path+cursor)
		}
	}
	require.NotRegexp(t, "level=(WARN|ERROR)", said.String())
}

// block reads up to an empty line, as the specification of Server-Sent Events says; nil if that is no event.
func (s *sse) block() *told {
	s.t.Helper()
	var data string
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case s.lines.Text() == "" && data == "":
			return nil
		case s.lines.Text() == "":
			e := &told{cursor: s.lastID}
			require.NoError(s.t, json.Unmarshal([]byte(data), e))
			return e
		case field == "id":
			s.lastID = value
		case field == "retry":
			s.retry = value
		case field == "data":
			data += value
		}
	}
	require.Fail(s.t, "the stream ended", "%v", s.lines.Err())
	return nil
}

// next reads so many events.
func (s *sse) next(n int) (events []told) {
	s.t.Helper()
	for len(events) < n {
		if e := s.block(); e != nil {
			events = append(events, *e)
		}
	}
	return events
}

// ended reads to the end, which is a clean one if the server closed the stream.
func (s *sse) ended() error {
	for s.lines.Scan() {
	}
	return s.lines.Err()
}

// executing puts the bench's project on the chain, and returns a function that has updates of it executed.
func (b *bench) executing() (relay func(ids ...string)) {
	b.t.Helper()
	require.NoError(b.t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	b.final.records.Store(b.project.ID, score.RecordOf(b.project))
	b.finalize()
	var at event.Cursor
	require.Eventually(b.t, func() bool { // the shared chain may have forgotten the state of the ledger's newest block: it writes more
		created, next, err := b.reader.Next(b.t.Context(), b.project.ID, at, 1)
		if err == nil {
			at = next
		}
		return len(created) > 0
	}, time.Minute, 10*time.Millisecond)
	return func(ids ...string) {
		b.t.Helper()
		b.carry(returned(b.project.ID, 1, ids...))
	}
}

func idsOf(events []told) (ids []string) {
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestAStreamTellsWhatBecomesFinalAndIsResumed(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.Heartbeat = 50 * time.Millisecond })
	relay := b.executing()
	live := b.events("now")
	relay("one", "two", "one")
	all := live.next(3)
	require.Equal(t, []string{"update.applied", "update.applied", "update.duplicate"}, []string{all[0].Type, all[1].Type, all[2].Type})
	require.Equal(t, object{
		"updateId": updateID("one").String(), "targetWallet": lower(devnet.Address(9)), "signer": lower(devnet.Address(1)), "action": "return", "points": -3.0,
		"scoreType": "reputation", "outcome": "applied", "transactionHash": all[0].Data["transactionHash"], "blockNumber": all[0].Data["blockNumber"],
	}, all[0].Data)
	require.Equal(t, b.project.ID.String(), all[0].ProjectID)
	require.WithinDuration(t, time.Now(), all[0].Timestamp, time.Hour)
	require.NoError(t, b.stream.AddDeadLetters(t.Context(), []score.DeadLetter{
		{Update: &score.Update{Project: b.project.ID, ID: updateID("dead")}, Work: 1, Outcome: score.Unprocessable},
	}))
	all = append(all, live.next(1)...)
	require.Equal(t, "update.rejected", all[3].Type)

	at := live.lastID
	relay("three")
	all = append(all, live.next(1)...)
	live.close()
	relay("four")
	for i := range all {
		again := idsOf(b.events("start", "Last-Event-ID", all[i].cursor).next(len(all) - i)) // with the fourth, and the header counts
		require.Subset(t, again, idsOf(all)[i+1:])
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(again))), len(again), "each once")
	}
	require.Equal(t, "update.applied", b.events(at).next(1)[0].Type)
	from := b.events("start").next(len(all) + 2)
	require.Equal(t, "project.created", from[0].Type)
	require.Subset(t, idsOf(from), idsOf(all))

	quiet := b.events("now")
	first := quiet.lastID
	for quiet.lastID == first {
		require.NoError(t, transact(&common.Address{1}, nil)) // a block with nothing in it
		require.Nil(t, quiet.block(), "a heartbeat says how far the ledger was read")
	}
	for _, query := range []string{"?after=yesterday", "?before=now", "?after=now&after=start"} {
		require.Equal(t, "invalid_query", b.get("%s%s", b.eventsPath(), query).code(), query)
	}
	b.send(http.MethodHead, b.eventsPath(), nil).ok()
}

func TestStreamsAreBoundedAndGiveTheirPlacesBack(t *testing.T) {
	b := newBench(t, func(s *setup) {
		s.config.MaxStreams, s.config.Proxies = 8, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	b.executing()
	first := b.secret
	var open []*sse
	for range 4 {
		b.withTerms(apikey.Terms{})
		open = append(open, b.events("now"), b.events("now"))
		if len(open) < 8 {
			require.Equal(t, "too_many_streams", b.get("%s", b.eventsPath()).code(), "a quarter is for one key")
		}
	}
	b.secret = first
	require.Equal(t, "overloaded", b.get("%s", b.eventsPath()).code())
	require.InDelta(t, 8, b.count("scorelay_api_event_streams"), 0)
	open[0].close()
	require.Eventually(t, func() bool { return b.count("scorelay_api_event_streams") < 8 }, time.Minute, time.Millisecond, "the end of the connection is noticed")
	b.events("now")
	require.InDelta(t, 1, b.count("scorelay_api_event_streams_ended_total"), 0)
}

// TestEventsOverHTTP10 have no chunks, which that version does not know: the stream ends with its connection. It has its place, and gives it back.
func TestEventsOverHTTP10(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.MaxStreams = 4 })
	b.executing()
	open := func(version string) (*line, *http.Response) {
		l := b.begin("GET " + b.eventsPath() + "?after=now HTTP/" + version + "\r\nHost: x\r\nConnection: keep-alive\r\nX-API-KEY: " + b.secret.Reveal() + "\r\n\r\n")
		res, err := http.ReadResponse(l.r, nil)
		require.NoError(t, err)
		return l, res
	}
	for range 3 {
		l, res := open("1.0")
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
		require.NotEmpty(t, res.Header.Get("X-Request-Id"))
		require.Empty(t, res.TransferEncoding)
		require.EqualValues(t, -1, res.ContentLength)
		require.True(t, res.Close)
		s := &sse{t: t, lines: bufio.NewScanner(res.Body)}
		require.Nil(t, s.block())
		require.Equal(t, "2000", s.retry)
		require.NoError(t, transact(&common.Address{1}, nil))
		require.Nil(t, s.block(), "a heartbeat")
		require.Equal(t, "too_many_streams", b.get("%s", b.eventsPath()).code())
		require.NoError(t, l.Close())
		require.Eventually(t, func() bool { return b.count("scorelay_api_event_streams") == 0 }, time.Minute, time.Millisecond)
	}
	_, res := open("1.1")
	require.Equal(t, []string{"chunked"}, res.TransferEncoding)
}

func TestAStreamEndsWithItsKeyAndWithTheProcess(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.Heartbeat = 20 * time.Millisecond })
	b.executing()
	theirs, id := b.key("theirs", apikey.Terms{Projects: []score.ProjectID{b.project.ID}})
	revoked := b.events("now", "X-API-KEY", theirs.Reveal())
	kept := b.events("now")
	require.NoError(t, b.keys.Revoke(t.Context(), id))
	require.NoError(t, revoked.ended())
	kept.block()
	b.stop()
	require.NoError(t, kept.ended(), "cleanly, so that the client asks another process at once")
	require.NoError(t, <-b.stopped)
	b.stopped <- nil
}

// flood is a ledger in which there is always more.
type flood struct{ httpapi.Events }

func (flood) End(context.Context) (event.Cursor, error) { return event.Cursor{}, nil }

func (flood) Next(_ context.Context, project score.ProjectID, after event.Cursor, limit int) ([]event.Event, event.Cursor, error) {
	return slices.Repeat([]event.Event{{ID: "x", Type: event.UpdateApplied, Project: project, Data: strings.Repeat("x", 1000)}}, limit), after, nil
}

func TestAClientThatDoesNotReadIsCut(t *testing.T) {
	b := newBench(t, func(s *setup) {
		s.config.ReadTimeout = 200 * time.Millisecond
		s.deps = func(d *httpapi.Deps) { d.Events = flood{} }
	})
	b.executing()
	c, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\nX-API-KEY: %s\r\n\r\n", b.eventsPath(), b.secret.Reveal())
	require.NoError(t, err)
	require.Eventually(t, func() bool { return b.count("scorelay_api_event_streams_ended_total") == 1 }, time.Minute, time.Millisecond)
	_, err = io.Copy(io.Discard, c)
	require.NoError(t, err, "what was sent is there")
}

// held is a ledger that tells an event when it is asked to.
type held struct {
	httpapi.Events
	asked, tell chan struct{}
}

func (held) End(context.Context) (event.Cursor, error) { return event.Cursor{}, nil }

func (h held) Next(ctx context.Context, project score.ProjectID, after event.Cursor, _ int) ([]event.Event, event.Cursor, error) {
	select {
	case h.asked <- struct{}{}:
	default:
	}
	select {
	case <-h.tell:
		return []event.Event{{ID: "x", Type: event.UpdateApplied, Project: project}}, after, nil
	case <-ctx.Done():
		return nil, after, ctx.Err()
	}
}

// TestAStreamTellsNothingThatComesAfterItsKey was revoked, also where it waited for it before.
func TestAStreamTellsNothingThatComesAfterItsKey(t *testing.T) {
	log := held{asked: make(chan struct{}, 1), tell: make(chan struct{})}
	b := newBench(t, func(s *setup) {
		s.config.Heartbeat = time.Hour
		s.deps = func(d *httpapi.Deps) { d.Events = log }
	})
	b.executing()
	theirs, id := b.key("theirs", apikey.Terms{Projects: []score.ProjectID{b.project.ID}})
	s := b.events("now", "X-API-KEY", theirs.Reveal())
	<-log.asked
	require.NoError(t, b.keys.Revoke(t.Context(), id))
	require.Eventually(t, func() bool { return b.view.Authenticate(theirs.Reveal()) == nil }, time.Minute, time.Millisecond)
	close(log.tell)
	require.False(t, s.lines.Scan(), "%s", s.lines.Text())
	require.NoError(t, s.lines.Err())
}

// TestThePageReadsEventsInItsSession, which shows the key to no script, and not longer than it is signed in: each stream of it ends soon, and continues by the cookie.
func TestThePageReadsEventsInItsSession(t *testing.T) {
	w := newBrowser(t, func(s *setup) { s.config.Heartbeat = 50 * time.Millisecond })
	relay := w.executing()
	path, at := w.path()+"/events", ""
	require.Equal(t, http.StatusUnauthorized, w.look(path).status)
	w.signIn(w.secret.Reveal(), "/app")
	stream := func() string { // to its end, which is a clean one
		r := w.visit(http.MethodGet, path, nil, "Last-Event-ID", at).ok()
		ids := regexp.MustCompile(`(?m)^id: (.+)$`).FindAllStringSubmatch(r.raw, -1)
		at = ids[len(ids)-1][1]
		return r.raw
	}
	stream()
	relay("one")
	for told := ""; !strings.Contains(told, `"update.applied"`); {
		told = stream()
	}
	w.visit(http.MethodPost, "/app/sign-out", url.Values{"csrf": {w.token(w.path())}})
	require.Equal(t, http.StatusUnauthorized, w.look(path).status)
}
