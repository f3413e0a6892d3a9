package chain_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/evidence"
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
	posts int
}

// fault sees every request, which may ask several questions; forward hands it to the node and returns the body of its
// answer. It returns false to let the proxy do just that.
type fault func(w http.ResponseWriter, asked []question, batch bool, forward func() []byte) bool

// newProxy stands before a node, with a fault or without.
func newProxy(t *testing.T, node string, faults ...fault) *proxy {
	t.Helper()
	p := &proxy{seen: map[string]int{}}
	if len(faults) > 0 {
		p.fault = faults[0]
	}
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
		p.posts++
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

// bodies is how many requests came, of one or many questions.
func (p *proxy) bodies() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.posts
}

// name is what the client calls the endpoint.
func (p *proxy) name() string { return strings.TrimPrefix(p.URL, "http://") }

// edit changes the node's answers, one by one: change gets the question's method and parameters and the answer, which is
// an object with a result or an error, and may alter it.
func edit(change func(method string, params []any, answer map[string]any)) fault {
	return func(w http.ResponseWriter, asked []question, batch bool, forward func() []byte) bool {
		var answers []map[string]any
		body := forward()
		if batch {
			_ = json.Unmarshal(body, &answers)
		} else {
			answers = make([]map[string]any, 1)
			_ = json.Unmarshal(body, &answers[0])
		}
		for _, q := range asked {
			var params []any
			_ = json.Unmarshal(q.Params, &params)
			for _, a := range answers {
				id, _ := json.Marshal(a["id"])
				if string(id) == string(q.ID) {
					change(q.Method, params, a)
				}
			}
		}
		if batch {
			_ = json.NewEncoder(w).Encode(answers)
		} else {
			_ = json.NewEncoder(w).Encode(answers[0])
		}
		return true
	}
}

// editResult changes the object that a method is answered with.
func editResult(method string, change func(result map[string]any)) fault {
	return edit(func(asked string, _ []any, answer map[string]any) {
		if result, ok := answer["result"].(map[string]any); ok && asked == method {
			change(result)
		}
	})
}

// without answers as a node that does not have some methods.
func without(methods ...string) fault {
	return edit(func(method string, _ []any, answer map[string]any) {
		if slices.Contains(methods, method) {
			fail(answer, -32601, "the method "+method+" does not exist/is not available")
		}
	})
}

func fail(answer map[string]any, code int, text string) {
	delete(answer, "result")
	answer["error"] = map[string]any{"code": code, "message": text}
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
		cfg.Timeout = time.Minute
	}
	c, err := chain.Dial(t.Context(), cfg, discard(), prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// start is a real node and a client of it.
func start(t *testing.T) (*devnet.Chain, *chain.Client) {
	t.Helper()
	node := fresh.NewChain(t)
	return node, dial(t, chain.Config{URLs: []string{node.URL}})
}

func newest(t *testing.T, c *chain.Client) evidence.Block {
	t.Helper()
	b, err := c.Head(t.Context())
	require.NoError(t, err)
	return b
}

// read reads what must be answered. Receipts that took long, as on a busy machine, come with the next Read.
func read(t *testing.T, c *chain.Client, ask evidence.Ask) (learnt evidence.Answer) {
	t.Helper()
	wanted, receipts := 0, map[common.Hash]*evidence.Receipt{}
	for _, w := range ask.Receipts {
		wanted += len(w.Txs)
	}
	for began := time.Now(); ; {
		var err error
		learnt, err = c.Read(t.Context(), ask)
		require.NoError(t, err)
		maps.Copy(receipts, learnt.Receipts)
		if learnt.Receipts = receipts; len(receipts) == wanted {
			return learnt
		}
		require.Less(t, time.Since(began), time.Minute, "%d of %d receipts came", len(receipts), wanted)
	}
}

// account reads an account in the state of a block.
func account(t *testing.T, c *chain.Client, at common.Hash, address common.Address) evidence.Account {
	t.Helper()
	b, err := c.BlockByHash(t.Context(), at)
	require.NoError(t, err)
	learnt := read(t, c, evidence.Ask{At: b, Accounts: []common.Address{address}})
	require.Contains(t, learnt.Accounts, address)
	return learnt.Accounts[address]
}

// mined makes blocks until the account has used so many nonces, and returns the last.
func mined(t *testing.T, node *devnet.Chain, c *chain.Client, address common.Address, nonce uint64) (b evidence.Block) {
	t.Helper()
	require.Eventually(t, func() bool { // geth's miner may leave some to the next block
		var err error
		if b, err = c.BlockByHash(t.Context(), node.Commit()); err != nil {
			return false
		}
		learnt, err := c.Read(t.Context(), evidence.Ask{At: b, Accounts: []common.Address{address}})
		return err == nil && learnt.Accounts[address].Nonce == nonce
	}, 2*time.Minute, time.Millisecond)
	return b
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
