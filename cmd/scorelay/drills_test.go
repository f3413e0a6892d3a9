package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/stream"
)

// drills are what TestDrills does: each brings about what a page of the runbook is about, sees that callers are told the truth, and does
// what the page says.
var drills = []struct {
	name string
	do   func(*drilled)
}{
	{"the stream is full", (*drilled).streamFull},
	{"the disk of NATS is full", (*drilled).diskFull},
	{"Redis is full", (*drilled).redisFull},
	{"signers without funds", (*drilled).noFunds},
	{"connections are refused", (*drilled).connections},
	{"requests are malformed", (*drilled).malformed},
	{"clocks differ", (*drilled).clocks},
	{"a project switches to signed groups", (*drilled).switches},
}

// drilled is the stack of TestDrills.
type drilled struct {
	*rig
	t  *testing.T
	js jetstream.JetStream
}

// TestDrills does what is in the runbook while updates come: nothing that was accepted is lost, and all works again once it is repaired.
//
//	go test ./cmd/scorelay -run TestDrills -timeout 20m -args -drills
func TestDrills(t *testing.T) {
	if !*drill {
		t.Skip("takes a minute; .ci/deep runs it, with -args -drills")
	}
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	d := &drilled{t: t}
	d.rig = startRig(ctx, t, rigOptions{
		endpoints: 1, lanes: 2, block: 250 * time.Millisecond,
		args: []string{"--relayers", "2", "--set", "api:SCORELAY_MAX_CONNECTIONS_PER_ADDRESS=" + strconv.Itoa(drillConnections)},
	})
	d.js = d.jetStream(t)
	d.places = []*load.Place{place(t, d.info(t)), signedOnly(t, d.client, place(t, d.info(t)))}
	for _, row := range drills {
		held(t, d.judge, d.client, d.places, row.name, func() { row.do(d) })
	}
	d.audited(t)
}

// post sends an update once, under an id of its own.
func (d *drilled) post() error {
	u := d.places[0].Update(0)
	_, err := d.client.UpdateScore(d.ctx, sdk.NamedUpdate{
		UpdateID: load.RandomID(), ProjectID: u.Project, ActionName: u.Action, ScoreType: u.ScoreType, TargetWallet: u.Target,
	}, u.Wallet.Sign)
	return err
}

// refused waits until posts are answered by this code and 503.
func (d *drilled) refused(code string) {
	d.t.Helper()
	var err error
	require.True(d.t, d.until(2*time.Minute, func() bool {
		err = d.post()
		var refusal *sdk.Error
		return errors.As(err, &refusal) && refusal.Code == code && refusal.Status == http.StatusServiceUnavailable && refusal.RetryAfter > 0
	}), "posts are not answered %s, but %v", code, err)
}

// streamFull: the bound of the stream is reached, and raised.
func (d *drilled) streamFull() {
	s, err := d.js.Stream(d.ctx, stream.Name)
	require.NoError(d.t, err)
	bounded := s.CachedInfo().Config
	bounded.MaxBytes = int64(s.CachedInfo().State.Bytes)
	_, err = d.js.UpdateStream(d.ctx, bounded)
	require.NoError(d.t, err)
	d.refused("stream_full")
	_, err = d.js.UpdateStream(d.ctx, s.CachedInfo().Config)
	require.NoError(d.t, err)
}

// diskFull: the disk of NATS has no room, until its data is on another one.
func (d *drilled) diskFull() {
	dir := filepath.Join(d.dir, "nats")
	small, large := dir+"-small", dir+"-large"
	require.NoError(d.t, os.Mkdir(small, 0o700))
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=64m"); err != nil {
		d.t.Logf("NOT RUN on a full disk, since none may be mounted here (%v): NATS gets another error for its writes", err)
		d.fileLimit()
		return
	}
	mounted := true
	unmount := func() {
		if mounted {
			mounted = false
			require.NoError(d.t, syscall.Unmount(small, syscall.MNT_DETACH))
		}
	}
	d.t.Cleanup(unmount)
	d.withoutNATS(func() {
		require.NoError(d.t, os.CopyFS(filepath.Join(small, "nats"), os.DirFS(dir)))
		require.NoError(d.t, os.RemoveAll(dir))
		require.NoError(d.t, os.Symlink(filepath.Join(small, "nats"), dir))
	})
	require.True(d.t, d.until(2*time.Minute, func() bool { return d.post() == nil }), "NATS works on the small disk")
	filler, err := os.Create(filepath.Join(small, "filler"))
	require.NoError(d.t, err)
	_, err = io.Copy(filler, zeros{})
	require.ErrorIs(d.t, err, syscall.ENOSPC)
	require.NoError(d.t, filler.Close())
	d.writesFail()
	require.NoError(d.t, os.Remove(filler.Name()))
	d.refused("not_durable") // a server that could not write does not try again
	d.withoutNATS(func() {
		require.NoError(d.t, os.CopyFS(large, os.DirFS(filepath.Join(small, "nats"))))
		require.NoError(d.t, os.Remove(dir))
		require.NoError(d.t, os.Rename(large, dir))
		unmount()
	})
}

