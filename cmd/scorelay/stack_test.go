package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/dev"
	"github.com/scorelay/scorelay/cmd/scorelay/internal/load"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/stream"
)

// built is the directory programs made, if a test asked for it.
var built string

// programs builds the three programs once, side by side, as an operator does.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "scorelay-bin-")
	if err != nil {
		return "", err
	}
	built = dir
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./cmd/api", "./cmd/relayer", "./cmd/scorelay")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

// atOnce is how many tests run side by side unless -parallel says otherwise: stacks wait more than they compute.
const atOnce = 6

func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		_ = flag.Set("test.parallel", strconv.Itoa(atOnce))
	}
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// command is one of the built programs.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	dir, err := programs()
	require.NoError(t, err)
	return exec.Command(filepath.Join(dir, name), args...)
}

// confirmations of the stacks under test.
const confirmations = 2

// stack is a `scorelay dev` under attack.
type stack struct {
	dir string
	out *bytes.Buffer
	cmd *exec.Cmd
}

// startStack starts `scorelay dev` and waits for its dev.json.
func startStack(t *testing.T, args ...string) *stack {
	t.Helper()
	return startStackOf(t, command(t, "scorelay").Path, args...)
}

// takesStack skips what takes a whole stack from who asks for what is quick.
func takesStack(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes a stack, up to some minutes; .ci/run runs it, without -short")
	}
}

// startStackOf starts the `scorelay dev` of any build.
func startStackOf(t *testing.T, program string, args ...string) *stack {
	t.Helper()
	takesStack(t)
	s := &stack{dir: t.TempDir(), out: &bytes.Buffer{}}
	s.cmd = exec.Command(program, append([]string{
		"dev", "--port", "0", "--data-dir", s.dir, "--block-time", "250ms", "--confirmations", fmt.Sprint(confirmations),
	}, args...)...)
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	require.NoError(t, s.cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(os.Interrupt)
		select {
		case err := <-ended:
			require.NoError(t, err, "Ctrl-C ends everything cleanly: %s", s.out)
		case <-time.After(2 * time.Minute):
			_ = s.cmd.Process.Kill()
			t.Errorf("the stack did not end: %s", s.out)
		}
		_, err := dev.ReadInfo(s.dir)
		require.ErrorIs(t, err, os.ErrNotExist)
		if t.Failed() {
			s.keepLogs(t)
		}
	})
	require.Eventually(t, func() bool {
		_, err := dev.ReadInfo(s.dir)
		return err == nil
	}, 3*time.Minute, 50*time.Millisecond, "no dev.json")
	return s
}

// keepLogs shows the ends of the logs of a stack that failed.
func (s *stack) keepLogs(t *testing.T) {
	t.Helper()
	logs, _ := filepath.Glob(filepath.Join(s.dir, "logs", "*.log"))
	for _, path := range logs {
		raw, _ := os.ReadFile(path)
		t.Logf("%s: … %s", filepath.Base(path), raw[max(0, len(raw)-4000):])
	}
}

func (s *stack) info(t *testing.T) *dev.Info {
	t.Helper()
	info, err := dev.ReadInfo(s.dir)
	require.NoError(t, err)
	return info
}

