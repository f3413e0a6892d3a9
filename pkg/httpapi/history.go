package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// A wallet's history is newest first. The projection keeps each project's newest final executions; newer and older
// ones come from the chain's logs. A range of blocks contains the logs of all projects, so a request reads a limited
// number of blocks, for a limited time. The next page continues.
const (
	maxHistoryBlocks = 20_000
	historyPatience  = 2 * time.Second // after which a request stops reading
	historyTimeout   = 10 * time.Second
	historiesAtOnce  = 8 // requests that read logs; this bounds their memory
	historyCost      = 5 // look-ups charged for reading logs
)

type historyView struct {
	ProjectID score.ProjectID `json:"projectId"`
	Wallet    common.Address  `json:"wallet"`
	History   []historyEntry  `json:"history"`
	Next      *string         `json:"next"`
	AsOf      asOf            `json:"asOf"`
}

type historyEntry struct {
	UpdateID score.UpdateID `json:"updateId"`
	// Null if the final contract lacks the action.
	Action          *string        `json:"action"`
	Points          *int64         `json:"points"` // signed; null like action
	ScoreType       *string        `json:"scoreType"`
	Signer          common.Address `json:"signer"`
	Time            time.Time      `json:"time"` // of the block
	TransactionHash common.Hash    `json:"transactionHash"`
	BlockNumber     uint64         `json:"blockNumber"`
	Status          string         `json:"status"` // included or final
	Outcome         string         `json:"outcome"`
}

// historyCursor is the start of a page: block and older ones. The page skips the newest executions of the wallet in
// block; told is their number.
type historyCursor struct {
	block uint64
	told  uint32
}

var errHistoryCursor = errors.New("is not what an answer had as next")

func (c historyCursor) String() string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, c.block), c.told))
}

func parseHistoryCursor(text string) (historyCursor, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(text) != 16 || len(raw) != 12 { // the length, since the decoder ignores line breaks
		return historyCursor{}, errHistoryCursor
	}
	return historyCursor{binary.BigEndian.Uint64(raw), binary.BigEndian.Uint32(raw[8:])}, nil
}

type historyPage struct {
	begin historyCursor
	limit int // at least 1
	found []score.Execution
	at    historyCursor // after the last execution that was taken or skipped
}

// take adds executions, newest first, and returns false once the page is full.
func (h *historyPage) take(newest []score.Execution) bool {
	for i := range newest {
		e := &newest[i]
		if e.Block > h.begin.block {
			continue
		}
		if e.Block != h.at.block {
			h.at = historyCursor{block: e.Block}
		}
		h.at.told++
		if e.Block == h.begin.block && h.at.told <= h.begin.told {
			continue
		}
		if h.found = append(h.found, *e); len(h.found) == h.limit {
			return false
		}
	}
	return true
}

func (s *Server) history(c *fiber.Ctx, by *caller) *Problem {
	rec, p := s.recordParam(c, by)
	if p != nil {
		return p
	}
	target, err := wallet.ParseAddress(c.Params("wallet"))
	if err != nil {
		return problem(codeInvalidPath, "the wallet "+err.Error())
	}
	q := queryOf(c, "limit", "cursor", "final")
	page := &historyPage{begin: historyCursor{block: math.MaxUint64}, limit: q.limit()}
	if begin := from(q, "cursor", parseHistoryCursor); begin != nil {
		page.begin = *begin
	}
	finalOnly := from(q, "final", strconv.ParseBool)
	if q.wrong != nil {
		return q.wrong
	}
	ctx, cancel := context.WithTimeout(s.life, historyTimeout)
	defer cancel()
	kept, at, err := s.deps.Standings.Recent(ctx, rec.ID)
	if err != nil {
		return s.unread(c, err)
	}
	if finalOnly != nil && *finalOnly && page.begin.block > at.Block {
		page.begin = historyCursor{block: at.Block}
	}
	next, final, p := s.fill(ctx, c, by, page, rec.ID, target, recent{kept, len(kept) < score.MaxRecent, at.Block})
	if p != nil {
		return p
	}
	view := historyView{ProjectID: rec.ID, Wallet: target, History: make([]historyEntry, len(page.found)), AsOf: asOfBlock(at)}
	for i := range page.found {
		view.History[i] = entryOf(rec, &page.found[i], final)
	}
	if next != nil {
		text := next.String()
		view.Next = &text
	}
	return s.send(c, view)
}

// recent holds the projection's newest executions of a project, of all wallets, as of a final block.
type recent struct {
	newest []score.Execution
	all    bool
	asOf   uint64
}

