package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/signer"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

var (
	quiet     = slog.New(slog.DiscardHandler)
	connector = Connector{Log: quiet}
)

// bench is everything a deployment stands on, empty.
type bench struct {
	nats  *devnet.NATSServer
	redis *devnet.RedisServer
	chain *devnet.Chain
	js    jetstream.JetStream
	rpc   *chain.Client
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{redis: fresh.Redis(t), nats: fresh.NATS(t)}
	b.connect(t)
	return b
}

// newDeployment is a bench with a deployment whose lanes' signers are these accounts.
func newDeployment(t *testing.T, signers ...int) (*bench, score.Deployment) {
	t.Helper()
	b, plan := newBench(t), SetupPlan{}
	for _, account := range signers {
		plan.Relayers = append(plan.Relayers, devnet.Address(account))
	}
	d, err := b.setUp(t.Context(), t, plan)
	require.NoError(t, err)
	return b, d
}

// run runs a process until the result is called, or the test ends: it ends without an error.
func run(t *testing.T, process func(drain, kill context.Context) error) (end func()) {
	t.Helper()
	drain, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- process(drain, context.Background()) }()
	end = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	t.Cleanup(end)
	return end
}

// connect starts a chain, and connects to it and to NATS.
func (b *bench) connect(t *testing.T) {
	t.Helper()
	var err error
	b.chain, err = devnet.StartChain(devnet.ChainOptions{Interval: 50 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(b.chain.Close)
	conn, _, err := connector.NATS(t.Context(), &NATS{NATSURL: Secret(b.nats.URL)}, "test")
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	b.js, err = jetstream.New(conn, jetstream.WithDefaultTimeout(time.Minute)) // a machine may stall for longer than the usual five seconds
	require.NoError(t, err)
	b.rpc, err = DialChain(t.Context(), &Chain{ChainRPC: []Secret{Secret(b.chain.URL)}}, quiet, prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(b.rpc.Close)
}

func key(t *testing.T, account int) *signer.Key {
	t.Helper()
	k, err := signer.FromHex(hexutil.Encode(crypto.FromECDSA(devnet.Key(account))), quiet)
	require.NoError(t, err)
	return k
}

func (b *bench) setUp(ctx context.Context, t *testing.T, plan SetupPlan) (score.Deployment, error) {
	t.Helper()
	return Setup(ctx, b.js, b.rpc, key(t, 0).For(devnet.ChainID), plan, quiet)
}

func (b *bench) apiSettings(t *testing.T) *APISettings {
	t.Helper()
	s := parsed[APISettings](t)
	s.NATSURL, s.NATSMonitorURL = Secret(b.nats.URL), b.nats.MonitorURL
	s.RedisURL, s.ChainRPC = Secret(b.redis.URL), []Secret{Secret(b.chain.URL)}
	s.AdminListen, s.Listen = "127.0.0.1:0", freeAddress(t)
	return s
}

// relayerSettings are those of a relayer that sees soon what happens, and loses no lease on a slow machine.
func (b *bench) relayerSettings(t *testing.T, args ...string) *RelayerSettings {
	t.Helper()
	s := parsed[RelayerSettings](t, args...)
	s.NATSURL, s.NATSMonitorURL = Secret(b.nats.URL), b.nats.MonitorURL
	s.RedisURL, s.ChainRPC, s.Confirmations = Secret(b.redis.URL), []Secret{Secret(b.chain.URL)}, 1
	s.AdminListen, s.PollInterval, s.LeaseTTL = "127.0.0.1:0", 50*time.Millisecond, 10*time.Second
	return s
}

func freePort(t *testing.T) int {
	t.Helper()
	port, err := devnet.FreePort()
	require.NoError(t, err)
	return port
}

func freeAddress(t *testing.T) string { return fmt.Sprintf("127.0.0.1:%d", freePort(t)) }

// parsed are the settings of a program that is started with these arguments.
func parsed[T any](t *testing.T, args ...string) *T {
	t.Helper()
	var s T
	parser, err := NewParser("test", "", &s)
	require.NoError(t, err)
	_, err = parser.Parse(args)
	require.NoError(t, err)
	return &s
}

func TestSetupMayBeRepeatedAndCompleted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	plan := SetupPlan{Relayers: []common.Address{devnet.Address(1)}}
	d, err := b.setUp(ctx, t, plan)
	require.NoError(t, err)
	require.EqualValues(t, devnet.ChainID, d.ChainID)
	require.NotZero(t, d.DeployBlock)

	again, err := b.setUp(ctx, t, plan)
	require.NoError(t, err)
	require.Equal(t, d, again)

	lanes, err := kv.OpenRoster(ctx, b.js)
	require.NoError(t, err)
	is, err := lanes.Get(ctx)
	require.NoError(t, err)
	first, err := roster.First(plan.Relayers)
	require.NoError(t, err)
	require.Equal(t, first, is)
	_, err = b.setUp(ctx, t, SetupPlan{})
	require.NoError(t, err, "any signers")
	_, err = b.setUp(ctx, t, SetupPlan{Relayers: []common.Address{devnet.Address(2)}})
	require.ErrorContains(t, err, devnet.Address(2).Hex()+" signs for no lane: run `scorelay lanes add --signer "+devnet.Address(2).Hex())
	require.ErrorContains(t, err, "lane 0 is active and its signer "+devnet.Address(1).Hex()+" is not named: name it, or run `scorelay lanes remove 0`")

	is, _, err = is.Replace(0, devnet.Address(2), true) // a signer was replaced
	require.NoError(t, err)
	_, err = lanes.Update(ctx, func(roster.Roster) (roster.Roster, error) { return is, nil })
	require.NoError(t, err)
	_, err = b.setUp(ctx, t, plan)
	require.ErrorContains(t, err, devnet.Address(1).Hex()+" is the signer of lane 0, which is leaving")
	plan.Relayers = []common.Address{devnet.Address(2)}
	_, err = b.setUp(ctx, t, plan)
	require.NoError(t, err)
	has, err := registry.ReadIsRelayer(devnet.Address(2)).Do(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
		return b.rpc.View(ctx, d.Contract, data)
	})
	require.NoError(t, err)
	require.True(t, has)

	plan.Contract = common.Address{1}
	_, err = b.setUp(ctx, t, plan)
	require.ErrorContains(t, err, "the deployment's contract is "+d.Contract.Hex())

	for says, change := range map[string]func(*SetupPlan){
		"have 1 replicas, asked for 3":                       func(p *SetupPlan) { p.Replicas = 3 },
		"bounded to 8589934592 bytes, asked for 1":           func(p *SetupPlan) { p.MaxBytes = 1 },
		"the contract's admin is " + devnet.Address(0).Hex(): func(p *SetupPlan) { p.Admin = devnet.Address(5) },
	} {
		changed := SetupPlan{Relayers: plan.Relayers}
		change(&changed)
		_, err = b.setUp(ctx, t, changed)
		require.ErrorContains(t, err, says)
	}
	same := SetupPlan{Relayers: plan.Relayers, Replicas: 1, MaxBytes: 8 << 30, Admin: devnet.Address(0)}
	_, err = b.setUp(ctx, t, same)
	require.NoError(t, err)
	for range 2 {
		same.MaxBytes = 9 << 30
		_, err = b.setUp(ctx, t, same)
		require.NoError(t, err)
		s, err := b.js.Stream(ctx, stream.Name)
		require.NoError(t, err)
		require.EqualValues(t, 9<<30, s.CachedInfo().Config.MaxBytes)
	}
}

// failingBound fails updates of streams as its plan says.
type failingBound struct {
	jetstream.JetStream

	plan *fault.Plan
}

func (f failingBound) UpdateStream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	return fault.Value(f.plan, "update", func() (jetstream.Stream, error) { return f.JetStream.UpdateStream(ctx, cfg) })
}

