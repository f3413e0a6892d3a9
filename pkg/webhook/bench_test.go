package webhook_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/webhook"
)

// BenchmarkDelivery is of one endpoint that answers at once, or after the round trip of another place, one by one and in batches:
//
//	go test ./pkg/webhook -run '^$' -bench . -benchtime 5000x
func BenchmarkDelivery(b *testing.B) {
	for _, away := range []time.Duration{0, 20 * time.Millisecond} {
		for _, batch := range []int{1, 100, 500} {
			if away > 0 && batch == 1 {
				continue // as many a second as there are round trips
			}
			b.Run(fmt.Sprintf("after %s, %d in a POST", away, batch), func(b *testing.B) { deliverAll(b, away, batch) })
		}
	}
}

func deliverAll(b *testing.B, away time.Duration, batch int) {
	js := fresh.JetStream(b)
	require.NoError(b, stream.Setup(b.Context(), js, stream.Config{Deployment: score.Deployment{Lanes: 1, ChainID: 1, Contract: common.Address{1}}}))
	store, err := webhook.Open(b.Context(), js)
	require.NoError(b, err)
	done, last := make(chan struct{}), fmt.Sprintf(`"event-%d"`, b.N)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		time.Sleep(away)
		if strings.Contains(string(body), last) {
			close(done)
		}
	}))
	b.Cleanup(server.Close)
	start := event.Cursor{}
	_, _, err = store.Add(b.Context(), webhook.Endpoint{Project: project, URL: server.URL, Batch: batch}, webhook.Move{From: &start})
	require.NoError(b, err)
	d := webhook.New(webhook.Config{Store: store, Allow: loopback, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan struct{})
	b.ResetTimer()
	go func() {
		defer close(ended)
		defer watch(ctx, d)()
		d.Run(ctx, &written{n: b.N})
	}()
	<-done
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	cancel()
	<-ended
}