// kill kills every process of a role and waits until others took their places.
func (s *stack) kill(t *testing.T, role string) {
	t.Helper()
	before := s.info(t).PIDs[role]
	require.NotEmpty(t, before)
	for _, pid := range before {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	require.Eventually(t, func() bool {
		after := s.info(t).PIDs[role]
		if len(after) != len(before) {
			return false
		}
		for i := range after {
			if after[i] == before[i] {
				return false
			}
		}
		return true
	}, 2*time.Minute, 50*time.Millisecond, "%s was not started again", role)
}

func (s *stack) flushRedis(t *testing.T) {
	t.Helper()
	opts, err := redis.ParseURL(s.info(t).RedisURL)
	require.NoError(t, err)
	client := redis.NewClient(opts)
	defer func() { _ = client.Close() }()
	require.NoError(t, client.FlushAll(t.Context()).Err())
}

// place is the stack's demo project, as a client finds it in dev.json.
func place(t *testing.T, info *dev.Info) *load.Place {
	t.Helper()
	project, err := score.ParseProjectID(info.ProjectID)
	require.NoError(t, err)
	var signers []*load.Wallet
	for _, hex := range []string{info.UpdaterKey, info.OwnerKey} {
		key, err := crypto.HexToECDSA(strings.TrimPrefix(hex, "0x"))
		require.NoError(t, err)
		signers = append(signers, load.NewWallet(key))
	}
	stranger, err := load.RandomWallet()
	require.NoError(t, err)
	return &load.Place{
		Project: project, Actions: info.Actions, ScoreType: info.ScoreType, Updaters: signers, Stranger: stranger,
		Targets: load.RandomTargets(20),
	}
}

// dial is a client of all the stack's APIs, that signs groups for its contract.
func dial(t *testing.T, info *dev.Info, key string, connections int) *load.Client {
	t.Helper()
	client, err := load.NewClient(key, connections, info.APIURLs...)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	client.Domain = info.Domain()
	return client
}

// TestDemo runs the README's command, smaller.
func TestDemo(t *testing.T) {
	takesStack(t)
	dir := t.TempDir()
	out, err := command(t, "scorelay", "dev", "--port", "0", "--data-dir", dir, "--block-time", "250ms", "--demo", "1000").Output()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `(?s)
  accepted     980
  applied      980
  lost         0, and 0 applied twice
  duplicates   10
  refused      10 by the API
  rate         \d+ updates/s final, \d+/s accepted
  cost         [\d,]+ gas an update
  answered in  [\d.]+ ms \(p50\), .*
  final after  [\d.]+ s \(p50\), .*

All 980 accepted updates were applied exactly once. The stream, the contract's events and its scores agree.
$`, string(out))
}