// TestABoundIsRaisedOnceAndNeverLowered, also where NATS raised it and its answer is lost.
func TestABoundIsRaisedOnceAndNeverLowered(t *testing.T) {
	t.Parallel()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		js := fresh.JetStream(t)
		updates, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: stream.Name, MaxBytes: 1 << 20})
		require.NoError(t, err)
		plan := fault.NewPlan(fault.Nth(1, kind))
		raise := func(most int64) error {
			return raiseBound(t.Context(), failingBound{js, plan}, most, quiet)
		}
		is := func(most int64) {
			t.Helper()
			info, err := updates.Info(t.Context())
			require.NoError(t, err)
			require.Equal(t, most, info.Config.MaxBytes)
		}
		require.ErrorIs(t, raise(2<<20), fault.Err)
		require.NoError(t, raise(2<<20))
		is(2 << 20)
		for _, most := range []int64{0, 1 << 20, 2 << 20} {
			require.NoError(t, raise(most))
			is(2 << 20)
		}
		_, err = js.UpdateStream(t.Context(), jetstream.StreamConfig{Name: stream.Name, MaxBytes: -1})
		require.NoError(t, err)
		require.NoError(t, raise(3<<20))
		is(-1)
	})
}

func TestSetupTakesAContractThatIsThere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	plan := SetupPlan{Relayers: []common.Address{devnet.Address(1)}, Contract: common.Address{1}, DeployBlock: 1}
	_, err := b.setUp(t.Context(), t, plan)
	require.ErrorIs(t, err, registry.ErrNoCode)
	receipt, err := b.rpc.Transact(t.Context(), key(t, 0).For(devnet.ChainID), nil, registry.DeployData(0, devnet.Address(0), nil))
	require.NoError(t, err)
	plan.Contract = receipt.ContractAddress
	d, err := b.setUp(t.Context(), t, plan)
	require.NoError(t, err)
	require.Equal(t, receipt.ContractAddress, d.Contract)
}