// fileLimit: the files of NATS may not grow, until it is started again.
func (d *drilled) fileLimit() {
	pid := d.info(d.t).PIDs["nats"][0]
	out, err := exec.Command("prlimit", "--pid", strconv.Itoa(pid), "--fsize=1").CombinedOutput()
	require.NoError(d.t, err, "%s", out)
	d.writesFail()
	d.withoutNATS(func() {})
}

// writesFail waits until callers are told that nothing can be stored, and NATS says why.
func (d *drilled) writesFail() {
	d.t.Helper()
	d.refused("not_durable")
	resp, err := http.Get(d.info(d.t).MonitorURL + "/healthz")
	require.NoError(d.t, err)
	defer func() { _ = resp.Body.Close() }()
	said, err := io.ReadAll(resp.Body)
	require.NoError(d.t, err)
	require.Contains(d.t, string(said), "write error")
	says := ""
	require.True(d.t, d.until(2*time.Minute, func() bool { // it fails where NATS cannot even make what it reads by
		doc, err := d.status()
		if err != nil {
			says = err.Error()
			return true
		}
		says = doc.Verdict
		return !doc.OK
	}), "the status says that all is well: %s", says)
	d.t.Logf("scorelay status says: %s", says)
}

// status is what `scorelay status` tells, or the error with which it ends.
func (d *drilled) status() (*overview.Document, error) {
	out, told, err := d.scorelay("status", "--json")
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, told)
	}
	var doc overview.Document
	require.NoError(d.t, json.Unmarshal([]byte(out), &doc))
	return &doc, nil
}

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// withoutNATS kills NATS and does something before it is started again.
func (d *drilled) withoutNATS(do func()) {
	d.t.Helper()
	info := d.info(d.t)
	require.Len(d.t, info.PIDs["nats"], 1)
	stack, pid := info.PIDs["dev"][0], info.PIDs["nats"][0]
	require.NoError(d.t, syscall.Kill(stack, syscall.SIGSTOP)) // so that it does not start it
	defer func() { require.NoError(d.t, syscall.Kill(stack, syscall.SIGCONT)) }()
	require.NoError(d.t, syscall.Kill(pid, syscall.SIGKILL))
	require.True(d.t, d.until(2*time.Minute, func() bool {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || bytes.Contains(state, []byte(") Z "))
	}))
	do()
}

// redisFull: Redis has reached its maxmemory, which is raised.
func (d *drilled) redisFull() {
	client := d.redis(d.t)
	require.NoError(d.t, client.ConfigSet(d.ctx, "maxmemory", "1").Err())
	require.ErrorContains(d.t, client.Set(d.ctx, "another program's", "x", 0).Err(), "OOM")
	for range 20 {
		u := d.places[0].Update(0)
		u.ID = load.RandomID()
		require.NoError(d.t, d.client.Send(d.ctx, load.Alone(u), time.Now()).Err, "accepted all the same")
		_, err := d.client.Update(d.ctx, u.Project, u.ID)
		require.ErrorContains(d.t, err, "status_unavailable")
	}
	require.NoError(d.t, client.ConfigSet(d.ctx, "maxmemory", "0").Err())
}

// noFunds: the signers' balances are used up, and filled up again. Meanwhile updates are accepted, and wait.
func (d *drilled) noFunds() {
	fund := func(wei *big.Int) {
		for signer := range d.judge.signers {
			require.NoError(d.t, d.anvil.SetBalance(d.ctx, signer, wei))
		}
	}
	fund(new(big.Int))
	require.True(d.t, d.until(2*time.Minute, func() bool {
		require.NoError(d.t, d.post())
		doc, err := d.status()
		return err == nil && !doc.OK && strings.Contains(doc.Verdict, "fund it") &&
			slices.ContainsFunc(doc.Lanes, func(l overview.Lane) bool { return l.Wait == lane.WaitFunds })
	}), "no lane says that it waits for funds")
	fund(new(big.Int).Mul(big.NewInt(1000), big.NewInt(params.Ether)))
}

const drillConnections = 300 // of one address

