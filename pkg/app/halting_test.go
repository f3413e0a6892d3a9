package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// timeMachine is a deployment whose NATS can be restored from an older copy: an API, a relayer, real servers.
type timeMachine struct {
	*bench
	t        *testing.T
	dir      string // of NATS
	port     int
	monitor  int
	settings *APISettings
	d        score.Deployment
	stream   *stream.Stream
	marks    kv.Doc[halt.Marker]
	client   *sdk.Client
	project  *score.Project
	log      *slog.Logger // of what is started from now on

	endAPI, endRelayer func()
}

func newTimeMachine(t *testing.T) *timeMachine {
	t.Helper()
	m := &timeMachine{t: t, dir: filepath.Join(t.TempDir(), "nats"), port: freePort(t), monitor: freePort(t), bench: &bench{redis: fresh.Redis(t)}, log: quiet}
	m.start()
	t.Cleanup(func() { m.nats.Close() })
	m.connect(t)
	var err error
	m.d, err = m.setUp(t.Context(), t, SetupPlan{Relayers: []common.Address{devnet.Address(1)}})
	require.NoError(t, err)
	m.stream, err = stream.Open(t.Context(), m.js)
	require.NoError(t, err)
	m.marks, err = halt.Open(t.Context(), m.js)
	require.NoError(t, err)
	keys, err := apikey.Open(t.Context(), m.js)
	require.NoError(t, err)
	secret, _, err := keys.Create(t.Context(), "test", apikey.Terms{})
	require.NoError(t, err)
	m.settings = m.apiSettings(t)
	m.settings.Redis.StatusRetention = time.Hour
	m.client = sdk.NewClient("http://"+m.settings.Listen, secret.Reveal(), nil)
	m.endAPI, m.endRelayer = m.startAPI(), m.startRelayer()
	m.project = m.create(1)
	require.Eventually(t, func() bool { state, _ := m.state(); return state.Next > 0 }, 3*time.Minute, 50*time.Millisecond)
	return m
}

func (m *timeMachine) start() {
	m.t.Helper()
	var err error
	m.nats, err = devnet.StartNATS(m.dir, devnet.NATSOptions{Port: m.port, MonitorPort: m.monitor})
	require.NoError(m.t, err)
}

func (m *timeMachine) startAPI() (end func()) {
	log := m.log
	end = run(m.t, func(drain, kill context.Context) error { return RunAPI(drain, kill, m.settings, log) })
	require.Eventually(m.t, func() bool { return m.get("/readyz") == http.StatusOK }, 2*time.Minute, 20*time.Millisecond)
	return end
}

func (m *timeMachine) startRelayer() (end func()) {
	s := parsed[RelayerSettings](m.t, "--signer-keys", hexutil.Encode(crypto.FromECDSA(devnet.Key(1))))
	s.NATS, s.Redis, s.Chain, s.AdminListen = m.settings.NATS, m.settings.Redis, m.settings.Chain, "127.0.0.1:0"
	s.PollInterval, s.Linger, s.LeaseTTL = 20*time.Millisecond, 5*time.Millisecond, 10*time.Second // a slow machine loses no lease
	log := m.log
	return run(m.t, func(drain, kill context.Context) error { return RunRelayer(drain, kill, s, log) })
}