// TestTheDeployerNeedsTheGasThatOperationsNames: 4,900,000, and 50,000 for each signer.
func TestTheDeployerNeedsTheGasThatOperationsNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var relayers []common.Address
	for n := range 4 {
		receipt, err := b.rpc.Transact(t.Context(), key(t, 0).For(devnet.ChainID), nil, registry.DeployData(time.Hour, devnet.Address(0), relayers))
		require.NoError(t, err)
		require.LessOrEqual(t, receipt.GasUsed, uint64(4_900_000+50_000*n))
		relayers = append(relayers, devnet.Address(n+1))
	}
}

func TestTheAPIStartsServesAndEnds(t *testing.T) {
	t.Parallel()
	b, _ := newDeployment(t, 1)
	keys, err := apikey.Open(t.Context(), b.js)
	require.NoError(t, err)
	secret, _, err := keys.Create(t.Context(), "test", apikey.Terms{})
	require.NoError(t, err)
	s := b.apiSettings(t)
	end := run(t, func(drain, kill context.Context) error { return RunAPI(drain, kill, s, quiet) })

	status := func(method, path, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.Listen+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("X-API-KEY", secret.Reveal())
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = resp.Body.Close() }()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	require.Eventually(t, func() bool {
		code, _ := status("GET", "/readyz", "")
		return code == http.StatusOK
	}, 2*time.Minute, 20*time.Millisecond)
	id := "0x" + strings.Repeat("ab", 32)
	code, text := status("POST", "/create-project", `{"projectId":"`+id+`","name":"n","inputActions":[{"name":"a","points":1,"direction":0}],`+
		`"owners":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],"updaters":[]}`)
	require.Equal(t, http.StatusOK, code, text)
	code, text = status("GET", "/projects/"+id, "")
	require.Equal(t, http.StatusOK, code, text)
	require.Contains(t, text, `"accepted"`)
	code, text = status("GET", "/projects/"+id+"/scores/0x70997970c51812dc3a010c7d01b50e0d17dc79c8", "")
	require.Equal(t, http.StatusOK, code, text)
	require.Contains(t, text, "reputation")
	code, text = status("GET", "/metrics", "")
	require.Equal(t, http.StatusNotFound, code, "metrics are on the admin listener only: %s", text)
	end()
}