// TestCommands runs the operator's commands beside a stack.
func TestCommands(t *testing.T) {
	s := startStack(t)
	scorelay := func(args ...string) (string, string, error) {
		cmd := command(t, "scorelay", append(args, "--data-dir", s.dir)...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		return strings.TrimSpace(out.String()), errs.String(), err
	}
	key, told, err := scorelay("keys", "create", "acme", "--rate", "50")
	require.NoError(t, err, told)
	require.Regexp(t, `^scorelay_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$`, key)
	id := strings.Split(key, "_")[1]
	list, _, err := scorelay("keys", "list")
	require.NoError(t, err)
	require.Regexp(t, id+` +acme +50/s +50/s +1000000000 +- +all`, list)
	client := dial(t, s.info(t), key, 1)
	project := place(t, s.info(t)).Project
	require.Eventually(t, func() bool {
		p, err := client.Project(t.Context(), project)
		return err == nil && p.Final()
	}, 2*time.Minute, 10*time.Millisecond, "the key opens the API")
	list, told, err = scorelay("keys", "edit", id, "--projects", score.ProjectID{1}.String(), "--expires", "1h")
	require.NoError(t, err, told)
	require.Regexp(t, id+` +acme +50/s +50/s +1000000000 +- +all +1 +any `, list)
	require.Eventually(t, func() bool {
		_, err := client.Project(t.Context(), project)
		return err != nil && strings.Contains(err.Error(), "key_other_projects")
	}, 2*time.Minute, 10*time.Millisecond, "it is bound to another project")
	_, told, err = scorelay("keys", "revoke", id)
	require.NoError(t, err, told)
	require.Eventually(t, func() bool {
		_, err := client.Project(t.Context(), project)
		return err != nil && strings.Contains(err.Error(), "invalid_api_key")
	}, 2*time.Minute, 10*time.Millisecond, "the key is revoked; package apikey tests how soon")

	out, told, err := scorelay("load", "--rate", "200", "--duration", "2s", "--projects", "2", "--json")
	require.NoError(t, err, told)
	require.Contains(t, out, `"accepted":400`)
	out, told, err = scorelay("load", "--rate", "200", "--duration", "1s", "--signed", "100", "--group", "25", "--json")
	require.NoError(t, err, told)
	require.Contains(t, out, `"accepted":200`)
	out, told, err = scorelay("audit", "--wait", "3m")
	require.NoError(t, err, "%s %s", out, told)
	require.Contains(t, out, "lost 0")
	exports(t, project, scorelay)
	out, told, err = scorelay("dlq", "list")
	require.NoError(t, err, told)
	require.Equal(t, "ID  TIME  OUTCOME  REASON", out)
	deadLetters(t, s, scorelay)
	_, told, err = scorelay("dlq", "show", "00000000")
	require.Error(t, err)
	require.Contains(t, told, "no dead letter has this id")

	out, told, err = scorelay("halt", "show")
	require.NoError(t, err, told)
	require.Regexp(t, `^Accepting does not halt, and never did\.\n\nThe stream of accepted updates ends at sequence \d+`, out)
	require.NotContains(t, out, "missing")
	_, told, err = scorelay("halt", "resume")
	require.Error(t, err)
	require.Contains(t, told, "decide: --nothing-lost or --accept-loss")
	_, told, err = scorelay("halt", "resume", "--accept-loss")
	require.Error(t, err)
	require.Contains(t, told, "there is nothing to resume")

	dir, other := filepath.Join(t.TempDir(), "backup"), devnet.NATS(t).URL
	out, told, err = scorelay("backup", dir)
	require.NoError(t, err, told)
	require.Regexp(t, `^backed 13 streams up in .*\nit holds what was accepted before \S+, up to sequence \d+$`, out)
	_, told, err = scorelay("keys", "create", "later") // so that what is there is surely not what the backup holds
	require.NoError(t, err, told)
	_, told, err = scorelay("restore", dir)
	require.Error(t, err)
	require.Contains(t, told, "the stream exists")
	out, told, err = scorelay("restore", dir, "--nats-url", other)
	require.NoError(t, err, told)
	require.Regexp(t, `restored SCORELAY, \d+ messages up to sequence \d+\nNATS holds what was accepted before \S+;`, out)
	out, told, err = scorelay("halt", "show", "--nats-url", other)
	require.NoError(t, err, told)
	require.NotContains(t, out, "missing")
	out, told, err = scorelay("audit", "--nats-url", other, "--wait", "3m")
	require.NoError(t, err, "%s %s", out, told)
	require.Contains(t, out, "lost 0")

	statusOf(t, s, scorelay)
	pauses(t, s, scorelay)
	webhooks(t, s, scorelay)
	out, told, err = scorelay("audit", "--wait", "3m")
	require.NoError(t, err, "%s %s", out, told)
	require.Contains(t, out, "lost 0, doubled 0")

	_, told, err = scorelay("dev", "--port", "0")
	require.Error(t, err)
	require.Contains(t, told, "another `scorelay dev`")
}

// exports exports a project to files and shows it.
func exports(t *testing.T, project score.ProjectID, scorelay func(args ...string) (string, string, error)) {
	t.Helper()
	dir := t.TempDir()
	_, told, err := scorelay("export", "scores", project.String(), "--output", filepath.Join(dir, "scores.csv"))
	require.NoError(t, err, told)
	require.Regexp(t, `\d+ scores of \d+ updates, equal to the contract's own, as of block \d+`, told)
	out, told, err := scorelay("export", "updates", project.String(), "--output", filepath.Join(dir, "updates.ndjson"))
	require.NoError(t, err, told)
	require.Empty(t, out)
	file, err := os.ReadFile(filepath.Join(dir, "updates.ndjson"))
	require.NoError(t, err)
	out, told, err = scorelay("export", "updates", project.String(), "--format", "ndjson")
	require.NoError(t, err, told)
	require.Equal(t, strings.TrimSpace(string(file)), out)
	_, told, err = scorelay("export", "updates", score.ProjectID{1}.String())
	require.Error(t, err)
	require.Contains(t, told, "does not exist in any final block")

	out, told, err = scorelay("projects", "show", project.String())
	require.NoError(t, err, told)
	require.Regexp(t, `(?m)^project +`+project.String()+`\n(.*\n)*edit nonce +0\n(.*\n)*action 0 +`, out)
	require.NotContains(t, out, "differs")
}

// pauses has a project, lanes and accepting pause and resume.
func pauses(t *testing.T, s *stack, scorelay func(args ...string) (string, string, error)) {
	t.Helper()
	does := func(want string, args ...string) {
		t.Helper()
		out, told, err := scorelay(args...)
		require.NoError(t, err, told)
		require.Contains(t, out, want)
	}
	for _, wrong := range [][]string{{"pause"}, {"resume"}, {"pause", "--lane", "0", "--all"}, {"pause", "--lane", "0", "--no-accepting"}, {"resume", "--project", "0x1"}, {"pause", "--lane", "4000"}, {"pause", "--all", "--reason", "\x1b[2J"}} {
		_, told, err := scorelay(wrong...)
		require.Error(t, err, wrong)
		require.Regexp(t, `--all|there is no such lane|--project|--reason`, told)
	}
	c := newCaller(t, s.info(t))
	project := c.project.String()
	does("Paused project "+project+": relayers bind nothing new of it, and see to what is bound; accepting continues.",
		"pause", "--project", project, "--reason", "a wrong price")
	look := func() (doc overview.Document) {
		out, told, err := scorelay("status", "--json")
		require.NoError(t, err, told)
		require.NoError(t, json.Unmarshal([]byte(out), &doc))
		return doc
	}
	var held []score.UpdateID
	var doc overview.Document
	require.Eventually(t, func() bool { // all processes know it
		held = append(held, c.send(t, 1)...)
		doc = look()
		update, err := c.api.Update(t.Context(), c.project, held[len(held)-1])
		require.NoError(t, err)
		return update.Waits != nil && *update.Waits == sdk.Waits{Why: "paused", Reason: "a wrong price"} && len(doc.Backlog) == 1
	}, 2*time.Minute, 10*time.Millisecond)
	require.Equal(t, "a wrong price", doc.PausedProjects[c.project].Reason)
	does("paused by an operator: 1 of the projects", "status")
	does("nothing of it is accepted", "pause", "--project", project, "--no-accepting")
	refused := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.api.UpdateScore(ctx, sdk.NamedUpdate{
			UpdateID: c.minter.Next(), ProjectID: c.project, ActionName: "purchase", ScoreType: "reputation", TargetWallet: c.target,
		}, c.sign)
		return err != nil && strings.Contains(err.Error(), "paused")
	}
	require.Eventually(t, refused, 2*time.Minute, 10*time.Millisecond)
	does("Nothing to resume: project 0x", "resume", "--project", score.ProjectID{9}.String())
	does("Resumed project "+project, "resume", "--project", project)
	require.Eventually(t, func() bool { return !refused() }, 2*time.Minute, 10*time.Millisecond)
	c.final(t, held)
	require.Eventually(t, func() bool {
		r := look().Rates
		return r != nil && r.AcceptedPerSecond > 0 && r.FinalPerSecond > 0 && *r.GasPerUpdate > 1_000
	}, 2*time.Minute, 10*time.Millisecond)

	does("Paused lane 0: relayers bind nothing new, and see to what is bound; accepting continues.", "pause", "--lane", "0", "--reason", "a drill")
	does("lane 0 waits: an operator paused it", "status")
	does("Paused all lanes", "pause", "--all")
	does("but everything is paused still", "resume", "--lane", "0")
	waiting := c.send(t, 3)
	doc = look()
	require.Equal(t, "an operator paused all lanes, and accepting continues", doc.Verdict)
	require.Len(t, doc.Backlog, 1)
	require.Equal(t, uint64(3), doc.Backlog[0].Updates)
	require.Equal(t, c.project, doc.Backlog[0].Project)
	does("nothing is accepted", "pause", "--all", "--accepting=false", "--reason", "the chain is upgraded")
	require.Eventually(t, refused, 2*time.Minute, 10*time.Millisecond)
	does("Resumed all lanes.", "resume", "--all")
	does("Top-ups begin again", "topup", "resume")
	c.final(t, waiting)
	c.final(t, c.send(t, 1))
}

