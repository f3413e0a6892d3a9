package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
)

const kib = 1 << 10

// announce is the head of a post whose body has not come.
func (b *bench) announce(path, framing string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-API-KEY: " + b.secret.Reveal() + "\r\n" + framing + "\r\n\r\n"
}

func length(n int) string { return fmt.Sprintf("Content-Length: %d", n) }

// held waits until so many bytes of bodies are in progress.
func (b *bench) held(bytes int) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return b.count("scorelay_api_body_bytes") == float64(bytes) }, time.Minute, time.Millisecond,
		"%v bytes are held", b.count("scorelay_api_body_bytes"))
}

// bounded is a bench in which 1 MiB of bodies may be in progress.
func bounded(t *testing.T, change func(*setup)) *bench {
	return newBench(t, func(s *setup) {
		s.config.MaxBodies = 1024 * kib
		if change != nil {
			change(s)
		}
	})
}

// TestBodiesInProgressAreBounded: before anything of one is read, a key has as much as it leaves free, with lengths and with chunks. What
// it may not have is 429, what no one may have 503; small bodies of others come all the same.
func TestBodiesInProgressAreBounded(t *testing.T) {
	b := bounded(t, nil).withProject()
	for i := range 2 {
		b.begin(b.announce("/update-groups", length(256*kib)))
		b.held((i + 1) * 256 * kib)
	}
	l := b.dial(loopback)
	r := l.ask(b.announce("/update-groups", length(4*kib)))
	require.Equal(t, "too_many_bodies", r.code())
	require.Equal(t, "1", r.header.Get("Retry-After"))
	l.ends()
	r = b.dial(loopback).ask(b.announce("/update-groups", "Expect: 100-continue\r\n"+length(200*kib)))
	require.Equal(t, "too_many_bodies", r.code(), "it is not asked for")

	l = b.dial(loopback)
	l.write(livez + livez + b.announce("/update-groups", length(100*kib)))
	require.Equal(t, "ok\n", l.answer().raw, "what came before is answered")
	require.Equal(t, "ok\n", l.answer().raw)
	require.Equal(t, "too_many_bodies", l.answer().code())

	other := *b
	other.withTerms(apikey.Terms{})
	other.post("/update-score", other.update("of another key")).ok()
	chunked := other.begin(other.announce("/update-groups", "Transfer-Encoding: chunked") + "10000\r\n")
	b.held((512 + 64) * kib)
	chunked.write(strings.Repeat(" ", 64*kib) + "\r\n30000\r\n")
	b.held((512 + 256) * kib)
	chunked.write(strings.Repeat(" ", 192*kib) + "\r\n1\r\n")
	require.Equal(t, "body_too_large", chunked.answer().code(), "by its chunks together")
	require.InDelta(t, 1, b.count("scorelay_api_key_requests_total", "another", "refused"), 0)
	b.held(512 * kib)

	third := *b
	third.withTerms(apikey.Terms{})
	other.begin(other.announce("/update-groups", length(256*kib)))
	b.held((512 + 256) * kib)
	r = third.dial(loopback).ask(third.announce("/update-groups", length(200*kib)))
	require.Equal(t, "overloaded", r.code(), "it has nothing, and would have more than it leaves free")
	third.post("/update-score", third.update("of a third key")).ok()
	require.Equal(t, http.StatusUnauthorized, b.dial(loopback).ask("POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 4097\r\n\r\n").status)
	b.begin("POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 4096\r\n\r\n")
	b.held((512+256)*kib + 4*kib) // it may be small
}

// TestWhatABodyHeldIsGivenBack: on every way out; what is not would be missing for as long as the API runs.
func TestWhatABodyHeldIsGivenBack(t *testing.T) {
	b := bounded(t, nil).withProject()
	body := strings.Repeat(" ", 100*kib)
	begun := func(framing, some string) *line {
		l := b.begin(b.announce("/update-score", framing) + some)
		return l
	}
	for name, way := range map[string]func(t *testing.T){
		"finished, and its connection kept": func(t *testing.T) {
			l := begun(length(len(body)), body)
			for range 3 {
				require.Equal(t, "malformed_json", l.answer().code())
				b.held(0)
				l.write(b.announce("/update-score", length(len(body))) + body)
			}
			require.Equal(t, "malformed_json", l.answer().code())
		},
		"finished in chunks": func(t *testing.T) {
			l := begun("Transfer-Encoding: chunked", "19000\r\n"+body+"\r\n19000\r\n"+body+"\r\n0\r\n\r\n")
			require.Equal(t, "malformed_json", l.answer().code())
		},
		"several in one write": func(t *testing.T) {
			one := b.announce("/update-score", length(2)) + "{}"
			l := begun(length(len(body)), body+one+one+one[:len(one)-1])
			for range 3 {
				l.answer()
			}
			b.held(2)
			l.write("}")
			l.answer()
		},
		"cut":               func(*testing.T) { l := begun(length(len(body)), "{"); b.held(len(body)); _ = l.Close() },
		"cut after a chunk": func(*testing.T) { _ = begun("Transfer-Encoding: chunked", "5\r\n12345\r\n").Close() },
		"broken chunks": func(t *testing.T) {
			require.Equal(t, "malformed_request", begun("Transfer-Encoding: chunked", "5\r\n12345\r\nx\r\n").answer().code())
		},
		"panicked": func(t *testing.T) {
			b.pause(func(p *score.ProjectID) *httpapi.Pause {
				if p != nil {
					panic("a handler panics")
				}
				return nil
			})
			u := b.update("panics")
			require.Equal(t, http.StatusInternalServerError, b.post("/update-score", u).status)
		},
		"too large": func(t *testing.T) {
			require.Equal(t, "body_too_large", begun(length(300*kib), "").answer().code())
		},
	} {
		t.Run(name, func(t *testing.T) {
			way(t)
			b.held(0)
		})
	}
	require.Equal(t, "malformed_json", begun(length(len(body)), body).answer().code())

	hasty := startBench(t, func(s *setup) { s.config.ReadTimeout = time.Second })
	require.Equal(t, "request_timeout", hasty.begin(hasty.announce("/update-score", length(len(body)))+"{").answer().code())
	hasty.held(0)
}