func TestStartsThatMustFail(t *testing.T) {
	t.Parallel()
	var err error
	b := &bench{redis: fresh.Redis(t)}
	b.nats, err = devnet.StartNATS(t.TempDir(), devnet.NATSOptions{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(b.nats.Close)
	b.connect(t)
	s := b.apiSettings(t)
	err = RunAPI(t.Context(), t.Context(), s, quiet)
	require.ErrorIs(t, err, stream.ErrUnsafe)
	require.ErrorContains(t, err, "SCORELAY_ALLOW_UNSAFE_DURABILITY")

	s.AllowUnsafe, s.AdminListen = true, freeAddress(t)
	waits(t, s.AdminListen, "scorelay setup", func(drain, kill context.Context) error { return RunAPI(drain, kill, s, quiet) })

	_, err = b.setUp(t.Context(), t, SetupPlan{Relayers: []common.Address{devnet.Address(1)}})
	require.NoError(t, err)
	d := score.Deployment{Lanes: 1, ChainID: 1, Contract: common.Address{1}}
	require.ErrorContains(t, connector.VerifyChain(t.Context(), b.rpc, d), "leads to chain 1337, but this deployment is on chain 1")
	d.ChainID = devnet.ChainID
	require.ErrorIs(t, connector.VerifyChain(t.Context(), b.rpc, d), registry.ErrNoCode)

	s.NATSURL, s.StartTimeout = "nats://127.0.0.1:1", time.Second
	err = RunAPI(t.Context(), t.Context(), s, quiet)
	require.ErrorContains(t, err, "gave up waiting for NATS at 127.0.0.1:1 (SCORELAY_NATS_URL) after ")
}

// TestANATSThatTakesTooSmallMessagesIsRefused as a process or command connects, and told of where a server comes back so.
func TestANATSThatTakesTooSmallMessagesIsRefused(t *testing.T) {
	t.Parallel()
	small, dir := score.MaxPayload-1, t.TempDir()
	start := func(port, payload int) *devnet.NATSServer {
		server, err := devnet.StartNATS(dir, devnet.NATSOptions{Port: port, MaxPayload: payload})
		require.NoError(t, err)
		t.Cleanup(server.Close)
		return server
	}
	s := parsed[RelayerSettings](t, "--signer-keys", strings.Repeat("1", 64))
	server := start(freePort(t), small)
	s.NATSURL, s.AdminListen = Secret(server.URL), "127.0.0.1:0"
	says := fmt.Sprintf("takes messages of at most %d bytes, and this program stores some of up to %d: set max_payload in the configuration of each NATS server to 1MB", small, score.MaxPayload)
	require.ErrorContains(t, RunRelayer(t.Context(), t.Context(), s, quiet), says)
	server.Close()

	var log lines
	server = start(freePort(t), score.MaxPayload)
	conn, _, err := Connector{Log: slog.New(slog.NewTextHandler(&log, nil))}.NATS(t.Context(), &NATS{NATSURL: Secret(server.URL)}, "test")
	require.NoError(t, err)
	defer conn.Close()
	server.Close()
	u, err := url.Parse(server.URL)
	require.NoError(t, err)
	port, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	start(port, small)
	require.Eventually(t, func() bool { return log.count(says) == 1 }, time.Minute, 20*time.Millisecond)
}

// TestAStartSaysWhatItWaitsFor: on the admin listener, which is up before everything else.
func TestAStartSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	admin, away := freeAddress(t), freeAddress(t)
	common, n := Common{StartTimeout: time.Minute, DrainTimeout: time.Second}, NATS{NATSURL: Secret("nats://u:hush@" + away)}
	for name, start := range map[string]func(drain, kill context.Context) error{
		"api": func(drain, kill context.Context) error {
			s := parsed[APISettings](t)
			s.Common, s.NATS, s.AdminListen = common, n, admin
			return RunAPI(drain, kill, s, quiet)
		},
		"relayer": func(drain, kill context.Context) error {
			s := parsed[RelayerSettings](t, "--signer-keys", strings.Repeat("1", 64))
			s.Common, s.NATS, s.AdminListen = common, n, admin
			return RunRelayer(drain, kill, s, quiet)
		},
	} {
		said := waits(t, admin, "not ready: waiting for NATS at "+away+" (SCORELAY_NATS_URL): ", start)
		require.Contains(t, said, "; trying again until ", name)
		require.NotContains(t, said, "hush", name)
	}
}

// waits starts a process, and returns what its admin listener says once that holds a text. Then it ends the start, which is no failure.
func waits(t *testing.T, admin, text string, start func(drain, kill context.Context) error) (said string) {
	t.Helper()
	end := run(t, start)
	require.Eventually(t, func() bool {
		if err := Healthcheck(t.Context(), admin); err != nil {
			said = err.Error()
		}
		return strings.Contains(said, text)
	}, 2*time.Minute, 10*time.Millisecond, "want %s", text)
	end()
	return said
}

func TestTheAPIRefusesAnotherChain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	d := score.Deployment{Lanes: 1, ChainID: devnet.ChainID, Contract: common.Address{1}, DeployBlock: 1}
	require.NoError(t, stream.Setup(t.Context(), b.js, stream.Config{Deployment: d}))
	require.ErrorIs(t, RunAPI(t.Context(), t.Context(), b.apiSettings(t), quiet), registry.ErrNoCode)
}

