package rpcproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Proxy is safe for concurrent use.
type Proxy struct {
	URL string

	node   *Node
	server *http.Server

	mu     sync.Mutex
	dice   *rand.Rand
	faults []*Fault
	stats  Stats
}

type Stats struct {
	Requests int // a batch is one
	Batches  int
	MaxBatch int
	Calls    map[string]int // by method

	// Told counts, by fault, the requests with a response that the fault changed. It is 0 for a fault that was added
	// and changed none.
	Told map[string]int
}

func (s Stats) Total() int {
	total := 0
	for _, n := range s.Calls {
		total += n
	}
	return total
}

// Start starts a proxy on a free port, in front of the node at url.
func Start(url string, seed uint64) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("couldn't start a proxy: %w", err)
	}
	p := &Proxy{
		URL: "http://" + l.Addr().String(), node: newNode(url),
		dice: rand.New(rand.NewPCG(seed, 0)), stats: Stats{Calls: map[string]int{}, Told: map[string]int{}},
	}
	p.server = &http.Server{
		Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // clients that disconnect are expected
	}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

func (p *Proxy) Close() {
	_ = p.server.Close()
	p.node.client.CloseIdleConnections()
}

// Add activates faults until remove is called. remove may be called again.
func (p *Proxy) Add(faults ...Fault) (remove func()) {
	added := make([]*Fault, len(faults))
	for i := range faults {
		added[i] = &faults[i]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range faults {
		p.stats.Told[faults[i].Name] += 0
	}
	p.faults = append(slices.Clip(p.faults), added...)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.faults = slices.DeleteFunc(slices.Clone(p.faults), func(f *Fault) bool { return slices.Contains(added, f) })
	}
}

// Stats returns the counts since ResetStats.
func (p *Proxy) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.stats
	out.Calls, out.Told = maps.Clone(p.stats.Calls), maps.Clone(p.stats.Told)
	return out
}

func (p *Proxy) ResetStats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.stats
	p.stats = Stats{Calls: map[string]int{}, Told: map[string]int{}}
	return out
}

type Exchange struct {
	Context context.Context // ends when the client disconnects
	Calls   []*Call
	Batch   bool

	// Status is 0 before the response.
	Status  int
	Header  http.Header
	Body    []byte
	Dropped bool // close the connection instead

	raw  []byte // as received
	hits []hit
	late bool // a fault has waited
}

type hit struct {
	fault *Fault
	calls []bool
	acted bool
}

func (x *Exchange) Respond(status int, contentType string, body []byte) {
	x.Status, x.Body = status, body
	x.Header.Set("Content-Type", contentType)
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	x := &Exchange{Context: r.Context(), Header: http.Header{}, raw: body}
	if calls, batch, err := parse(body); err == nil {
		x.Calls, x.Batch = calls, batch
	}
	p.begin(x)
	next := func() { p.forward(x) }
	for i := range x.hits {
		if h, inner := &x.hits[i], next; h.fault.Around != nil {
			next = func() { h.around(x, inner) }
		}
	}
	next()
	defer p.told(x)
	if x.Dropped || x.Status == 0 {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), x.Header)
	w.WriteHeader(x.Status)
	_, _ = w.Write(x.Body)
}

// around records whether the fault's Around changed the exchange.
func (h *hit) around(x *Exchange, inner func()) {
	var was *Exchange
	x.late = false
	h.fault.Around(x, func() { inner(); copied := *x; was, x.late = &copied, false })
	h.acted = was == nil || x.late || x.Status != was.Status || x.Dropped != was.Dropped || !bytes.Equal(x.Body, was.Body)
}

// A changed answer counts only if the client could receive it.
func (p *Proxy) told(x *Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range x.hits {
		if h.acted && (h.fault.Around != nil || !x.Dropped && x.Status == http.StatusOK && x.Context.Err() == nil) {
			p.stats.Told[h.fault.Name]++
		}
	}
}

func (p *Proxy) begin(x *Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Requests++
	if x.Batch {
		p.stats.Batches++
		p.stats.MaxBatch = max(p.stats.MaxBatch, len(x.Calls))
	}
	for _, c := range x.Calls {
		p.stats.Calls[c.Method]++
	}
	for _, f := range p.faults {
		if calls := f.roll(x.Calls, p.dice); slices.Contains(calls, true) {
			x.hits = append(x.hits, hit{fault: f, calls: calls})
		}
	}
}

// forward passes the request to the node. It decodes the calls only if a fault touches single ones.
func (p *Proxy) forward(x *Exchange) {
	if !slices.ContainsFunc(x.hits, func(h hit) bool { return h.fault.Ask != nil || h.fault.Answer != nil }) {
		status, contentType, body, err := p.node.post(x.Context, x.raw)
		if err != nil {
			x.Dropped = true
			return
		}
		x.Respond(status, contentType, body)
		return
	}
	answers := make([]*Answer, len(x.Calls))
	var open []*Call
	for i, c := range x.Calls {
		if answers[i] = p.ask(x, i); answers[i] == nil {
			open = append(open, c)
		}
	}
	if len(open) > 0 {
		told, err := p.node.answers(x.Context, open, x.Batch)
		if err != nil {
			x.Dropped = true
			return
		}
		for i, c := range x.Calls {
			if at := slices.Index(open, c); at >= 0 {
				answers[i] = told[at]
			}
		}
	}
	for i, c := range x.Calls {
		for j := range x.hits {
			if h := &x.hits[j]; h.fault.Answer != nil && h.calls[i] {
				was := *answers[i]
				h.fault.Answer(p.node, c, answers[i])
				h.acted = h.acted || answers[i].Error != was.Error || !bytes.Equal(answers[i].Result, was.Result)
			}
		}
	}
	x.Respond(http.StatusOK, "application/json", encodeAnswers(x.Calls, answers, x.Batch))
}

// ask lets the faults change the i-th call, until one answers it. nil: the node answers.
func (p *Proxy) ask(x *Exchange, i int) *Answer {
	for j := range x.hits {
		h := &x.hits[j]
		if h.fault.Ask == nil || !h.calls[i] {
			continue
		}
		asked := x.Calls[i].Params
		a := h.fault.Ask(p.node, x.Calls[i])
		h.acted = h.acted || a != nil || !bytes.Equal(asked, x.Calls[i].Params)
		if a != nil {
			return a
		}
	}
	return nil
}

// Node is the real node. Its calls are not counted.
type Node struct {
	url    string
	client *http.Client

	mu      sync.Mutex
	numbers map[string]uint64 // of blocks, by hash
	head    uint64
	headAt  time.Time
}

func newNode(url string) *Node {
	return &Node{url: url, numbers: map[string]uint64{}, client: &http.Client{Transport: &http.Transport{
		MaxIdleConns: 1024, MaxIdleConnsPerHost: 1024, IdleConnTimeout: time.Minute, DisableCompression: true,
	}}}
}

func (n *Node) post(ctx context.Context, body []byte) (status int, contentType string, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := n.client.Do(req)
	if err != nil {
		return 0, "", nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Get("Content-Type"), answer, err
}

func (n *Node) answers(ctx context.Context, calls []*Call, batch bool) ([]*Answer, error) {
	_, _, body, err := n.post(ctx, encode(calls, batch))
	if err != nil {
		return nil, err
	}
	return decodeAnswers(body, calls, batch)
}

var errNode = errors.New("the node refuses")