// of returns the wallet's executions in the final blocks that are kept completely: those from whole to asOf.
func (r *recent) of(target common.Address) (kept []score.Execution, whole uint64) {
	if !r.all && len(r.newest) > 0 {
		whole = r.newest[len(r.newest)-1].Block + 1 // the oldest block may be incomplete
	} else if !r.all {
		whole = r.asOf + 1
	}
	for i := range r.newest {
		if e := &r.newest[i]; e.Target == target && e.Block <= r.asOf && e.Block >= whole {
			kept = append(kept, *e)
		}
	}
	return kept, whole
}

// fill fills the page, and returns the start of the following page, nil if there is none, and the newest final block.
func (s *Server) fill(ctx context.Context, c *fiber.Ctx, by *caller, page *historyPage, project score.ProjectID, target common.Address, r recent) (
	next *historyCursor, final uint64, p *Problem,
) {
	logs := &logReader{s: s, c: c, by: by, project: project, target: target, page: page, left: maxHistoryBlocks, until: time.Now().Add(historyPatience)}
	defer logs.done()
	if page.begin.block > r.asOf {
		if next, p = logs.read(ctx, r.asOf+1, page.begin.block); next != nil || p != nil {
			return next, logs.final(r.asOf), p
		}
	}
	kept, whole := r.of(target)
	if !page.take(kept) {
		return &page.at, logs.final(r.asOf), nil
	}
	if before := min(page.begin.block, max(whole, 1)-1, r.asOf); whole > 0 && before > 0 {
		next, p = logs.read(ctx, 0, before)
	}
	return next, logs.final(r.asOf), p
}

type logReader struct {
	s       *Server
	c       *fiber.Ctx
	by      *caller
	project score.ProjectID
	target  common.Address
	page    *historyPage

	extent *score.Extent
	left   uint64 // blocks left to read
	until  time.Time
}

// read fills the page from the logs of blocks first … last, newest first. next is where to continue, nil if the range
// is done.
func (l *logReader) read(ctx context.Context, first, last uint64) (next *historyCursor, p *Problem) {
	if p := l.begin(ctx); p != nil {
		return nil, p
	}
	first, last = max(first, l.extent.First), min(last, l.extent.Head)
	if first > last {
		return nil, nil
	}
	bound := max(first, last-min(last, l.left-1))
	read := last + 1
	err := l.s.deps.Chain.History(ctx, l.project, l.target, bound, last, *l.extent, func(down uint64, newest []score.Execution) bool {
		l.left -= min(l.left-1, read-down)
		read = down
		switch {
		case !l.page.take(newest):
			next = &l.page.at
		case down > first && (down == bound || time.Now().After(l.until)):
			next = &historyCursor{block: down - 1}
		}
		return next == nil
	})
	switch {
	case err != nil && read > last:
		return nil, l.unavailable(err)
	case err != nil: // the next page continues after the part that was read
		return &historyCursor{block: read - 1}, nil
	}
	return next, nil
}

// begin takes a place among the readers of logs, charges its cost, and reads the chain's extent; only once.
func (l *logReader) begin(ctx context.Context) (p *Problem) {
	if l.extent != nil {
		return nil
	}
	if p := l.s.countAs(l.c, l.by, historyCost); p != nil {
		return p
	}
	select {
	case l.s.histories <- struct{}{}:
	default:
		return temporary(codeOverloaded, l.s.looking.wait(), "too many histories are read from the chain")
	}
	extent, err := l.s.deps.Chain.Extent(ctx)
	if err != nil {
		<-l.s.histories
		return l.unavailable(err)
	}
	l.extent = &extent
	return nil
}

// final returns the newest final block that the projection (projected) or the extent knows.
func (l *logReader) final(projected uint64) uint64 {
	if l.extent == nil {
		return projected
	}
	return max(projected, l.extent.Final)
}

func (l *logReader) done() {
	if l.extent != nil {
		<-l.s.histories
	}
}

func (l *logReader) unavailable(err error) *Problem {
	l.s.log(l.c).Warn("the API could not read a wallet's history from the chain; it asks the caller to retry", "project", l.project, "err", err)
	return temporary(codeChainUnavailable, retryAfterFailure, "")
}

func entryOf(rec *score.Record, e *score.Execution, final uint64) historyEntry {
	entry := historyEntry{
		UpdateID: e.ID, Signer: e.Signer, Time: e.Time.UTC(), TransactionHash: e.Tx, BlockNumber: e.Block,
		Status: score.Included.String(), Outcome: e.Outcome.String(),
	}
	if e.Block <= final {
		entry.Status = score.Final.String()
	}
	entry.Action, entry.Points, entry.ScoreType = rec.Words(e.Action, e.ScoreType)
	return entry
}