// connections: a caller opens more than one address may have. Others are served.
func (d *drilled) connections() {
	u, err := url.Parse(d.info(d.t).APIURL)
	require.NoError(d.t, err)
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}, Timeout: time.Minute}
	for n := range drillConnections + 1 {
		conn, err := dialer.DialContext(d.ctx, "tcp", u.Host)
		require.NoError(d.t, err)
		defer func() { _ = conn.Close() }()
		if n == drillConnections {
			require.NoError(d.t, conn.SetDeadline(time.Now().Add(time.Minute)))
			_, err = io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
			require.NoError(d.t, err)
			answer, err := io.ReadAll(conn)
			require.NoError(d.t, err)
			require.Contains(d.t, string(answer), "too_many_connections")
		}
	}
	for range 20 {
		require.NoError(d.t, d.post())
	}
}

// malformed: a request that two programs could read differently is refused, and its connection closed.
func (d *drilled) malformed() {
	u, err := url.Parse(d.info(d.t).APIURL)
	require.NoError(d.t, err)
	conn, err := net.Dial("tcp", u.Host)
	require.NoError(d.t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(d.t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(conn, "POST /update-score HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET")
	require.NoError(d.t, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(d.t, err)
	require.Equal(d.t, http.StatusBadRequest, answer.StatusCode)
	require.True(d.t, answer.Close)
	require.NoError(d.t, d.post())
}

// clocks: a caller whose clock is behind is told so, and nothing of it is stored. Set right, it sends the same update again.
func (d *drilled) clocks() {
	info := d.info(d.t)
	u := d.places[0].Update(0)
	u.ID = load.RandomID()
	key, err := crypto.HexToECDSA(strings.TrimPrefix(info.UpdaterKey, "0x"))
	require.NoError(d.t, err)
	message := strconv.FormatInt(time.Now().Add(-10*time.Minute).UnixMilli(), 10)
	signature, err := crypto.Sign(accounts.TextHash([]byte(message)), key)
	require.NoError(d.t, err)
	body, err := json.Marshal(map[string]any{
		"updateId": u.ID, "projectId": u.Project, "actionName": u.Action, "scoreType": u.ScoreType, "targetWallet": u.Target,
		"message": message, "signature": hexutil.Bytes(signature),
	})
	require.NoError(d.t, err)
	request, err := http.NewRequestWithContext(d.ctx, http.MethodPost, info.APIURL+"/update-score", bytes.NewReader(body))
	require.NoError(d.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-API-KEY", info.APIKey)
	resp, err := http.DefaultClient.Do(request)
	require.NoError(d.t, err)
	defer func() { _ = resp.Body.Close() }()
	told, err := io.ReadAll(resp.Body)
	require.NoError(d.t, err)
	require.Contains(d.t, string(told), "message_too_old")
	again := d.client.Send(d.ctx, load.Alone(u), time.Now())
	require.Equal(d.t, []bool{false}, again.Duplicate, "%v", again.Err)
}

// switches: a project takes signed groups only from a block on. What was accepted unsigned before becomes a dead letter, and is sent again
// under the same id, signed.
func (d *drilled) switches() {
	at := place(d.t, d.info(d.t))
	at.Project = score.ProjectID(load.RandomID())
	require.NoError(d.t, d.create(at))
	send := func(signed bool) (u load.Update, r load.Result) {
		u = at.Update(0)
		u.ID = load.RandomID()
		return u, d.client.Send(d.ctx, &load.Post{Updates: []load.Update{u}, Signed: signed}, time.Now())
	}
	before, r := send(false)
	require.NoError(d.t, r.Err)
	_, err := d.client.UntilFinal(d.ctx, at.Project, before.ID)
	require.NoError(d.t, err)
	d.does(d.t, "pause", "--all", "--reason", "so that an update is late")
	late, r := send(false)
	require.NoError(d.t, r.Err)
	d.ownerSends(d.t, calls.SetSignedOnly(at.Project, true))
	require.True(d.t, d.until(2*time.Minute, func() bool {
		_, r := send(false)
		var refusal *sdk.Error
		return errors.As(r.Err, &refusal) && refusal.Code == "signed_only"
	}))
	d.does(d.t, "resume", "--all")
	ended, err := d.client.UntilFinal(d.ctx, at.Project, late.ID)
	require.NoError(d.t, err)
	require.Equal(d.t, "signature_required", ended[0].Outcome)
	r = d.client.Send(d.ctx, &load.Post{Updates: []load.Update{late}, Signed: true}, time.Now())
	require.Equal(d.t, []bool{false}, r.Duplicate, "%v", r.Err)
	ended, err = d.client.UntilFinal(d.ctx, at.Project, late.ID)
	require.NoError(d.t, err)
	require.Equal(d.t, "applied", ended[0].Outcome)
}