func TestHostsHaveNoPasswords(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a:4222, b:4222, c:1", hosts("nats://user:hush@a:4222, tls://hush@b:4222,c:1"))
	require.NotContains(t, hosts("nats://user:hu%sh@a:4222"), "hu")
}

func TestAClaimOutlivesItsAccept(t *testing.T) {
	t.Parallel()
	for accept, claim := range map[time.Duration]time.Duration{
		time.Second: minClaim, 5 * time.Second: minClaim, time.Minute: 3 * time.Minute,
	} {
		require.Equal(t, claim, (&APISettings{AcceptTimeout: accept}).claim())
	}
}

func TestLogAttributesAreReadable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: LogAttr, Level: slog.LevelDebug}))
	log.Info("x", "wait", 1500*time.Millisecond, "signer", devnet.Address(0))
	require.Contains(t, out.String(), `"wait":"1.5s"`)
	require.Contains(t, out.String(), `"signer":"`+devnet.Address(0).Hex()+`"`)
	redisLog{log}.Printf(t.Context(), "dial %s", "failed")
	require.Contains(t, out.String(), `"level":"DEBUG","msg":"the Redis library says","text":"dial failed"`)
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		tries := 0
		err := connector.await(ctx, "godot", func(context.Context) error { tries++; return errors.New("not yet") })
		require.ErrorContains(t, err, "gave up waiting for godot after ")
		require.ErrorContains(t, err, ": not yet")
		require.GreaterOrEqual(t, tries, 2)
	})
}

func TestSignersArePrepared(t *testing.T) {
	t.Parallel()
	b, d := newDeployment(t, 1)
	const confirmations = 5
	prepare := func(admin chain.TxSigner, account common.Address) error {
		return PrepareSigner(t.Context(), b.rpc, admin, d.Contract, account, confirmations, quiet)
	}
	poor := common.Address{0x99}
	err := prepare(nil, poor)
	require.ErrorContains(t, err, poor.Hex()+" has no funds")
	require.ErrorContains(t, err, "--deployer-keystore")
	require.ErrorContains(t, prepare(key(t, 0).For(devnet.ChainID), poor), "no funds")
	err = prepare(nil, devnet.Address(2))
	require.ErrorContains(t, err, "does not have the relayer role")
	require.NotContains(t, err.Error(), "no funds")
	require.ErrorContains(t, prepare(key(t, 3).For(devnet.ChainID), devnet.Address(2)), "only the contract's admin can")
	for range 2 {
		require.NoError(t, prepare(key(t, 0).For(devnet.ChainID), devnet.Address(2)))
		has, err := isFinalRelayer(t.Context(), b.rpc, d.Contract, devnet.Address(2), confirmations)
		require.NoError(t, err)
		require.True(t, has)
	}
	require.NoError(t, prepare(nil, devnet.Address(2)))
}

func TestAGrantIsAwaitedUntilNoReorgUndoesIt(t *testing.T) {
	t.Parallel()
	b, d := newDeployment(t, 1)
	var said fresh.Log
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- PrepareSigner(ctx, b.rpc, key(t, 0).For(devnet.ChainID), d.Contract, devnet.Address(2), 1_000_000, slog.New(slog.NewTextHandler(&said, nil)))
	}()
	require.Eventually(t, func() bool { return strings.Contains(said.String(), "waiting until the signer's role is final") }, 2*time.Minute, 10*time.Millisecond)
	granted, err := isFinalRelayer(t.Context(), b.rpc, d.Contract, devnet.Address(2), 1)
	require.NoError(t, err)
	require.True(t, granted)
	require.Never(t, func() bool { return len(ended) > 0 }, 3*roleEvery, 10*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}