func (m *timeMachine) get(path string) int {
	resp, err := http.Get("http://" + m.settings.Listen + path)
	if err != nil {
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

func (m *timeMachine) create(n byte) *score.Project {
	m.t.Helper()
	p := &score.Project{
		ID: score.ProjectID{n}, Name: "p", Actions: []score.Action{{Name: "up", Points: 1}},
		Owners: []common.Address{devnet.Address(5)}, ScoreTypes: []string{"reputation"},
	}
	require.NoError(m.t, sdk.Retry(m.t.Context(), func() error { return m.client.CreateProject(m.t.Context(), p) }))
	return p
}

func updateID(n int) score.UpdateID { return score.UpdateID{30: byte(n >> 8), 31: byte(n)} }

// post sends an update once.
func (m *timeMachine) post(p *score.Project, n int) (duplicate bool, err error) {
	return m.client.UpdateScore(m.t.Context(), sdk.NamedUpdate{
		ProjectID: p.ID, UpdateID: updateID(n), ActionName: "up", ScoreType: "reputation", TargetWallet: common.Address{9},
	}, sdk.KeySigner(devnet.Key(5)))
}

// send sends updates until each is accepted, and counts those that were not duplicates.
func (m *timeMachine) send(p *score.Project, from, to int) (accepted int) {
	m.t.Helper()
	for n := from; n < to; n++ {
		require.NoError(m.t, sdk.Retry(m.t.Context(), func() error {
			duplicate, err := m.post(p, n)
			if err == nil && !duplicate {
				accepted++
			}
			return err
		}))
	}
	return accepted
}

// points waits until the chain shows a project's score.
func (m *timeMachine) points(p *score.Project, want int64) {
	m.t.Helper()
	got := int64(0)
	require.Eventuallyf(m.t, func() bool {
		scores, err := registry.ReadWalletScores(p.ID, common.Address{9}).Do(m.t.Context(), func(ctx context.Context, data []byte) ([]byte, error) {
			return m.rpc.View(ctx, m.d.Contract, data)
		})
		if err == nil && len(scores) > 0 {
			got = scores[0]
		}
		return got == want
	}, 2*time.Minute, 50*time.Millisecond, "want %d points", want)
}

// copied stops NATS, copies its data, and starts it again.
func (m *timeMachine) copied() (dir string) {
	m.t.Helper()
	dir = filepath.Join(m.t.TempDir(), "copy")
	m.swap(func() { require.NoError(m.t, os.CopyFS(dir, os.DirFS(m.dir))) })
	return dir
}

// copiedHalfway copies NATS's data when 10 updates are applied. Then 10 more are, and no relayer runs.
func (m *timeMachine) copiedHalfway() (dir string) {
	m.t.Helper()
	m.send(m.project, 0, 10)
	m.points(m.project, 10)
	dir = m.copied()
	m.send(m.project, 10, 20)
	m.points(m.project, 20)
	m.endRelayer()
	return dir
}

// swap changes NATS's data while it is down.
func (m *timeMachine) swap(change func()) {
	m.t.Helper()
	m.nats.Close()
	change()
	m.start()
}

// restored puts the copy of what is under a directory of NATS's data in its place.
func (m *timeMachine) restored(dir, what string) {
	m.t.Helper()
	m.swap(func() { m.put(filepath.Join(dir, what), what) })
}

// put puts a directory in the place of one of NATS's data, which is down.
func (m *timeMachine) put(dir, what string) {
	m.t.Helper()
	require.NoError(m.t, os.RemoveAll(filepath.Join(m.dir, what)))
	require.NoError(m.t, os.CopyFS(filepath.Join(m.dir, what), os.DirFS(dir)))
}

// halted waits until posts are answered that accepting halts, and NATS has the marker of it; none is accepted before.
func (m *timeMachine) halted(n int) {
	m.t.Helper()
	require.Eventually(m.t, func() bool {
		_, err := m.post(m.project, n)
		require.Error(m.t, err, "nothing may be accepted")
		refused := (*sdk.Error)(nil)
		require.ErrorAs(m.t, err, &refused)
		return refused.Code == "halted"
	}, 3*time.Minute, 20*time.Millisecond)
	require.Eventually(m.t, func() bool { return m.look().Marker.Halts() }, 2*time.Minute, 20*time.Millisecond, "who found it writes the marker")
}

// forgotten waits until a relayer had Redis forget updates that were lost: until then they are duplicates. That one is accepted tells
// less: it also is while Redis does not answer.
func (m *timeMachine) forgotten(p *score.Project, from, to int) {
	m.t.Helper()
	var ids []score.UpdateID
	for n := from; n < to; n++ {
		ids = append(ids, updateID(n))
	}
	require.Eventually(m.t, func() bool {
		statuses, err := m.client.Updates(m.t.Context(), p.ID, ids)
		return err == nil && !slices.ContainsFunc(statuses, func(s sdk.Status) bool { return s.Stage != sdk.Unknown })
	}, 3*time.Minute, 50*time.Millisecond)
}

// noted waits until Redis knows how far the stream is.
func (m *timeMachine) noted() {
	m.t.Helper()
	require.Eventually(m.t, func() bool { h := m.look(); return h.NoteErr == nil && h.Noted >= h.Stream.LastSeq }, 2*time.Minute, 50*time.Millisecond)
}

// look is what the command sees.
func (m *timeMachine) look() *Halting {
	m.t.Helper()
	statuses, closeRedis, err := OpenStatuses(m.stream, Secret(m.redis.URL))
	require.NoError(m.t, err)
	m.t.Cleanup(func() { _ = closeRedis() })
	var h *Halting
	require.Eventually(m.t, func() bool { // NATS may have been away
		h, err = LookAtHalt(m.t.Context(), m.js, m.stream, statuses)
		return err == nil
	}, 2*time.Minute, 50*time.Millisecond)
	return h
}

func (m *timeMachine) state() (*lane.State, uint64) {
	m.t.Helper()
	journals, err := stream.OpenJournal(m.t.Context(), m.js)
	require.NoError(m.t, err)
	state, last, err := journals.State(m.t.Context(), 0)
	require.NoError(m.t, err)
	return state, last
}

// remembered copies what Redis holds. The result puts that in the place of what it holds then.
func (m *timeMachine) remembered() (back func()) {
	m.t.Helper()
	client, err := redisdb.Open(m.redis.URL)
	require.NoError(m.t, err)
	m.t.Cleanup(func() { _ = client.Close() })
	keys, err := client.Keys(m.t.Context(), "*").Result()
	require.NoError(m.t, err)
	copied := map[string]string{}
	for _, key := range keys {
		if value, err := client.Dump(m.t.Context(), key).Result(); err == nil { // else it expired
			copied[key] = value
		}
	}
	return func() {
		require.NoError(m.t, client.FlushAll(m.t.Context()).Err())
		for key, value := range copied {
			require.NoError(m.t, client.RestoreReplace(m.t.Context(), key, 0, value).Err())
		}
	}
}

// resumeLane is an operator's `lanes resume`: the signer's transactions below a nonce stand. A session may come before, then it is repeated.
func (m *timeMachine) resumeLane(below uint64) {
	m.t.Helper()
	journals, err := stream.OpenJournal(m.t.Context(), m.js)
	require.NoError(m.t, err)
	require.Eventually(m.t, func() bool {
		state, last := m.state()
		for _, e := range []lane.Entry{{Open: &lane.Open{Replica: "operator", Identity: state.Identity}}, {Resume: &lane.Resume{Below: below}}} {
			e.Version, e.Epoch = lane.Version, state.Epoch+1
			if last, err = journals.Append(m.t.Context(), 0, last, e); err != nil {
				return false
			}
		}
		return true
	}, 2*time.Minute, 20*time.Millisecond)
}

// audit compares what NATS holds with the chain.
func (m *timeMachine) audit() {
	m.t.Helper()
	auditor, err := NewAuditor(m.t.Context(), m.js, m.stream, m.rpc, 1)
	require.NoError(m.t, err)
	report, err := auditor.Await(m.t.Context(), 3*time.Minute)
	require.NoError(m.t, err)
	require.True(m.t, report.OK(), "%s %v", report, report.Examples)
	require.Zero(m.t, report.Pending())
}

// TestNATSRestoredFromAnOlderCopy, all of it: nothing is accepted before an operator decides, over restarts; then what was
// lost can be sent again under its ids, and everything applies once.
func TestNATSRestoredFromAnOlderCopy(t *testing.T) {
	t.Parallel()
	long.Test(t)
	m := newTimeMachine(t)
	copied := m.copiedHalfway()
	m.send(m.project, 20, 30) // accepted, in no transaction
	other := m.create(2)
	m.send(other, 0, 10)
	m.noted()
	m.restored(copied, "jetstream")

	m.halted(100)
	require.Equal(t, http.StatusOK, m.get("/readyz"), "look-ups are answered")
	m.endAPI()
	m.endAPI = m.startAPI()
	m.halted(101)
	nonce, err := m.chain.Client().NonceAt(t.Context(), devnet.Address(1), nil)
	require.NoError(t, err)
	m.endRelayer = m.startRelayer()
	h := m.look()
	require.True(t, h.Marker.Halts())
	_, err = h.Resume(t.Context(), false, 0, nil)
	require.ErrorContains(t, err, "something is lost")
	require.Eventually(t, func() bool { state, _ := m.state(); return state.Epoch > 1 && state.Next < nonce }, 2*time.Minute, 20*time.Millisecond)
	m.resumeLane(nonce)
	now, err := m.chain.Client().NonceAt(t.Context(), devnet.Address(1), nil)
	require.NoError(t, err)
	require.Equal(t, nonce, now, "the relayer binds nothing")
	back := m.remembered()
	_, err = h.Resume(t.Context(), true, 0, nil)
	require.NoError(t, err)
	end, err := m.stream.State(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, end.LastSeq, h.Known())

	back() // Redis knows what was lost, and not that it was
	m.forgotten(m.project, 20, 30)
	require.Eventually(t, func() bool { _, err := m.post(m.project, 0); return err == nil }, 3*time.Minute, 50*time.Millisecond)
	require.NoError(t, sdk.Retry(t.Context(), func() error { return m.client.CreateProject(t.Context(), other) }))
	require.Positive(t, m.send(m.project, 20, 30), "what was lost is no duplicate; on a slow machine a retry of what was stored may be one")
	m.send(m.project, 0, 40)
	m.send(other, 0, 10)
	m.points(m.project, 40)
	m.points(other, 10)
	// Of updates 10 to 19, applied and lost, Redis may not know the outcome, if the relayer ended before it was final. Then they were
	// accepted again, and the contract found duplicates.
	m.audit()
}

// updates is the directory of the stream of updates within NATS's data.
var updates = filepath.Join("jetstream", "$G", "streams", stream.Name)

// TestAStreamOlderThanTheJournals halts a running API, which forgets creations that are lost when accepting resumes.
func TestAStreamOlderThanTheJournals(t *testing.T) {
	t.Parallel()
	m := newTimeMachine(t)
	copied := m.copiedHalfway()
	lost := m.create(2)
	m.send(lost, 0, 10)
	m.restored(copied, updates)

	m.halted(100)
	h := m.look()
	require.Equal(t, halt.Shorter, h.Marker.Code)
	require.Positive(t, h.Marker.Known)
	_, err := h.Resume(t.Context(), true, 0, nil)
	require.NoError(t, err)
	_, err = h.marks.Replace(t.Context(), halt.Marker{}, 0)
	require.ErrorIs(t, err, kv.ErrMoved)
	m.endRelayer = m.startRelayer()
	require.Eventually(t, func() bool {
		_, err := m.client.Project(t.Context(), lost.ID)
		refused := (*sdk.Error)(nil)
		return errors.As(err, &refused) && refused.Code == "project_not_found"
	}, 3*time.Minute, 50*time.Millisecond, "the API forgets the creation that NATS lost")
	require.NoError(t, sdk.Retry(t.Context(), func() error { return m.client.CreateProject(t.Context(), lost) }))
	require.Positive(t, m.send(lost, 0, 10))
	m.send(m.project, 10, 30)
	m.points(m.project, 30)
	m.points(lost, 10)
	m.audit()
	require.Contains(t, m.look().Marker.Choice, "is accepted")
}

// TestAnAPIThatStartsOnAnOlderStream knows it from the journals, even if Redis lost its note.
func TestAnAPIThatStartsOnAnOlderStream(t *testing.T) {
	t.Parallel()
	long.Test(t)
	m := newTimeMachine(t)
	copied := m.copied()
	m.send(m.project, 0, 10)
	m.points(m.project, 10)
	m.endRelayer()
	m.endAPI()
	client, err := redisdb.Open(m.redis.URL)
	require.NoError(t, err)
	require.NoError(t, client.FlushAll(t.Context()).Err())
	require.NoError(t, client.Close())
	var newest string
	m.swap(func() {
		newest = filepath.Join(t.TempDir(), "newest")
		require.NoError(t, os.CopyFS(newest, os.DirFS(filepath.Join(m.dir, updates))))
		m.put(filepath.Join(copied, updates), updates)
	})
	m.endAPI = m.startAPI()
	_, err = m.post(m.project, 100)
	refused := (*sdk.Error)(nil)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "halted", refused.Code)

	// The newest copy turns up.
	m.swap(func() { m.put(newest, updates) })
	m.halted(100)
	_, err = m.look().Resume(t.Context(), false, 0, nil)
	require.NoError(t, err)
	m.endRelayer = m.startRelayer()
	m.send(m.project, 10, 20)
	m.points(m.project, 20)
	_, err = m.look().Resume(t.Context(), false, 0, nil)
	require.ErrorIs(t, err, errNotHalted)
}
