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

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	lookEvery    = time.Second
	lookPause    = 50 * time.Millisecond // between looks whether the connection is another
	confirmAfter = 500 * time.Millisecond

	// blindFor is how long what a look told counts: who cannot look does not notice what was lost.
	blindFor = 10 * time.Second

	// away is how long looks fail before the process turns to another server of NATS: the one that it is connected to may be cut
	// off from the others, which answer.
	away = 5 * time.Second

	stateTimeout   = 3 * time.Second
	compareTimeout = 15 * time.Second
	forgetTimeout  = time.Minute
)

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
	// Note raises a number that is kept outside of NATS, and returns it. It may fail at any time.
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

	mu         sync.Mutex
	clear      bool      // nothing was found, as of the connection
	connection uint64    // of the last look that found nothing
	lookedAt   time.Time // when that began
	doubt      bool      // a publish was not answered since: another history may be continued than the one that was looked at
	found      *Marker   // not read back from the bucket yet
	certain    bool      // found is by a publish, which no later look disproves
	knew       uint64    // revision of the marker when it was found
	marker     Marker    // as read last
	revision   uint64    // of marker

	resumed  uint64 // revision of the marker whose end the process knows
	doubted  bool   // the note was: worth one line
	asked    bool   // the journals were, on the connection askedOn
	askedOn  uint64
	complain bool // the last look succeeded: a failure is worth a line
}

// New returns a Guard that lets nothing pass until Run has looked.
func New(config Config) *Guard {
	return &Guard{config: config, looked: make(chan struct{}), complain: true, halted: promauto.With(config.Metrics).NewGauge(prometheus.GaugeOpts{
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

// Forgotten is that of the marker; empty while accepting halts, since it may become another then.
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
		Reason: fmt.Sprintf("the chain has transactions of lane %d that its journal does not know: NATS was restored from an older copy, or the lane's key is used elsewhere", n),
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

// Run looks every second, and on each new connection at once, until ctx ends, whose error it returns.
func (g *Guard) Run(ctx context.Context) error {
	var next time.Time
	var last uint64
	saw := time.Now()
	for tried := false; ; {
		doubtful := g.doubtful() && !tried // once: then as often as looks are repeated that failed
		if now := g.config.Connection(); now != last || doubtful || !time.Now().Before(next) {
			err := g.Look(ctx)
			if tried = err != nil; !tried {
				saw = time.Now()
			} else if g.config.Elsewhere != nil && time.Since(saw) > away {
				g.config.Elsewhere()
				saw = time.Now()
			}
			if err != nil && ctx.Err() == nil && g.complain {
				g.config.Log.Warn("couldn't look whether accepting halts; the process looks again, and accepts nothing on a new connection, or after 10 s, before", "err", err)
			}
			g.complain = err == nil
			next = time.Now().Add(lookEvery)
			if last = now; err != nil {
				next = time.Now().Add(confirmAfter)
			}
		}
		if err := retry.Sleep(ctx, lookPause); err != nil {
			return err
		}
	}
}

// Look looks once: at the marker, and whether the stream holds what is known of it. Only Run, or a test in its place, may call it.
func (g *Guard) Look(ctx context.Context) error {
	connection, began := g.config.Connection(), time.Now()
	g.mu.Lock()
	g.asked, g.doubt = g.asked && !g.doubt, false
	g.mu.Unlock()
	marker, revision, err := g.config.Marks.Read(ctx)
	if err == nil {
		g.read(marker, revision)
	}
	// A marker that cannot be read hides no loss.
	if err = errors.Join(err, g.compare(ctx, connection)); err != nil {
		g.asked = false
		return err
	}
	if found := g.unwritten(); found != nil {
		next := *found
		next.Forgotten = marker.Forgotten
		if err := g.config.Marks.Write(ctx, next, revision); err != nil && !errors.Is(err, ErrMoved) {
			return err // stored or not: the next look reads it
		}
		if marker, revision, err = g.config.Marks.Read(ctx); err != nil {
			return err
		}
		g.read(marker, revision)
	}
	if err := g.resume(ctx, marker, revision); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.clear = g.found == nil && !g.marker.Halts() && !g.doubt; g.clear {
		g.connection, g.lookedAt = connection, began
	}
	g.once.Do(func() { close(g.looked) })
	return nil
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

// resume has the process forget what NATS may have lost, before it accepts after a halt that it may not even have heard of.
func (g *Guard) resume(ctx context.Context, m Marker, revision uint64) error {
	if m.Halts() || g.unwritten() != nil {
		return nil
	}
	select {
	case <-g.looked:
		if revision == g.resumed {
			return nil
		}
		if g.config.Forget != nil {
			limited, cancel := context.WithTimeout(ctx, forgetTimeout)
			defer cancel()
			if err := g.config.Forget(limited); err != nil {
				return fmt.Errorf("couldn't forget what NATS lost: %w", err)
			}
		}
		g.config.Log.Info("accepting resumes, as an operator decided", "choice", m.Choice)
	default: // at the start there is nothing to forget
	}
	g.resumed = revision
	g.halted.Set(0)
	return nil
}

// compare looks whether the stream is the one that was opened, and ends where it may. One short look is not believed: a cluster's
// new leader may answer before it has read all.
func (g *Guard) compare(ctx context.Context, connection uint64) error {
	ctx, cancel := context.WithTimeout(ctx, compareTimeout)
	defer cancel()
	s := g.config.Stream
	if !g.asked || g.askedOn != connection {
		seq, err := g.config.Journaled(ctx)
		if err != nil {
			return err
		}
		s.Saw(seq)
		g.asked, g.askedOn = true, connection
	}
	if highest, err := g.config.Note(ctx, s.Seen()); err == nil { // without the note less is noticed
		if err := g.noted(ctx, highest); err != nil {
			return err
		}
	}
	for confirmed := false; ; confirmed = true {
		known := s.Seen() // before the stream is asked: its end only grows
		state, err := g.state(ctx)
		switch {
		case err != nil:
			return err
		case !state.Created.Equal(s.Created()):
			g.replaced(s.Created(), state.Created)
			return nil
		case state.LastSeq >= known:
			s.Saw(state.LastSeq)
			g.disprove(state.LastSeq)
			return nil
		case confirmed:
			g.find(shorter(known, state.LastSeq), false)
			return nil
		}
		g.mu.Lock()
		g.clear = false
		g.mu.Unlock()
		if err := retry.Sleep(ctx, confirmAfter); err != nil {
			return err
		}
	}
}

func (g *Guard) state(ctx context.Context) (score.StreamState, error) {
	ctx, cancel := context.WithTimeout(ctx, stateTimeout)
	defer cancel()
	return g.config.Stream.State(ctx)
}

// noted takes Redis's note over, unless it cannot be true: that would halt accepting forever.
func (g *Guard) noted(ctx context.Context, highest uint64) error {
	s := g.config.Stream
	if highest > s.Seen()+sure {
		state, err := g.state(ctx)
		if err != nil {
			return err
		}
		if !Believable(highest, state) {
			if !g.doubted {
				g.config.Log.Warn("Redis's note of the stream's end cannot be true; not using it until it is deleted", "noted", highest, "ends", state.LastSeq)
			}
			g.doubted = true
			return nil
		}
	}
	g.doubted = false
	s.Saw(highest)
	return nil
}
