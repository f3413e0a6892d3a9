package httpapi

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"log/slog"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/limit"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// costCallers have requests in progress at once, of each core: enough that no core waits for Redis.
const costCallers = 32

// BenchmarkRequest is what the API itself costs, with stores that answer at once: everything from the request's headers to its answer, but the
// network. The key has budgets or not; with them Redis is asked.
func BenchmarkRequest(b *testing.B) {
	for _, key := range []struct {
		name  string
		terms apikey.Terms
	}{{"unlimited", apikey.Terms{}}, {"budgets", apikey.Terms{Rate: 1_000_000, LookUps: 1_000_000, Gas: 900_000_000_000_000}}} {
		secret, deps := costDeps(b, key.terms)
		for _, request := range []string{"malformed", "look-up", "update"} {
			b.Run(key.name+"/"+request, func(b *testing.B) { benchmarkRequest(b, request, secret, deps) })
		}
	}
}

func benchmarkRequest(b *testing.B, name, secret string, deps Deps) {
	deps.Registerer, deps.Projects = prometheus.NewRegistry(), NewProjects(atOnce{})
	s, err := New(Config{ChainID: 1, Contract: common.Address{1}}, deps)
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); s.enveloper.run(ctx) }()
	defer func() { close(s.enveloper.stop); <-ended; cancel() }()
	owner, err := crypto.GenerateKey()
	require.NoError(b, err)
	project := &score.Project{
		ID: score.ProjectID{1}, Name: "p", Actions: []score.Action{{Name: "buy", Points: 1}},
		Owners: []common.Address{crypto.PubkeyToAddress(owner.PublicKey)}, ScoreTypes: []string{"reputation"},
	}
	s.deps.Projects.Accepted(1, project)

	body, path, method := []byte("{}"), "/update-score", "POST"
	switch name {
	case "look-up":
		path, method = statusURL(project.ID), "GET"
	case "update":
		body = costUpdate(b, owner, project.ID)
	}
	want := 200
	if name == "malformed" {
		want = 400
	}
	handle := s.app.Handler()
	b.ReportAllocs()
	b.SetParallelism(costCallers)
	b.ResetTimer()
	began := cpuTime(b)
	b.RunParallel(func(pb *testing.PB) {
		var c fasthttp.RequestCtx
		for pb.Next() {
			c.Request.Reset()
			c.Response.Reset()
			c.Request.Header.SetMethod(method)
			c.Request.SetRequestURI(path)
			c.Request.Header.Set("X-API-KEY", secret)
			c.Request.Header.SetContentType("application/json")
			if method == "POST" {
				c.Request.SetBody(body)
			}
			s.boundsFor(&c.Request.Header)
			handle(&c)
			if c.Response.StatusCode() != want {
				b.Errorf("%d: %s", c.Response.StatusCode(), c.Response.Body())
				return
			}
		}
	})
	b.ReportMetric(float64(cpuTime(b)-began)/float64(b.N), "cpu-ns/op")
}

// cpuTime is what this process used, which other processes change less than the time by the clock.
func cpuTime(b *testing.B) int64 {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return used.Utime.Nano() + used.Stime.Nano()
}

func costUpdate(b *testing.B, owner *ecdsa.PrivateKey, project score.ProjectID) []byte {
	message := strconv.FormatInt(time.Now().UnixMilli(), 10)
	digest := wallet.PersonalDigest(message)
	signature, err := crypto.Sign(digest[:], owner)
	require.NoError(b, err)
	signature[64] += 27
	body, err := json.Marshal(map[string]any{
		"updateId": score.UpdateID{7}, "projectId": project, "actionName": "buy", "scoreType": "reputation",
		"targetWallet": common.Address{8}, "message": message, "signature": hexutil.Encode(signature),
	})
	require.NoError(b, err)
	return body
}

// costDeps has real keys and a real Redis for what is counted; all else answers at once.
func costDeps(b *testing.B, terms apikey.Terms) (string, Deps) {
	nc, err := nats.Connect(devnet.NATS(b).URL, nats.Timeout(time.Minute))
	require.NoError(b, err)
	b.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(30*time.Second))
	require.NoError(b, err)
	_, err = js.CreateKeyValue(b.Context(), jetstream.KeyValueConfig{Bucket: apikey.Bucket})
	require.NoError(b, err)
	keys, err := apikey.Open(b.Context(), js)
	require.NoError(b, err)
	secret, _, err := keys.Create(b.Context(), "cost", terms)
	require.NoError(b, err)
	log := slog.New(slog.DiscardHandler)
	view := keys.NewView(log)
	go func() { _ = view.Run(b.Context()) }()
	<-view.CaughtUp()
	client, err := redisdb.Open(devnet.Redis(b).URL)
	require.NoError(b, err)
	b.Cleanup(func() { _ = client.Close() })
	return secret.Reveal(), Deps{
		Publisher: atOnce{}, Statuses: atOnce{}, Keys: view, Gas: registry.Osaka(),
		Limiter: limit.New(client, "cost:", log, prometheus.NewRegistry()),
		Ready:   func() error { return nil }, Halted: func() string { return "" }, Log: log,
	}
}

// atOnce is stores that are no part of what is measured.
type atOnce struct{ Publisher }

func (atOnce) PublishEnvelope(context.Context, string, []score.Update, []score.Signed, ...score.Traced) error {
	return nil
}

func (atOnce) Project(score.ProjectID) (*score.Record, bool) { return nil, false }

func (atOnce) After(*score.ProjectID, int) []*score.Record { return nil }

func (atOnce) Release(context.Context, []score.Ref, string) error { return nil }

func (atOnce) Accepted(context.Context, []score.Ref, []string) error { return nil }

func (atOnce) RequestRestore(context.Context) error { return nil }

func (atOnce) Claim(_ context.Context, refs []score.Ref, _ string) ([]score.Claim, error) {
	claims := make([]score.Claim, len(refs))
	for i := range claims {
		claims[i] = score.ClaimWon
	}
	return claims, nil
}

func (atOnce) Read(_ context.Context, refs []score.Ref) ([]score.Status, bool, error) {
	return make([]score.Status, len(refs)), true, nil
}