// statusOf looks at a stack with `scorelay status`: as JSON, as text, and on a terminal of 80×24, where it is written over in place.
func statusOf(t *testing.T, s *stack, scorelay func(args ...string) (string, string, error)) {
	t.Helper()
	var doc overview.Document
	require.Eventually(t, func() bool { // until the relayers say more of their lanes than their leases do
		out, told, err := scorelay("status", "--json")
		require.NoError(t, err, told)
		require.NoError(t, json.Unmarshal([]byte(out), &doc))
		return doc.OK && doc.Redis.Rebuilding == "" && len(doc.Replicas) > 1 && len(doc.Endpoints) > len(doc.Replicas)
	}, 2*time.Minute, 10*time.Millisecond)
	require.Equal(t, "all lanes move", doc.Verdict)
	sent := uint64(0)
	for _, l := range doc.Lanes {
		require.True(t, l.Moves)
		require.NotEmpty(t, l.Replica)
		require.NotZero(t, l.Epoch)
		require.NotEmpty(t, l.BalanceWei)
		require.Equal(t, l.Nonces.Journaled, *l.Nonces.Chain)
		sent += l.Nonces.Settled
	}
	require.NotZero(t, sent)
	for _, r := range doc.Replicas {
		require.NotEmpty(t, r.Version)
	}
	require.Empty(t, doc.Backlog)
	require.NotZero(t, doc.Chain.Final)
	require.NotZero(t, doc.NATS.Bound)

	out, told, err := scorelay("status")
	require.NoError(t, err, told)
	require.Regexp(t, `^all lanes move\nchain \d+   head [\d,]+ \([\d.]+ s ago\)   final [\d,]+\n\nlane driver`, out)
	w := onTerminal(t, nil, "status", "--watch", "--data-dir", s.dir)
	seen := w.sees(t, "all lanes move", "lane driver", "replicas   api ", "NATS       ok")
	require.Eventually(t, func() bool { return w.now() != seen }, 2*time.Minute, 10*time.Millisecond, "it is refreshed")
	require.Equal(t, 1, strings.Count(w.sees(t, "lane driver", "Redis ok"), "lane driver"), "in place")
	w.fits(t)
	_, err = w.tty.WriteString("\x03")
	require.NoError(t, err)
	require.NoError(t, w.ended(t))
}