// TestAKeyOverItsRateSendsNoBody: it is refused by the head alone, with a large body, and by the rate of what it asks for.
func TestAKeyOverItsRateSendsNoBody(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.ReadTimeout = 2 * time.Second }).withProject().withTerms(apikey.Terms{Rate: 1})
	b.post("/update-scores", b.group(score.KindWord, b.inWord("all", 256))).ok()
	var r response
	require.Eventually(t, func() bool { // a second later there is something left of its rate again
		b.post("/update-score", b.update("one"))
		r = b.dial(loopback).ask(b.announce("/update-groups", length(100*kib)))
		return r.code() != "request_timeout"
	}, time.Minute, time.Millisecond)
	require.Equal(t, "rate_limited", r.code(), r)
	require.InDelta(t, 1, retryAfter(t, r), 1)
	l := b.dial(loopback)
	body := strings.Repeat(" ", 10*kib)
	require.Equal(t, "malformed_json", l.ask(b.announce("/look-up-updates", length(len(body)))+body).code(), "look-ups have another rate")
}

// TestRefusedBodiesAreReadOfFewConnections: a key that opens many cannot have all of them read to their end. Another key's caller, which reads only
// after it has sent all, gets its answer meanwhile; so does the first key's, a while later.
func TestRefusedBodiesAreReadOfFewConnections(t *testing.T) {
	const many, few = 120, 32
	b := newBench(t, func(s *setup) { s.config.Linger = 8 * time.Second })
	other := *b
	other.withTerms(apikey.Terms{})
	whole := func(b *bench) (code string) { // empty: the answer is lost
		l := b.dial(loopback)
		_, _ = io.WriteString(l, b.announce("/update-groups", length(512*kib)))
		for range 512 {
			_, _ = io.WriteString(l, strings.Repeat(" ", kib))
		}
		res, err := http.ReadResponse(l.r, nil)
		if err != nil {
			return ""
		}
		return read(b.t, res).code()
	}
	var lines []*line
	for range many {
		l := b.begin(b.announce("/update-groups", length(512*kib)))
		lines = append(lines, l)
	}
	for _, l := range lines {
		require.Equal(t, "body_too_large", l.answer().code(), "nothing of its body was on its way")
		l.ends()
	}
	require.Eventually(t, func() bool { return b.count("scorelay_api_connections") <= few+1 }, 6*time.Second, time.Millisecond,
		"%v connections are read", b.count("scorelay_api_connections"))
	require.Equal(t, "body_too_large", whole(&other))
	require.Eventually(t, func() bool { return whole(b) == "body_too_large" }, time.Minute, 100*time.Millisecond)
}

// TestIdleConnectionsKeepNoBodies: of a body nothing is left at a connection that waits for its next request.
func TestIdleConnectionsKeepNoBodies(t *testing.T) { //nolint:paralleltest // it measures the process
	const connections = 100
	b := startBench(t, nil)
	body := strings.Repeat(" ", 250*kib)
	var lines []*line
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what is pooled lives for two
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := inUse()
	for range connections {
		l := b.dial(loopback)
		require.Equal(t, "malformed_json", l.ask(b.announce("/update-score", length(len(body)))+body).code())
		lines = append(lines, l)
	}
	require.Less(t, int(inUse())-int(before), connections*40*kib)
	runtime.KeepAlive(lines)
}

// TestAnAnswerToABodyIsNotOvertakenByAReset, however many bodies are refused at the moment: the connection is half closed, and stays so for a while
// though nothing more is read of it.
func TestAnAnswerToABodyIsNotOvertakenByAReset(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.Linger = time.Minute })
	refused := func() *line {
		l := b.begin("POST /update-score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n" + strings.Repeat("x", 64*kib))
		require.Equal(t, "missing_api_key", l.answer().code())
		return l
	}
	for range 40 { // more than are read on
		refused()
	}
	l := refused()
	for range 4 {
		_, err := io.WriteString(l, strings.Repeat("x", 16*kib))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, b.get("/livez").status) // meanwhile it would have been closed
	}
}
