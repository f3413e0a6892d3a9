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

// blindFor is how long what a look told counts: who cannot look does not notice what was lost.
const blindFor = 10 * time.Second

// Stream is the stream of accepted updates.
type Stream interface {
	// Created is when the stream was made that was opened.
	Created() time.Time
	// State tells the stream's identity and extent as they are now.
	State(ctx context.Context) (score.StreamState, error)
	// Seen is the highest sequence that the stream is known to have held; Saw tells of one.
	Seen() uint64
	Saw(seq uint64)
}

// Marks keeps the marker: a *Bucket.
type Marks interface {
	Read(ctx context.Context) (m Marker, revision uint64, err error)
	Write(ctx context.Context, m Marker, revision uint64) error
}

// Config of a Guard; all is required, unless it is said otherwise.
type Config struct {
	Process string // name of the process, for the marker
	Stream  Stream
	Marks   Marks
	// Journaled is the highest sequence that the lanes' journals speak of.
	Journaled func(ctx context.Context) (uint64, error)
	// Note raises the highest sequence of the stream that is noted outside of NATS, and returns it. It may fail at any time.
	Note func(ctx context.Context, seq uint64) (highest uint64, err error)
	// Connection is a number that changes whenever the process connects to NATS again.
	Connection func() uint64
	// Elsewhere has the process connect to another server of NATS, if it knows one. May be nil.
	Elsewhere func()
	// Forget has the process forget what NATS may have lost, before it accepts after a halt. May be nil.
	Forget  func(ctx context.Context) error
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Guard looks whether NATS went back in time, and says whether the process may accept or bind. It is safe for concurrent use.
type Guard struct {
	config Config
	halted prometheus.Gauge
	looked chan struct{} // closed when what there is was looked at once
	once   sync.Once

	mu    sync.Mutex
	seen  // guarded by mu
	looks // Run's alone
}

// seen is what looks and publishes told.
type seen struct {
	clear      bool      // nothing was found, as of the connection
	connection uint64    // of the last look that found nothing
	lookedAt   time.Time // when that began
	doubt      bool      // a publish was not answered since: another history may be continued than the one that was looked at
	found      *Marker   // not read back from the bucket yet
	certain    bool      // found is by a publish, which no later look disproves
	knew       uint64    // revision of the marker when it was found
	marker     Marker    // as read last
	revision   uint64    // of marker
}

// New returns a Guard that lets nothing pass until Run has looked.
func New(config Config) *Guard {
	return &Guard{config: config, looked: make(chan struct{}), looks: looks{complain: true}, halted: promauto.With(config.Metrics).NewGauge(prometheus.GaugeOpts{
		Name: "scorelay_halted", Help: "1 while accepting halts, because NATS holds less than it had acknowledged: an operator has to decide.",
	})}
}

// Looked is closed when the process knows whether accepting halts.
func (g *Guard) Looked() <-chan struct{} { return g.looked }

// Reason says why accepting halts; empty while it does not, as far as is known.
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

// Halted tells whether nothing may be bound now: accepting halts, or the process has not looked on this connection yet.
func (g *Guard) Halted() bool { _, open := g.open(); return !open }

// Forgotten names the newest loss that an operator accepted; empty without one, and while accepting halts, since there may be another then.
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

// errUnlooked says that the process has not looked yet on the connection that it has, which it does within a moment, or cannot.
var errUnlooked = errors.New("the process has to look first whether NATS holds what it did")

// Publish calls publish if nothing speaks against accepting, and answers what it did. score.ErrHalted: accepting halts. Any other
// error of its own says that the same may be published again in a moment. What publish did may be stored with either.
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
	if g.config.Connection() != before { // another server may have stored it than was looked at
		return errUnlooked
	}
	return nil
}

// doubts has the process look before the next publish, unless the error is the answer of a server that works: a cluster may have lost
// most of its servers and have continued with older copies, while the connection to another one stayed.
func (g *Guard) doubts(err error) {
	var taken *score.TakenError
	if errors.Is(err, score.ErrFull) || errors.Is(err, score.ErrOtherMeaning) || errors.As(err, &taken) {
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

// FoundShorter tells that the stream gave a message a sequence before what is known of it, and returns the score.ErrHalted to
// answer with.
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

// Journaled tells what a lane's journal says of the stream: when it was made, and the highest sequence that it has held.
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

// Unjournaled tells that a lane halts because its signer sent what the lane's journal does not know.
func (g *Guard) Unjournaled(id score.Lane) {
	n := uint16(id)
	g.find(Marker{
		Code: Unjournaled, Lane: &n,
		Reason: fmt.Sprintf("the chain has transactions of lane %d that its journal does not know: NATS was restored from an older copy, "+
			"or the lane's key is used elsewhere, as by another deployment that has the same signer", n),
	}, true)
}

// find closes the process, and has Run write the marker. What is found first counts. What is not certain counts only if
// the look that writes it finds it, too.
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

// read takes the marker over. What was found before an operator decided, of a halt that the process did not hear of, was decided, too.
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

// disprove drops that the stream is shorter where it is not: a leader that is cut off from its cluster tells an end that is past.
func (g *Guard) disprove(ends uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.found != nil && g.found.Code == Shorter && !g.certain && ends >= g.found.Known {
		g.drop("the stream holds it")
	}
}

// drop forgets what was found and is in no marker. The caller holds mu.
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