// deadLetters has an update whose signer is no member in the stream, as after a member was removed, and looks after
// what becomes of it.
func deadLetters(t *testing.T, s *stack, scorelay func(args ...string) (string, string, error)) {
	t.Helper()
	conn, err := nats.Connect(s.info(t).NATSURL, nats.Timeout(time.Minute))
	require.NoError(t, err)
	defer conn.Close()
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(30*time.Second))
	require.NoError(t, err)
	opened, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	u := score.Update{Project: place(t, s.info(t)).Project, ID: score.UpdateID{1}, Signer: common.Address{2}, Target: common.Address{3}}
	require.NoError(t, opened.PublishEnvelope(t.Context(), "test", []score.Update{u}, nil))
	id := u.ID.String()
	var first string
	dead := func(again bool) {
		require.Eventually(t, func() bool {
			out, _, err := scorelay("dlq", "show", id)
			if err != nil || again && out == first {
				return false
			}
			first = out
			return strings.Contains(out, "neither owner nor updater")
		}, 2*time.Minute, 50*time.Millisecond, "the update becomes a dead letter")
	}
	dead(false)
	out, told, err := scorelay("dlq", "list")
	require.NoError(t, err, told)
	require.Contains(t, out, "not_member")
	out, told, err = scorelay("dlq", "replay", id)
	require.NoError(t, err, told)
	require.Equal(t, "replayed 1 of 1", out)
	dead(true)
	projects, err := directory.Open(t.Context(), js)
	require.NoError(t, err)
	refusedReplays(t, s, opened, projects, scorelay)
	out, told, err = scorelay("audit", "--wait", "3m")
	require.NoError(t, err, "%s %s", out, told)
	require.Contains(t, out, "rejected 4, pending 0, lost 0, doubled 0")
}

