package chain_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
)

// question is one JSON-RPC request of a body.
type question struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// proxy stands between a client and a real node. A fault may answer instead of the node, before or after the node has
// got the request, or change the node's answer.
type proxy struct {
	*httptest.Server

	mu    sync.Mutex
	fault fault
	seen  map[string]int // by method
}

// fault sees every request, which may ask several questions; forward hands it to the node and returns the body of its
// answer. It returns false to let the proxy do just that.
type fault func(w http.ResponseWriter, asked []question, batch bool, forward func() []byte) bool

func newProxy(t *testing.T, node string) *proxy {
	t.Helper()
	p := &proxy{seen: map[string]int{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var asked []question
		batch := bytes.HasPrefix(bytes.TrimSpace(body), []byte("["))
		if batch {
			_ = json.Unmarshal(body, &asked)
		} else {
			asked = make([]question, 1)
			_ = json.Unmarshal(body, &asked[0])
		}
		p.mu.Lock()
		for _, q := range asked {
			p.seen[q.Method]++
		}
		inject := p.fault
		p.mu.Unlock()
		forward := func() []byte {
			resp, err := http.Post(node, "application/json", bytes.NewReader(body))
			if err != nil {
				return nil
			}
			defer resp.Body.Close()
			answer, _ := io.ReadAll(resp.Body)
			return answer
		}
		w.Header().Set("Content-Type", "application/json")
		if inject == nil || !inject(&exchange{w, r}, asked, batch, forward) {
			_, _ = w.Write(forward())
		}
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) inject(f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
}

func (p *proxy) count(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[method]
}

// status answers with an HTTP status instead of the node.
func status(code int) fault {
	return func(w http.ResponseWriter, _ []question, _ bool, _ func() []byte) bool {
		w.WriteHeader(code)
		return true
	}
}

// refuse answers every question with a JSON-RPC error.
func refuse(text string) fault {
	return func(w http.ResponseWriter, asked []question, batch bool, _ func() []byte) bool {
		answers := []map[string]any{}
		for _, q := range asked {
			answers = append(answers, map[string]any{"jsonrpc": "2.0", "id": q.ID, "error": map[string]any{"code": -32000, "message": text}})
		}
		var body any = answers
		if !batch {
			body = answers[0]
		}
		_ = json.NewEncoder(w).Encode(body)
		return true
	}
}

// hang answers nothing until the client is gone, after the node got the request if delivered.
func hang(delivered bool) fault {
	return func(w http.ResponseWriter, _ []question, _ bool, forward func() []byte) bool {
		if delivered {
			forward()
		}
		<-w.(*exchange).request.Context().Done()
		return true
	}
}

// exchange lets a fault see the request that it answers.
type exchange struct {
	http.ResponseWriter
	request *http.Request
}

func dial(t *testing.T, cfg chain.Config) *chain.Client {
	t.Helper()
	if cfg.Timeout == 0 {
		cfg.Timeout = 5 * time.Second
	}
	c, err := chain.Dial(t.Context(), cfg, discard(), prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// start is a real node and a client of it.
func start(t *testing.T) (*devnet.Chain, *chain.Client) {
	t.Helper()
	node := devnet.NewChain(t)
	return node, dial(t, chain.Config{URLs: []string{node.URL}})
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
