package opgeth

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// gate stands between programs and a node. It knows who asks by the path of the address that each was given, and counts
// what is asked. What it changes it changes in the relayer's answers.
type gate struct {
	URL string

	mu          sync.Mutex
	calls       map[string]map[string]int // by who asked and method
	is, becomes string                    // the lie; empty: none
}

func newGate(t *testing.T, node string) *gate {
	t.Helper()
	target, err := url.Parse(node)
	require.NoError(t, err)
	g := &gate{calls: map[string]map[string]int{}}
	proxy := &httputil.ReverseProxy{
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.Path = target.Scheme, target.Host, "/"
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(r *http.Response) error { return g.change(r) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		who := strings.Trim(r.URL.Path, "/")
		g.count(who, body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Set(asker, who)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	g.URL = server.URL
	return g
}

// asker is a header of a request that says who asks.
const asker = "X-Asker"

// alone are single receipts that are asked for without their block. The ledger reads what transactions paid beside the
// blocks that hold them, for statistics, and takes one endpoint's word for it; a lane that asks for a receipt alone
// could not verify it.
const alone = "receipts alone"

// count counts the calls of an exchange.
func (g *gate) count(who string, body []byte) {
	type call struct{ Method string }
	var calls []call
	if json.Unmarshal(body, &calls) != nil {
		calls = make([]call, 1)
		_ = json.Unmarshal(body, &calls[0]) // what is no call counts as one without a method
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls[who] == nil {
		g.calls[who] = map[string]int{}
	}
	with := slices.Contains(calls, call{"eth_getBlockByHash"})
	for _, c := range calls {
		g.calls[who][c.Method]++
		if c.Method == "eth_getTransactionReceipt" && !with {
			g.calls[who][alone]++
		}
	}
}

// counted are the calls by method of some who asked.
func (g *gate) counted(who ...string) map[string]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	sum := map[string]int{}
	for _, one := range who {
		for method, n := range g.calls[one] {
			sum[method] += n
		}
	}
	return sum
}

// lie has the relayer's answers changed from now on.
func (g *gate) lie(is, becomes string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.is, g.becomes = is, becomes
}

func (g *gate) change(r *http.Response) error {
	g.mu.Lock()
	is, becomes := g.is, g.becomes
	g.mu.Unlock()
	if is == "" || r.Request.Header.Get(asker) != "relayer" {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	body = bytes.ReplaceAll(body, []byte(is), []byte(becomes))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}
