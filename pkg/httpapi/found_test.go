package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// What an attacker found: each of these failed.

// watching is a listener of one connection that tells how much of it had come when more was last asked for.
type watching struct {
	net.Listener
	waits *atomic.Int64
}

type watchedConn struct {
	net.Conn
	came  int64
	waits *atomic.Int64
}

func (w watching) Accept() (net.Conn, error) {
	c, err := w.Listener.Accept()
	return &watchedConn{Conn: c, waits: w.waits}, err
}

func (c *watchedConn) Read(p []byte) (int, error) {
	c.waits.Store(c.came)
	n, err := c.Conn.Read(p)
	c.came += int64(n)
	return n, err
}

// TestABodyIsHeldWhileItIsWorkedOn: a head without a key, read ahead behind a body, let that body's bytes go while its request waited.
func TestABodyIsHeldWhileItIsWorkedOn(t *testing.T) {
	var waits atomic.Int64
	b := bounded(t, func(s *setup) {
		s.faults = true
		s.listen = func(l net.Listener) net.Listener { return watching{l, &waits} }
	}).withProject()
	defer b.holdAPost("first")()
	before := int(b.count("scorelay_api_body_bytes"))
	body, err := json.Marshal(b.update("second"))
	require.NoError(t, err)
	text := string(body) + strings.Repeat(" ", 256*kib-len(body))
	l := b.dial(loopback)
	begins := b.announce("/update-score", length(len(text))) + text[:len(text)-1]
	l.write(begins)
	b.held(before + 256*kib)
	require.Eventually(t, func() bool { return waits.Load() == int64(len(begins)) }, time.Minute, time.Millisecond) // for the last byte: then fasthttp reads ahead
	l.write(text[len(text)-1:] + "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")
	require.Eventually(t, func() bool { return b.server.Waiting() > 0 }, time.Minute, time.Millisecond)
	require.Never(t, func() bool { return int(b.count("scorelay_api_body_bytes")) < 256*kib }, 200*time.Millisecond, time.Millisecond)
}

// TestAFirstHeadComesSoon: a caller without a key has as long for the head of its first request as for its beginning.
func TestAFirstHeadComesSoon(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.KeylessIdle, s.config.ReadTimeout = 500*time.Millisecond, 10*time.Minute })
	for _, first := range []string{"", "G", "GET /livez HTTP/1.1\r\nX: y"} {
		l := b.begin(first)
		require.NoError(t, l.SetReadDeadline(time.Now().Add(time.Minute))) // the API's ReadTimeout is ten
		_, err := io.ReadAll(l)
		require.NoError(t, err, "the API closes")
	}
}

type noKeys struct{}

func (noKeys) Authenticate(string) *score.Grant { return nil }
func (noKeys) Age() time.Duration               { return 0 }

// TestNoKeyIsRefusedBeforeKeysAreRead: clients take a 401 for final.
func TestNoKeyIsRefusedBeforeKeysAreRead(t *testing.T) {
	b := newBench(t, deps(func(d *httpapi.Deps) {
		d.Keys = noKeys{}
		d.Ready = func() error { return errors.New("the API has not read all API keys yet") }
	}))
	for _, n := range []int{4096, 4097} {
		r := b.dial(loopback).ask(b.announce("/update-scores", length(n)) + strings.Repeat(" ", n))
		require.Equal(t, "starting", r.code())
	}
	r := b.dial(loopback).ask(b.announce("/update-scores", "Expect: 100-continue\r\n"+length(5000)))
	require.Equal(t, "starting", r.code())
}

// TestContentThatMayBeStoredIsNotForgotten: of an id that was stored with two contents no one says which counts.
func TestContentThatMayBeStoredIsNotForgotten(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.AcceptTimeout, s.faults = 500*time.Millisecond, true }).withProject()
	b.publisher.Set(fault.Always(fault.Persisted))
	x, y := b.update("same"), b.update("same")
	y["targetWallet"] = "0x00000000000000000000000000000000000000aa"
	b.unacked("/update-score", x)
	b.publisher.Set(nil)
	b.accepted("/update-score", y)
	for _, u := range []object{x, y} {
		r := b.post("/update-score", u)
		require.Equal(t, "duplicate", r.body["status"])
		require.NotContains(t, r.body, "sameContent")
	}
}

type lossy struct{ httpapi.Statuses }

func (lossy) Accepted(context.Context, []score.Ref, []string) error {
	return errors.New("Redis timed out")
}

// TestAnEditWhoseStatusIsLateHasNoEnd: an owner made another edit of its nonce without the lane, and the API has not told Redis of the first yet.
func TestAnEditWhoseStatusIsLateHasNoEnd(t *testing.T) {
	b := newBench(t, deps(func(d *httpapi.Deps) { d.Statuses = lossy{d.Statuses} })).onChain()
	b.restored()
	require.Equal(t, "accepted", b.postEdit(b.edit(0, added(7))).body["status"])
	require.NoError(t, transact(&shared.contract, registry.EncodeEdit(b.signedEdit(b.edit(0, added(8))))))
	require.Equal(t, "status_unavailable", b.get("%s", b.editsPath()+"/0").code(), fmt.Sprint(b.get("%s", b.editsPath()+"/0").body))
}
