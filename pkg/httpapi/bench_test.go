package httpapi_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/limit"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/standings"
	"github.com/scorelay/scorelay/pkg/status"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// The package's tests share one NATS, one Redis, and one chain with one contract. In them a test knows what is its own by its project's id and
// by its prefix of Redis.
var shared struct {
	nats     *devnet.NATSServer
	stream   *stream.Stream // in it
	redis    *devnet.RedisServer
	chain    *devnet.Chain
	contract common.Address
	sendMu   sync.Mutex
}

// contractWallet agrees to every signature whose first byte is 1.
var contractWallet = common.HexToAddress("0x00000000000000000000000000000000000c0de1")

func TestMain(m *testing.M) {
	long.Beside(8)
	code, err := func() (int, error) {
		dir, err := os.MkdirTemp("", "scorelay-httpapi")
		if err != nil {
			return 1, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		if shared.redis, err = devnet.StartRedis(dir, devnet.RedisOptions{}); err != nil {
			return 1, err
		}
		defer shared.redis.Close()
		shared.chain, err = devnet.StartChain(devnet.ChainOptions{Alloc: types.GenesisAlloc{
			contractWallet: {Balance: new(big.Int), Code: hexutil.MustDecode("0x6064355f1a600114631626ba7e0260e01b5f5260205ff3")},
		}})
		if err != nil {
			return 1, err
		}
		defer shared.chain.Close()
		shared.contract = crypto.CreateAddress(devnet.Address(0), 0)
		if shared.nats, err = devnet.StartNATS(filepath.Join(dir, "nats"), devnet.NATSOptions{}); err != nil {
			return 1, err
		}
		defer shared.nats.Close()
		if err := transact(nil, registry.DeployData(0, devnet.Address(0), []common.Address{devnet.Address(0)})); err != nil {
			return 1, err
		}
		if _, shared.stream, err = connect(shared.nats.URL); err != nil {
			return 1, err
		}
		return m.Run(), nil
	}()
	if err != nil {
		panic(err)
	}
	os.Exit(code)
}

// transact has account 0, the relayer, send one transaction and makes a block of it.
func transact(to *common.Address, data []byte) error {
	_, err := mined(to, data)
	return err
}

// mined is transact, and tells the block.
func mined(to *common.Address, data []byte) (block uint64, err error) {
	shared.sendMu.Lock()
	defer shared.sendMu.Unlock()
	ctx, client := context.Background(), shared.chain.Client()
	nonce, err := client.PendingNonceAt(ctx, devnet.Address(0))
	if err != nil {
		return 0, err
	}
	tx, err := types.SignNewTx(devnet.Key(0), types.LatestSignerForChainID(big.NewInt(devnet.ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(devnet.ChainID), Nonce: nonce, To: to, Data: data, Gas: 16_000_000,
		GasTipCap: big.NewInt(1_000_000_000), GasFeeCap: big.NewInt(10_000_000_000),
	})
	if err != nil {
		return 0, err
	}
	if err := client.SendTransaction(ctx, tx); err != nil {
		return 0, err
	}
	shared.chain.Commit()
	for deadline := time.After(2 * time.Minute); ; {
		receipt, err := client.TransactionReceipt(ctx, tx.Hash())
		if err == nil && receipt.Status != 1 {
			err = errors.New("the transaction reverted")
		}
		if receipt != nil {
			return receipt.BlockNumber.Uint64(), err
		}
		select { // the node may still be indexing the block
		case <-deadline:
			return 0, err
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// connect opens the JetStream of a NATS, with streams and buckets.
func connect(url string) (js jetstream.JetStream, of *stream.Stream, err error) {
	ctx := context.Background()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.Timeout(time.Minute))
	if err != nil {
		return nil, nil, err
	}
	if js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(30*time.Second)); err != nil {
		return nil, nil, err
	}
	if url != shared.nats.URL || shared.stream == nil { // it takes longer than what most tests do
		if err := stream.Setup(ctx, js, stream.Config{Deployment: score.Deployment{
			Lanes: 2, ChainID: devnet.ChainID, Contract: shared.contract, DeployBlock: 1,
		}}); err != nil {
			return nil, nil, err
		}
	}
	of, err = stream.Open(ctx, js)
	return js, of, err
}

// writer writes the ledger in a NATS, in which each block of the shared chain is final.
func writer(of *stream.Stream) (*ledger.Writer, error) {
	facts, err := of.Ledger(context.Background(), nil)
	return &ledger.Writer{Deployment: of.Deployment(), Heads: following{rpc()}, Chain: rpc(), Letters: of, Ledger: facts, Log: slog.New(slog.DiscardHandler)}, err
}

// writeShared writes that in the shared NATS from now on.
var writeShared = sync.OnceValue(func() error {
	w, err := writer(shared.stream)
	go func() { _ = w.Run(context.Background()) }()
	return err
})

// nowhere is the URL of no Redis.
const nowhere = "redis://127.0.0.1:1/0"

// rpc asks the shared chain.
var rpc = sync.OnceValue(func() *chain.Client {
	client, err := chain.Dial(context.Background(), chain.Config{URLs: []string{shared.chain.URL}, Timeout: time.Minute}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		panic(err)
	}
	return client
})

// bench is one API over real stores, and the key of a project owner.
type bench struct {
	t         *testing.T
	url       string
	secret    apikey.Secret
	js        jetstream.JetStream
	since     uint64 // the stream's first message that may be of this bench
	stream    *stream.Stream
	status    *status.Store
	projects  *httpapi.Projects
	final     *directory
	publisher *faultyPublisher
	chain     *faultyChain
	standings *standings.Store
	keys      *apikey.Store
	view      *apikey.View
	owner     *ecdsa.PrivateKey
	project   *score.Project
	metrics   *prometheus.Registry
	gate      *gate // nil unless deps has one
	halted    *atomic.Pointer[string]
	paused    *atomic.Pointer[func(*score.ProjectID) *httpapi.Pause]
	reader    *event.Reader
	finalize  func()        // has all blocks be final, and in the ledger, from now on
	middle    chan struct{} // of followers

	server  *httpapi.Server
	stop    context.CancelFunc // begins the drain
	stopped chan error
}

// following is the shared chain as a process follows it in which each block is final.
type following struct{ *chain.Client }

func (f following) Final() (evidence.Block, bool) {
	b, err := f.FinalBlock(context.Background(), 1)
	return b, err == nil
}

func (f following) Block(number uint64) (evidence.Block, bool) {
	b, err := f.BlockByNumber(context.Background(), number)
	return b, err == nil
}

func (following) Changed() <-chan struct{} {
	soon := make(chan struct{})
	time.AfterFunc(20*time.Millisecond, func() { close(soon) })
	return soon
}

type setup struct {
	config  httpapi.Config
	status  status.Config
	deps    func(*httpapi.Deps)
	redis   string             // URL; empty: the shared one
	timeout time.Duration      // of one call to Redis; 0: the default
	nats    *devnet.NATSServer // nil: the shared one
	listen  func(net.Listener) net.Listener
	log     slog.Handler // of the API
	faults  bool         // nothing but injected faults keeps a publish from its ack
}

// deps changes what the API works with.
func deps(change func(*httpapi.Deps)) func(*setup) { return func(s *setup) { s.deps = change } }

// newBench is the bench of a test, which is parallel from then on.
func newBench(t *testing.T, change func(*setup)) *bench {
	t.Helper()
	t.Parallel()
	return startBench(t, change)
}

// startBench is a further one, or that of a test that is parallel already.
func startBench(t *testing.T, change func(*setup)) *bench {
	t.Helper()
	b := &bench{t: t, final: &directory{}, owner: devnet.Key(1), stopped: make(chan error, 1)}
	b.halted, b.paused = &atomic.Pointer[string]{}, &atomic.Pointer[func(*score.ProjectID) *httpapi.Pause]{}
	prefix := rand.Text() + ":" // in the shared Redis
	set := setup{
		config: httpapi.Config{ChainID: devnet.ChainID, Contract: shared.contract, AcceptTimeout: time.Minute},
		status: status.Config{Prefix: prefix}, redis: shared.redis.URL, timeout: time.Minute, nats: shared.nats, log: slog.DiscardHandler,
	}
	if change != nil {
		change(&set)
	}
	log := slog.New(set.log)
	ctx, cancel := context.WithCancel(context.Background())
	b.stop = cancel

	var err error
	b.js, b.stream, err = connect(set.nats.URL)
	require.NoError(t, err)
	state, err := b.stream.State(ctx)
	require.NoError(t, err)
	b.since = state.LastSeq + 1
	b.publisher = &faultyPublisher{Stream: b.stream, alone: set.faults}
	client, err := redisdb.Open(set.redis)
	require.NoError(t, err)
	if set.timeout > 0 {
		client.Timeout = set.timeout
	}
	b.status = status.New(client, set.status)
	b.standings = standings.New(client, standings.Config{Prefix: prefix, Source: "the chain"})
	b.projects = httpapi.NewProjects(b.final)
	b.chain = &faultyChain{}
	b.keys, err = apikey.Open(ctx, b.js)
	require.NoError(t, err)
	b.secret, _, err = b.keys.Create(ctx, "test", apikey.Terms{})
	require.NoError(t, err)
	b.view = b.keys.NewView(log)

	var loops sync.WaitGroup
	loops.Go(func() { _ = b.view.Run(ctx) })
	loops.Go(func() {
		_ = b.stream.WatchProjects(ctx, func(e stream.ProjectEvent) {
			switch {
			case e.CaughtUp:
				b.projects.SetCaughtUp()
			case e.Project == nil:
			case e.Dead:
				b.projects.Dead(e.Seq, e.Project.ID)
			default:
				b.projects.Accepted(e.Seq, e.Project)
			}
		})
	})
	<-b.view.CaughtUp()
	<-b.projects.CaughtUp()

	facts, err := b.stream.Ledger(ctx, nil)
	require.NoError(t, err)
	node := rpc()
	source := &ledger.Source{Ledger: facts, Chain: node, Deployment: b.stream.Deployment(), Log: log}
	b.reader = &event.Reader{Source: source, Letters: b.stream, Chain: node, Deployment: b.stream.Deployment(), Projects: b.final, Poll: 20 * time.Millisecond, Log: log}
	b.finalize = sync.OnceFunc(func() {
		if set.nats == shared.nats {
			require.NoError(t, writeShared())
		} else {
			w, err := writer(b.stream)
			require.NoError(t, err)
			loops.Go(func() { _ = w.Run(ctx) })
		}
		loops.Go(func() { _ = source.Run(ctx) })
		head, ok := following{node}.Final()
		require.True(t, ok)
		require.Eventually(t, func() bool { // the shared chain forgets the states of old blocks
			final, some, err := source.Final(ctx)
			return err == nil && some && final.Number >= head.Number
		}, time.Minute, 10*time.Millisecond)
	})
	reg := prometheus.NewRegistry()
	b.metrics = reg
	deps := httpapi.Deps{
		Publisher: b.publisher, Statuses: b.status, Projects: b.projects, Keys: confirmed{b.view}, Chain: b.chain, Standings: b.standings, Events: b.reader,
		NewMinter: func() httpapi.Minter { return sdk.NewMinter() },
		Limiter:   limit.New(client, set.status.Prefix+"rate:", log, reg), Gas: registry.Osaka(), Surcharge: registry.Osaka().Surcharged(1), Ready: func() error { return nil },
		Halted: func() string { return *b.halted.Load() }, Paused: func(p *score.ProjectID) *httpapi.Pause { return (*b.paused.Load())(p) }, Log: log, Registerer: reg,
	}
	b.halt("")
	b.pause(func(*score.ProjectID) *httpapi.Pause { return nil })
	if set.deps != nil {
		set.deps(&deps)
	}
	b.gate, _ = deps.Chain.(*gate)
	server, err := httpapi.New(set.config, deps)
	require.NoError(t, err)
	b.server = server
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b.url = "http://" + listener.Addr().String()
	if set.listen != nil {
		listener = set.listen(listener)
	}
	loops.Go(func() { b.stopped <- server.Run(ctx, listener) })
	t.Cleanup(func() {
		cancel()
		loops.Wait()
		b.js.Conn().Close()
		_ = client.Close()
	})
	b.project = newProject(t.Name())
	return b
}

// halt has accepting halt for a reason.
func (b *bench) halt(why string) { b.halted.Store(&why) }

// pause has a function tell what is paused.
func (b *bench) pause(of func(*score.ProjectID) *httpapi.Pause) { b.paused.Store(&of) }

// confirmed are keys of any age: NATS may take longer than five seconds to confirm them on a busy machine.
type confirmed struct{ *apikey.View }

func (confirmed) Age() time.Duration { return 0 }

// withProject accepts the bench's project.
func (b *bench) withProject() *bench {
	b.t.Helper()
	b.post("/create-project", createBody(b.project)).ok()
	return b
}

// newProject is a project whose id no other test has.
func newProject(name string) *score.Project {
	p := &score.Project{
		Name:       name,
		Actions:    []score.Action{{Name: "buy", Points: 10}, {Name: "return", Points: 3, Direction: score.Subtract}},
		Owners:     []common.Address{devnet.Address(1)},
		Updaters:   []common.Address{devnet.Address(2), contractWallet},
		ScoreTypes: []string{"reputation", "volume"},
	}
	_, _ = rand.Read(p.ID[:])
	return p
}

type object = map[string]any

func createBody(p *score.Project) object {
	return object{
		"projectId": p.ID, "name": p.Name, "inputActions": p.Actions, "owners": p.Owners, "updaters": p.Updaters,
		"scoreTypes": p.ScoreTypes,
	}
}

// update is a valid body for the bench's project, signed by its owner now.
func (b *bench) update(id string) object {
	return b.updateAt(id, time.Now())
}

func (b *bench) updateAt(id string, at time.Time) object {
	message := strconv.FormatInt(at.UnixMilli(), 10)
	return object{
		"updateId": updateID(id), "projectId": b.project.ID, "actionName": "buy", "scoreType": "reputation",
		"targetWallet": devnet.Address(9), "message": message, "signature": personal(b.t, b.owner, message),
	}
}

func updateID(name string) score.UpdateID { return score.UpdateID(crypto.Keccak256Hash([]byte(name))) }

func personal(t *testing.T, key *ecdsa.PrivateKey, message string) string {
	t.Helper()
	return sign(t, key, wallet.PersonalDigest(message))
}

func sign(t *testing.T, key *ecdsa.PrivateKey, digest common.Hash) string {
	t.Helper()
	sig, err := crypto.Sign(digest[:], key)
	require.NoError(t, err)
	sig[64] += 27
	return hexutil.Encode(sig)
}

// response is what came back.
type response struct {
	t      *testing.T
	status int
	header http.Header
	body   object
	raw    string
}

func (r response) String() string { return fmt.Sprint(r.status, " ", r.header, " ", r.raw) }

// ok requires a 200.
func (r response) ok() response {
	r.t.Helper()
	require.Equal(r.t, http.StatusOK, r.status, r)
	return r
}

func (r response) code() string { code, _ := r.body["code"].(string); return code }

// field is what a problem says of the first field that is wrong.
func (r response) field() object {
	if fields, _ := r.body["errors"].([]any); len(fields) > 0 {
		return fields[0].(object)
	}
	return object{}
}

// pointer is that of a problem's only field, "" without one.
func (r response) pointer() string {
	if fields, _ := r.body["errors"].([]any); len(fields) != 1 {
		return ""
	}
	return r.field()["pointer"].(string)
}

// asTheTableSays requires of a problem what the table of codes says, in each test.
func (r response) asTheTableSays() response {
	r.t.Helper()
	i := slices.IndexFunc(httpapi.Codes(), func(c httpapi.Code) bool { return c.Name == r.code() })
	require.NotEqual(r.t, -1, i, "%s is no code of the table", r)
	code := httpapi.Codes()[i]
	require.Equal(r.t, code.Status, r.status, r)
	require.EqualValues(r.t, code.Status, r.body["status"], r)
	require.Equal(r.t, code.Title, r.body["title"], r)
	require.Equal(r.t, "urn:scorelay:problem:"+code.Name, r.body["type"], r)
	again := code.Status == http.StatusTooManyRequests || code.Status == http.StatusServiceUnavailable
	require.Equal(r.t, again, r.header.Get("Retry-After") != "", "Retry-After goes with 429 and 503: %s", r)
	require.NotEqual(r.t, "0", r.header.Get("Retry-After"), r)
	require.Equal(r.t, code.Status == http.StatusUnauthorized, r.header.Get("WWW-Authenticate") != "", r)
	require.NotEmpty(r.t, r.header.Get("X-Request-Id"), r)
	require.Equal(r.t, r.header.Get("X-Request-Id"), r.body["requestId"], r)
	return r
}

// read reads an answer; one with a code is a problem document, and the other way round.
func read(t *testing.T, res *http.Response) response {
	t.Helper()
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	r := response{t: t, status: res.StatusCode, header: res.Header, raw: string(raw)}
	_ = json.Unmarshal(raw, &r.body)
	require.Equal(t, r.code() != "", r.header.Get("Content-Type") == "application/problem+json", r)
	if r.code() != "" {
		r.asTheTableSays()
	}
	return r
}

// ask sends a request with the bench's API key and a body of JSON, if any. Headers come in pairs; an empty value leaves one out.
func (b *bench) ask(method, path string, body any, headers ...string) *http.Response {
	b.t.Helper()
	var data io.Reader
	switch body := body.(type) {
	case nil:
	case []byte:
		data = bytes.NewReader(body)
	case io.Reader:
		data = body
	default:
		raw, err := json.Marshal(body)
		require.NoError(b.t, err)
		data = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, data)
	require.NoError(b.t, err)
	req.Header.Set("X-API-KEY", b.secret.Reveal())
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(b.t, err)
	return res
}

// send is ask, and reads the answer.
func (b *bench) send(method, path string, body any, headers ...string) response {
	b.t.Helper()
	return read(b.t, b.ask(method, path, body, headers...))
}

func (b *bench) post(path string, body any, headers ...string) response {
	b.t.Helper()
	return b.send(http.MethodPost, path, body, headers...)
}

func (b *bench) get(path string, args ...any) response {
	b.t.Helper()
	return b.send(http.MethodGet, fmt.Sprintf(path, args...), nil)
}

// open sends a GET without an API key.
func (b *bench) open(path string, headers ...string) response {
	b.t.Helper()
	return b.send(http.MethodGet, path, nil, append(headers, "X-API-KEY", "")...)
}

// unacked posts what the publisher does not ack, again if there was no time left to publish it at all.
func (b *bench) unacked(path string, body any) {
	b.t.Helper()
	for writes := b.publisher.Writes(); b.publisher.Writes() == writes; {
		require.Equal(b.t, "not_durable", b.post(path, body).code())
	}
}

// accepted posts until the API accepts it.
func (b *bench) accepted(path string, body any) (r response) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		r = b.post(path, body)
		return r.body["status"] == "accepted"
	}, 2*time.Minute, 10*time.Millisecond)
	return r
}