// refusedReplays has dead letters whose replay would put the service's word in place of a signature, among one whose would
// not.
func refusedReplays(
	t *testing.T, s *stack, opened *stream.Stream, projects *directory.Directory, scorelay func(args ...string) (string, string, error),
) {
	t.Helper()
	info := s.info(t)
	client := dial(t, info, info.APIKey, 1)
	at := signedOnly(t, client, place(t, info))
	u := score.Update{Project: at.Project, ID: score.UpdateID{1}, Signer: at.Updaters[0].Address, Target: common.Address{3}}
	// As if it had been accepted before the project switched.
	require.NoError(t, opened.PublishEnvelope(t.Context(), "unsigned", []score.Update{u}, nil))
	id := ""
	require.Eventually(t, func() bool {
		out, _, err := scorelay("dlq", "list")
		for _, line := range strings.Split(out, "\n") {
			if fields := strings.Fields(line); strings.Contains(line, "signature_required") {
				id = fields[0]
			}
		}
		return err == nil && id != ""
	}, 2*time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		rec, err := projects.Project(t.Context(), at.Project)
		return err == nil && rec != nil && rec.SignedOnly
	}, 2*time.Minute, 50*time.Millisecond)
	_, told, err := scorelay("dlq", "replay", id)
	require.Error(t, err)
	require.Contains(t, told, "sign it and send it to POST /update-scores: its updateId is unused")

	u.ID = score.UpdateID{2}
	u.Project = place(t, info).Project
	require.NoError(t, opened.AddDeadLetters(t.Context(), []score.DeadLetter{{
		Outcome: score.NotMember, Update: &u, Signed: true, Time: time.Now(),
	}}))
	out, told, err := scorelay("dlq", "replay", "--all")
	require.Error(t, err)
	require.Contains(t, told, "signed it together with others")
	require.Equal(t, "replayed 1 of 3", out)
}

// TestWrongCommandLines end with status 2 or 1 and say what to do.
func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"nonsense"}, 2, "unexpected argument nonsense"},
		{[]string{"dev", "--apis", "0", "--data-dir", empty}, 2, "--apis must be from 1 to 32, is 0"},
		{[]string{"audit", "--data-dir", empty}, 2, "the audit could not look: say where the deployment is with --nats-url"},
		{[]string{"load", "--data-dir", empty, "--rate=-1"}, 1, "--rate must be more than 0"},
		{[]string{"load", "--data-dir", empty, "--api", "http://x", "--api-key", "k", "--signed", "1", "--contract", "0x1"}, 1, "--contract must be 0x"},
		{[]string{"setup", "--data-dir", empty}, 1, "no signer is named"},
		{[]string{"dlq", "replay", "--data-dir", empty}, 1, "or --all"},
		{[]string{"keys", "list", "--data-dir", empty}, 1, "or start one with `scorelay dev`"},
	} {
		cmd := command(t, "scorelay", c.args...)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Equal(t, c.code, cmd.ProcessState.ExitCode(), "%v: %s", c.args, out)
		require.Contains(t, string(out), c.says)
	}
	for _, name := range []string{"api", "relayer"} {
		cmd := command(t, name, "--nope")
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Equal(t, 2, cmd.ProcessState.ExitCode())
		require.Contains(t, string(out), "unknown flag --nope")
	}
}
