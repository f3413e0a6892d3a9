package halt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/scorelay/scorelay/pkg/score"
)

const blindFor = 10 * time.Second

// Stream is the stream of accepted updates.
type Stream interface {
	// Created returns when the opened stream was created.
	Created() time.Time
	State(ctx context.Context) (score.StreamState, error)
	// Seen returns the highest sequence that the stream is known to have held; Saw records one.
	Seen() uint64
	Saw(seq uint64)
}

// Marks keeps the marker, as Open returns it.
type Marks interface {
	// Get returns zero values before the first halt.
	Get(ctx context.Context) (m Marker, revision uint64, err error)
	// Replace writes the marker over that of a revision (0: the first). It returns kv.ErrMoved if another marker was
	// written meanwhile. After any other error the marker may be stored; read it again.
	Replace(ctx context.Context, m Marker, revision uint64) (uint64, error)
}

// Config's fields are required unless stated otherwise.
type Config struct {
	Process string // for the marker
	Stream  Stream
	Marks   Marks
	// Journaled returns the highest sequence of Stream that any lane's journal mentions. Stream must have held it.
	Journaled func(ctx context.Context) (uint64, error)
	// Note raises the highest sequence noted outside of NATS to seq, and returns the highest. It may fail.
	Note func(ctx context.Context, seq uint64) (highest uint64, err error)
	// Connection returns a number that changes with each connection to NATS.
	Connection func() uint64
	// Elsewhere connects to another server of NATS, if one is known. May be nil.
	Elsewhere func()
	// Forget drops copies of data that NATS may have lost, before the process accepts again. May be nil.
	Forget  func(ctx context.Context) error
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Guard decides whether the process may accept or assign. It is safe for concurrent use.
type Guard struct {
	config Config
	halted prometheus.Gauge
	looked chan struct{}
	once   sync.Once

	mu    sync.Mutex
	seen  // guarded by mu
	looks // used only by Run
}

type seen struct {
	clear      bool      // no loss found
	connection uint64    // of the last look
	lookedAt   time.Time // its start
	doubt      bool      // a publish failed since
	found      *Marker   // a loss not yet read back
	certain    bool      // looks cannot disprove found
	knew       uint64    // marker's revision when found
	marker     Marker    // as read last
	revision   uint64
}

// New returns a Guard that refuses everything until Run has looked.
func New(config Config) *Guard {
	return &Guard{config: config, looked: make(chan struct{}), looks: looks{complain: true}, halted: promauto.With(config.Metrics).NewGauge(prometheus.GaugeOpts{
		Name: "scorelay_halted", Help: "1 while accepting halts, because NATS holds less than it had acknowledged: an operator has to decide.",
	})}
}

// Looked returns a channel that is closed when the process knows whether accepting halts.
func (g *Guard) Looked() <-chan struct{} { return g.looked }

// Reason returns why accepting halts; "" if no halt is known.
func (g *Guard) Reason() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.found != nil:
		return g.found.Reason
	case g.marker.Halts():
		return g.marker.Reason
	}
	return ""
}

// Halted reports whether assigning must stop: accepting halts, or the last look is too old or of another connection.
func (g *Guard) Halted() bool { _, open := g.open(); return !open }

// Forgotten names the newest loss that an operator accepted; "" if there is none, and while accepting halts, since
// another may follow.
func (g *Guard) Forgotten() string {
	if g.Halted() {
		return ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.marker.Forgotten
}

func (g *Guard) open() (connection uint64, open bool) {
	connection = g.config.Connection()
	g.mu.Lock()
	defer g.mu.Unlock()
	return connection, g.clear && g.connection == connection && time.Since(g.lookedAt) < blindFor
}

// errUnlooked reports that a look at the connection is missing. It follows in a moment, if NATS answers.
var errUnlooked = errors.New("the process has to look first whether NATS holds what it did")

// Publish calls publish if accepting is allowed, and returns its error. It returns score.ErrHalted while accepting
// halts, and errUnlooked if the caller may retry in a moment. The message may be stored despite any error.
func (g *Guard) Publish(publish func() error) error {
	if reason := g.Reason(); reason != "" {
		return fmt.Errorf("%w: %s", score.ErrHalted, reason)
	}
	before, open := g.open()
	if !open {
		return errUnlooked
	}
	if err := publish(); err != nil {
		g.doubts(err)
		return err
	}
	if g.config.Connection() != before { // perhaps stored by a server that was not checked
		return errUnlooked
	}
	return nil
}

// doubts forces a look before the next publish, unless the error is a working server's reply. A cluster may have lost
// most of its servers and continue from older copies, while the connection to another server stayed up.
func (g *Guard) doubts(err error) {
	var taken *score.TakenError
	var edit *score.EditTakenError
	if errors.Is(err, score.ErrFull) || errors.Is(err, score.ErrOtherMeaning) || errors.As(err, &taken) || errors.As(err, &edit) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clear, g.doubt = false, true
}

func (g *Guard) doubtful() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.doubt
}