// key makes an API key, and waits until the bench's API knows it.
func (b *bench) key(name string, terms apikey.Terms) (secret apikey.Secret, id string) {
	b.t.Helper()
	secret, key, err := b.keys.Create(b.t.Context(), name, terms)
	require.NoError(b.t, err)
	b.knows(secret)
	return secret, key.ID
}

func (b *bench) knows(secret apikey.Secret) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return b.view.Authenticate(secret.Reveal()) != nil }, 2*time.Minute, time.Millisecond)
}

// metric is what the API says of a metric.
func (b *bench) metric(name string) []*dto.Metric {
	b.t.Helper()
	families, err := b.metrics.Gather()
	require.NoError(b.t, err)
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()
		}
	}
	return nil
}

// count is the sum of a metric's values whose labels have all these values.
func (b *bench) count(name string, labels ...string) (sum float64) {
	b.t.Helper()
	for _, m := range b.metric(name) {
		if !slices.ContainsFunc(labels, func(label string) bool {
			return !slices.ContainsFunc(m.GetLabel(), func(pair *dto.LabelPair) bool { return pair.GetValue() == label })
		}) {
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum
}

// returned is an unsigned group in which an account returns something for each id, of one wallet.
func returned(project score.ProjectID, signer int, ids ...string) batch.Group {
	g := batch.Group{Project: project, Signer: devnet.Address(signer), Kind: score.KindFree}
	for _, id := range ids {
		g.Updates = append(g.Updates, score.Update{Project: project, ID: updateID(id), Signer: g.Signer, Target: devnet.Address(9), Action: 1})
	}
	return g
}

// carry has the contract carry groups out, and returns the block.
func (b *bench) carry(groups ...batch.Group) (block uint64) {
	b.t.Helper()
	block, err := mined(&shared.contract, registry.EncodeBatch(batch.Batch{Groups: groups}))
	require.NoError(b.t, err)
	return block
}

// stored lists the updates of the bench's project in the stream, envelope by envelope.
func (b *bench) stored() (envelopes [][]score.Update) {
	b.t.Helper()
	for _, m := range b.envelopes() {
		envelopes = append(envelopes, m.Updates)
	}
	return envelopes
}

// messages lists those of the stream that are of the bench's project, and wanted.
func (b *bench) messages(wanted func(score.Message) bool) (found []score.Message) {
	b.t.Helper()
	require.NoError(b.t, b.stream.ReadFrom(context.Background(), b.since, func(m score.Message) error {
		var of score.ProjectID
		switch {
		case m.Project != nil:
			of = m.Project.ID
		case m.Edit != nil:
			of = m.Edit.Project
		case m.Updates != nil:
			of = m.Updates[0].Project
		}
		if of == b.project.ID && wanted(m) {
			found = append(found, m)
		}
		return m.Corrupt
	}))
	return found
}
