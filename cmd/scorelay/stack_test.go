package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	processes "github.com/scorelay/scorelay/pkg/devnet/rig/stack"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// asScorelay is the environment variable that has this test program be scorelay: linking another program takes longer than most tests.
const asScorelay = "BE_SCORELAY"

// atOnce is how many tests run side by side unless -parallel says otherwise: stacks wait more than they compute.
const atOnce = 6

func TestMain(m *testing.M) {
	if os.Getenv(asScorelay) != "" {
		switch args := os.Args[1:]; filepath.Base(os.Args[0]) {
		case "api":
			os.Exit(app.MainAPI(args))
		case "relayer":
			os.Exit(app.MainRelayer(args))
		case "stack":
			os.Exit(processes.Main(args))
		}
		main()
	}
	for name, value := range map[string]string{asScorelay: "1", "OTEL_BSP_SCHEDULE_DELAY": "100"} { // for all that is started from here
		_ = os.Setenv(name, value)
	}
	long.Beside(atOnce)
	os.Exit(m.Run())
}

// programs is a folder of what a stack of processes runs: this test program under four names.
func programs(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"api", "relayer", "scorelay", "stack"} {
		require.NoError(t, os.Symlink(command().Path, filepath.Join(dir, name)))
	}
	return dir
}

// command is scorelay with these arguments.
func command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exec.Command(self, args...)
}

// confirmations of the stacks under test.
const confirmations = 2

// stack is a `scorelay dev`, or a stack of processes, under attack.
type stack struct {
	dir   string
	out   *bytes.Buffer
	cmd   *exec.Cmd
	ended chan struct{}

	killed bool // by its test, which does not expect a clean end
}

// startStack starts `scorelay dev` and waits for its dev.json.
func startStack(t *testing.T, args ...string) *stack {
	t.Helper()
	return begun(t, command(append([]string{"dev", "--port", "0"}, args...)...))
}

// startProcesses starts a stack of the processes in a folder.
func startProcesses(t *testing.T, programs string, args ...string) *stack {
	t.Helper()
	return begun(t, exec.Command(filepath.Join(programs, "stack"), append([]string{"--programs", programs}, args...)...))
}

// takesStack skips what takes a whole stack from who asks for what is quick.
func takesStack(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes a stack, up to some minutes; .ci/run runs it, without -short")
	}
}