// FoundShorter records that the stream assigned a sequence below the known end, and returns score.ErrHalted.
func (g *Guard) FoundShorter(known, ends uint64) error {
	g.find(shorter(known, ends), true)
	return fmt.Errorf("%w: %s", score.ErrHalted, g.Reason())
}

func shorter(known, ends uint64) Marker {
	return Marker{
		Code: Shorter, Known: known, Ends: ends,
		Reason: fmt.Sprintf("the stream of accepted updates ends at sequence %d and had held sequence %d: NATS was restored from an older copy or lost data", ends, known),
	}
}

// Journaled records the creation time and highest sequence of the stream in a lane's journal.
func (g *Guard) Journaled(stream time.Time, seq uint64) {
	if !stream.Equal(g.config.Stream.Created()) {
		g.replaced(stream, g.config.Stream.Created())
		return
	}
	g.config.Stream.Saw(seq)
}

func (g *Guard) replaced(known, is time.Time) {
	g.find(Marker{
		Code: Replaced, Stream: known,
		Reason: fmt.Sprintf("the stream of accepted updates was made at %s, and the one that journals and processes know at %s: it was deleted and made again",
			is.UTC().Format(time.RFC3339), known.UTC().Format(time.RFC3339)),
	}, true)
}

func (g *Guard) Unjournaled(id score.Lane) {
	n := uint16(id)
	g.find(Marker{
		Code: Unjournaled, Lane: &n,
		Reason: fmt.Sprintf("the chain has transactions of lane %d that its journal does not know: NATS was restored from an older copy, "+
			"or the lane's key is used elsewhere, as by another deployment that has the same signer", n),
	}, true)
}

// find stops accepting in this process, and Run writes the marker. The first finding counts.
func (g *Guard) find(m Marker, certain bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clear = false
	if g.found != nil || g.marker.Halts() {
		g.certain = g.certain || certain
		return
	}
	g.certain, g.knew = certain, g.revision
	m.By, m.At = g.config.Process, time.Now().UTC()
	if m.Stream.IsZero() {
		m.Stream = g.config.Stream.Created()
	}
	g.found = &m
	g.halted.Set(1)
	g.config.Log.Error("accepting halts until an operator decides: see `scorelay halt show`", "code", m.Code, "reason", m.Reason)
}

// read applies a marker. An operator's later decision covers earlier findings, also of a halt that this process
// missed.
func (g *Guard) read(m Marker, revision uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.found != nil && revision > g.knew && m.Resumed.After(g.found.At) {
		g.drop("an operator decided meanwhile")
	}
	if m.Halts() {
		if !g.marker.Halts() && g.found == nil {
			g.config.Log.Warn("accepting halts, as another process found", "code", m.Code, "reason", m.Reason, "by", m.By)
		}
		g.clear, g.found, g.certain = false, nil, false
		g.halted.Set(1)
	}
	g.marker, g.revision = m, revision
}

// disprove drops an uncertain finding of Shorter if the stream holds the sequence: a leader that is cut off from its
// cluster reports an outdated end.
func (g *Guard) disprove(ends uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.found != nil && g.found.Code == Shorter && !g.certain && ends >= g.found.Known {
		g.drop("the stream holds it")
	}
}

// drop requires mu.
func (g *Guard) drop(why string) {
	g.config.Log.Warn("what was found is not so, or no more; accepting resumes unless something else speaks against it", "code", g.found.Code, "reason", g.found.Reason, "why", why)
	g.found, g.certain = nil, false
	g.halted.Set(0)
}

func (g *Guard) unwritten() *Marker {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.found
}