// begun starts a stack, and ends it after the test.
func begun(t *testing.T, cmd *exec.Cmd) *stack {
	t.Helper()
	takesStack(t)
	s := &stack{dir: t.TempDir(), out: &bytes.Buffer{}, cmd: cmd, ended: make(chan struct{})}
	if at := slices.Index(cmd.Args, "--data-dir"); at >= 0 {
		s.dir = cmd.Args[at+1]
	}
	for flag, value := range map[string]string{"--data-dir": s.dir, "--block-time": "250ms", "--confirmations": fmt.Sprint(confirmations)} {
		if !slices.Contains(cmd.Args, flag) {
			cmd.Args = append(cmd.Args, flag, value)
		}
	}
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	require.NoError(t, s.cmd.Start())
	var failed error
	go func() { defer close(s.ended); failed = s.cmd.Wait() }()
	t.Cleanup(func() {
		if s.killed {
			return
		}
		_ = s.cmd.Process.Signal(os.Interrupt)
		select {
		case <-s.ended:
			require.NoError(t, failed, "Ctrl-C ends everything cleanly: %s", s.out)
		case <-time.After(2 * time.Minute):
			_ = s.cmd.Process.Kill()
			t.Errorf("the stack did not end: %s", s.out)
		}
		_, err := devnet.ReadInfo(s.dir)
		require.ErrorIs(t, err, os.ErrNotExist)
		if t.Failed() {
			s.keepLogs(t)
		}
	})
	require.Eventually(t, func() bool {
		info, err := devnet.ReadInfo(s.dir)
		return err == nil && slices.Equal(info.PIDs["dev"], []int{s.cmd.Process.Pid}) // not of a run before
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

// scorelay runs a command for the stack, and returns its result and what it says beside it.
func (s *stack) scorelay(args ...string) (out, told string, err error) {
	cmd := command(append(args, "--data-dir", s.dir)...)
	var result, beside strings.Builder
	cmd.Stdout, cmd.Stderr = &result, &beside
	err = cmd.Run()
	return strings.TrimSpace(result.String()), beside.String(), err
}

// does runs a command that succeeds, and returns its result.
func (s *stack) does(t *testing.T, args ...string) string {
	t.Helper()
	out, told, err := s.scorelay(args...)
	require.NoError(t, err, "%v: %s %s", args, out, told)
	return out
}

// fails runs a command that says why it does not succeed.
func (s *stack) fails(t *testing.T, says string, args ...string) {
	t.Helper()
	out, told, err := s.scorelay(args...)
	require.Error(t, err, "%v: %s", args, out)
	require.Contains(t, told, says)
}

// audited expects that nothing is lost, and nothing doubled.
func (s *stack) audited(t *testing.T, args ...string) (out string) {
	t.Helper()
	out = s.does(t, append([]string{"audit", "--wait", "3m"}, args...)...)
	require.Contains(t, out, "lost 0, doubled 0")
	return out
}

func (s *stack) info(t *testing.T) *devnet.Info {
	t.Helper()
	info, err := devnet.ReadInfo(s.dir)
	require.NoError(t, err)
	return info
}

// jetStream connects to the stack's NATS, again after each time that it is away.
func (s *stack) jetStream(t *testing.T) jetstream.JetStream {
	t.Helper()
	return fresh.JetStreamAt(t, s.info(t).NATSURL)
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

// redis connects to the stack's Redis.
func (s *stack) redis(t *testing.T) *redis.Client {
	t.Helper()
	opts, err := redis.ParseURL(s.info(t).RedisURL)
	require.NoError(t, err)
	client := redis.NewClient(opts)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// place is the stack's demo project, as a client finds it in dev.json.
func place(t *testing.T, info *devnet.Info) *load.Place {
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
func dial(t *testing.T, info *devnet.Info, key string, connections int) *load.Client {
	t.Helper()
	client, err := load.NewClient(key, connections, info.APIURLs...)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	client.Domain = info.Domain()
	return client
}

// loadOf is a load for a running stack.
func loadOf(info *devnet.Info, rate float64) load.Options {
	o := load.DefaultOptions()
	o.URLs, o.Key, o.Rate = info.APIURLs, info.APIKey, rate
	return o
}

// TestDemo runs the README's command, smaller.
func TestDemo(t *testing.T) {
	t.Parallel()
	takesStack(t)
	out, told, err := (&stack{dir: t.TempDir()}).scorelay("dev", "--port", "0", "--block-time", "250ms", "--demo", "1000")
	require.NoError(t, err, "%s %s", out, told)
	require.Regexp(t, `(?s)
  accepted     1,000
  applied      1,000
  lost         0, and 0 applied more than once
  duplicates   10
  rate         \d+ updates/s final, \d+/s accepted
  cost         [\d,]+ gas an update
  final after  [\d.]+ s \(p50\), .*

All 1,000 accepted updates were applied exactly once. The stream, the contract's events and its scores agree.$`, out)
}

// TestCommands runs the operator's commands beside a stack.
func TestCommands(t *testing.T) {
	t.Parallel()
	s := startStack(t)
	keys(t, s)
	loads(t, s)
	sendsOne(t, s)
	s.audited(t)
	exports(t, s)
	require.Equal(t, "ID  TIME  OUTCOME  REASON", s.does(t, "dlq", "list"))
	deadLetters(t, s)
	s.fails(t, "no dead letter has this id", "dlq", "show", "00000000")

	out := s.does(t, "halt", "show")
	require.Regexp(t, `^Accepting does not halt, and never did\.\n\nThe stream of accepted updates ends at sequence \d+`, out)
	require.NotContains(t, out, "missing")
	s.fails(t, "decide: --nothing-lost or --accept-loss", "halt", "resume")
	s.fails(t, "there is nothing to resume", "halt", "resume", "--accept-loss")

	dir, other := filepath.Join(t.TempDir(), "backup"), fresh.NATS(t).URL
	require.Regexp(t, `^backed 13 streams up in .*\nit holds what was accepted before \S+, up to sequence \d+$`, s.does(t, "backup", dir))
	s.does(t, "keys", "create", "later") // so that what is there is surely not what the backup holds
	s.fails(t, "the stream exists", "restore", dir)
	require.Regexp(t, `restored SCORELAY, \d+ messages up to sequence \d+\nNATS holds what was accepted before \S+;`,
		s.does(t, "restore", dir, "--nats-url", other))
	require.NotContains(t, s.does(t, "halt", "show", "--nats-url", other), "missing")
	s.audited(t, "--nats-url", other)

	statusOf(t, s)
	pauses(t, s)
	webhooks(t, s)
	s.audited(t)
	s.fails(t, "another `scorelay dev`", "dev", "--port", "0")
}

// loads sends updates alone and in groups.
func loads(t *testing.T, s *stack) {
	t.Helper()
	o := loadOf(s.info(t), 200)
	o.Duration, o.Projects, o.Signed, o.Group = time.Second, 2, 50, 25
	summary, err := load.Generate(t.Context(), o, io.Discard)
	require.NoError(t, err)
	require.False(t, summary.Bad(), summary)
	require.GreaterOrEqual(t, summary.Accepted, 200)
}

// sendsOne sends an update from a shell, to the demo project and as one does to any deployment.
func sendsOne(t *testing.T, s *stack) {
	t.Helper()
	info := s.info(t)
	out := s.does(t, "send", "--wait", "2m")
	m := regexp.MustCompile(`^accepted: update (0x\S{64}) of project ` + info.ProjectID + `, purchase in reputation for (0x\S{40}), signed by (0x\S{40})\nfinal: the update accepted under this id was applied in block \d+$`).FindStringSubmatch(out)
	require.NotNil(t, m, out)
	require.Equal(t, m[2], m[3])
	again := s.does(t, "send", "--id", m[1], "--action", "refund")
	require.Contains(t, again, "duplicate: an update "+m[1])
	require.NotContains(t, again, "refund")
	s.fails(t, "unknown_action", "send", "--action", "no such action")

	send := func(args ...string) (string, error) {
		cmd := command(append([]string{"send", info.ProjectID, "--api", info.APIURL, "--action", "refund", "--target", "0x00000000000000000000000000000000000000aa"}, args...)...)
		cmd.Env = append(os.Environ(), "SCORELAY_API_KEY="+info.APIKey, "SCORELAY_WALLET_KEY="+info.OwnerKey)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := send()
	require.NoError(t, err, out)
	require.Contains(t, out, "refund in reputation for 0x00000000000000000000000000000000000000AA")
	out, err = send("--chain-id", fmt.Sprint(info.ChainID), "--contract", info.Contract)
	require.NoError(t, err, out)
	out, err = send("--chain-id", "7", "--contract", info.Contract)
	require.Error(t, err)
	require.Contains(t, out, "the API's domain cannot be signed for")
}

// keys has a key be made, bound to another project, and revoked.
func keys(t *testing.T, s *stack) {
	t.Helper()
	key := s.does(t, "keys", "create", "acme", "--rate", "50")
	require.Regexp(t, `^scorelay_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$`, key)
	id := strings.Split(key, "_")[1]
	require.Regexp(t, id+` +acme +50/s +50/s +default +1000000000 +1000000 +1000000 +- +all`, s.does(t, "keys", "list"))
	client, project := dial(t, s.info(t), key, 1), place(t, s.info(t)).Project
	answers := func(is func(*sdk.ProjectState, error) bool, why string) {
		t.Helper()
		require.Eventually(t, func() bool { return is(client.Project(t.Context(), project)) }, 2*time.Minute, 10*time.Millisecond, why)
	}
	refused := func(code string) func(*sdk.ProjectState, error) bool {
		return func(_ *sdk.ProjectState, err error) bool { return err != nil && strings.Contains(err.Error(), code) }
	}
	answers(func(p *sdk.ProjectState, err error) bool { return err == nil && p.Final() }, "the key opens the API")
	list := s.does(t, "keys", "edit", id, "--projects", score.ProjectID{1}.String(), "--expires", "1h")
	require.Regexp(t, id+` +acme +50/s +50/s +default +1000000000 +1000000 +1000000 +- +all +1 +any `, list)
	answers(refused("key_other_projects"), "it is bound to another project")
	s.does(t, "keys", "revoke", id)
	answers(refused("invalid_api_key"), "the key is revoked; package apikey tests how soon")
}

// exports exports the demo project to files and shows it.
func exports(t *testing.T, s *stack) {
	t.Helper()
	dir, project := t.TempDir(), s.info(t).ProjectID
	_, told, err := s.scorelay("export", "scores", project, "--output", filepath.Join(dir, "scores.csv"))
	require.NoError(t, err, told)
	require.Regexp(t, `\d+ scores of \d+ updates, equal to the contract's own, as of block \d+`, told)
	out, told, err := s.scorelay("export", "updates", project, "--output", filepath.Join(dir, "updates.ndjson"))
	require.NoError(t, err, told)
	require.Empty(t, out)
	_, cursor, found := strings.Cut(strings.TrimSpace(told), "--after ")
	require.True(t, found, told)
	require.Empty(t, s.does(t, "export", "updates", project, "--format", "ndjson", "--after", cursor))
	file, err := os.ReadFile(filepath.Join(dir, "updates.ndjson"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(file)), s.does(t, "export", "updates", project, "--format", "ndjson"))
	s.fails(t, "does not exist in any final block", "export", "updates", score.ProjectID{1}.String())

	out = s.does(t, "projects", "show", project)
	require.Regexp(t, `(?m)^project +`+project+`\n(.*\n)*edit nonce +0\n(.*\n)*action 0 +`, out)
	require.NotContains(t, out, "differs")
}

// pauses has a project, lanes and accepting pause and resume.
func pauses(t *testing.T, s *stack) {
	t.Helper()
	does := func(want string, args ...string) {
		t.Helper()
		require.Contains(t, s.does(t, args...), want)
	}
	for _, wrong := range [][]string{{"pause"}, {"resume"}, {"pause", "--lane", "0", "--all"}, {"pause", "--lane", "0", "--no-accepting"}, {"resume", "--project", "0x1"}, {"pause", "--lane", "4000"}, {"pause", "--all", "--reason", "\x1b[2J"}} {
		_, told, err := s.scorelay(wrong...)
		require.Error(t, err, wrong)
		require.Regexp(t, `--all|there is no such lane|--project|--reason`, told)
	}
	c := newCaller(t, s.info(t))
	project := c.project.String()
	does("Paused project "+project+": relayers bind nothing new of it, and see to what is bound; accepting continues.",
		"pause", "--project", project, "--reason", "a wrong price")
	look := func() (doc overview.Document) {
		require.NoError(t, json.Unmarshal([]byte(s.does(t, "status", "--json")), &doc))
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
func statusOf(t *testing.T, s *stack) {
	t.Helper()
	var doc overview.Document
	require.Eventually(t, func() bool { // until the relayers say more of their lanes than their leases do
		doc = overview.Document{}
		require.NoError(t, json.Unmarshal([]byte(s.does(t, "status", "--json")), &doc))
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

	require.Regexp(t, `^all lanes move\nchain \d+   head [\d,]+ \([\d.]+ s ago\)   final [\d,]+\n\nlane driver`, s.does(t, "status"))
	w := onTerminal(t, nil, "status", "--watch", "--data-dir", s.dir)
	seen := w.sees(t, "all lanes move", "lane driver", "replicas   api ", "NATS       ok")
	require.Eventually(t, func() bool { return w.now() != seen }, 2*time.Minute, 10*time.Millisecond, "it is refreshed")
	require.Equal(t, 1, strings.Count(w.sees(t, "lane driver", "Redis ok"), "lane driver"), "in place")
	w.fits(t)
	_, err := w.tty.WriteString("\x03")
	require.NoError(t, err)
	require.NoError(t, w.ended(t))
}

// deadLetters has an update whose signer is no member in the stream, as after a member was removed, and looks after
// what becomes of it.
func deadLetters(t *testing.T, s *stack) {
	t.Helper()
	js := s.jetStream(t)
	opened, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	u := score.Update{Project: place(t, s.info(t)).Project, ID: score.UpdateID{1}, Signer: common.Address{2}, Target: common.Address{3}}
	require.NoError(t, opened.PublishEnvelope(t.Context(), "test", []score.Update{u}, nil))
	id := u.ID.String()
	var first string
	dead := func(again bool) {
		require.Eventually(t, func() bool {
			out, _, err := s.scorelay("dlq", "show", id)
			if err != nil || again && out == first {
				return false
			}
			first = out
			return strings.Contains(out, "neither owner nor updater")
		}, 2*time.Minute, 50*time.Millisecond, "the update becomes a dead letter")
	}
	dead(false)
	require.Contains(t, s.does(t, "dlq", "list"), "not_member")
	require.Equal(t, "replayed 1 of 1", s.does(t, "dlq", "replay", id))
	dead(true)
	projects, err := kv.OpenProjects(t.Context(), js)
	require.NoError(t, err)
	refusedReplays(t, s, opened, projects)
	require.Contains(t, s.audited(t), "rejected 4, pending 0, lost 0, doubled 0")
}

// refusedReplays has dead letters whose replay would put the service's word in place of a signature, among one whose would
// not.
func refusedReplays(t *testing.T, s *stack, opened *stream.Stream, projects *kv.Projects) {
	t.Helper()
	info := s.info(t)
	client := dial(t, info, info.APIKey, 1)
	at := signedOnly(t, client, place(t, info))
	u := score.Update{Project: at.Project, ID: score.UpdateID{1}, Signer: at.Updaters[0].Address, Target: common.Address{3}}
	// As if it had been accepted before the project switched.
	require.NoError(t, opened.PublishEnvelope(t.Context(), "unsigned", []score.Update{u}, nil))
	id := ""
	require.Eventually(t, func() bool {
		out, _, err := s.scorelay("dlq", "list")
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
	s.fails(t, "sign it and send it to POST /update-scores: its updateId is unused", "dlq", "replay", id)

	u.ID = score.UpdateID{2}
	u.Project = place(t, info).Project
	require.NoError(t, opened.AddDeadLetters(t.Context(), []score.DeadLetter{{
		Outcome: score.NotMember, Update: &u, Signed: true, Time: time.Now(),
	}}))
	out, told, err := s.scorelay("dlq", "replay", "--all")
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
		{[]string{"dev", "--lanes", "0", "--data-dir", empty}, 2, "--lanes must be from 1 to 256, is 0"},
		{[]string{"audit", "--data-dir", empty}, 2, "the audit could not look: say where the deployment is with --nats-url"},
		{[]string{"send", "--data-dir", empty}, 1, "or start one with `scorelay dev`"},
		{[]string{"send", "--api", "http://x"}, 1, "name the project"},
		{[]string{"send", "0x1", "--api", "http://x"}, 1, "set --wallet-keystore with --wallet-password-file or, for development, SCORELAY_WALLET_KEY"},
		{[]string{"send", "0x1", "--api", "http://x", "--contract", "0x1"}, 1, "--contract must be 0x"},
		{[]string{"setup", "--data-dir", empty}, 1, "no signer is named"},
		{[]string{"dlq", "replay", "--data-dir", empty}, 1, "or --all"},
		{[]string{"keys", "list", "--data-dir", empty}, 1, "or start one with `scorelay dev`"},
	} {
		cmd := command(c.args...)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Equal(t, c.code, cmd.ProcessState.ExitCode(), "%v: %s", c.args, out)
		require.Contains(t, string(out), c.says)
	}
}
