package index

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// logsAtOnce is how many logs are read into executions at once; a transaction's stay together. One can hold thousands of executions.
const logsAtOnce = 64

// happening is a project's creation or the execution of one of its updates.
type happening struct {
	project   score.ProjectID
	block     uint64
	created   bool
	execution score.Execution
}

// stretch is what was read next of the chain: happenings in their order, or the end of a range of blocks.
type stretch struct {
	happened []happening
	through  *evidence.Block
}

// points are the signed points of projects' actions, by index. The first so many are known to be final and stay as they are; what follows was
// read from a block that may be replaced.
type points map[score.ProjectID]actionPoints

type actionPoints struct {
	of    []int64
	final int
}

// read sends what happened in the blocks from … final to fn, in order. Blocks that the process remembers cost a call only where one may hold
// an event.
func (p *Projector) read(ctx context.Context, from uint64, final evidence.Block, fn func(stretch) error) error {
	topics := registry.Topics()
	if blocks, ok := p.remembered(from, final); ok {
		logs, err := p.Blocks.Events(ctx, blocks, p.Deployment.Contract, topics)
		if err != nil {
			return err
		}
		return p.send(ctx, logs, final, fn)
	}
	return p.Chain.Logs(ctx, p.Deployment.Contract, topics, from, final.Number, func(through evidence.Block, logs []types.Log) error {
		known, ok := p.Heads.Block(through.Number)
		if through.Number == final.Number {
			known, ok = final, true
		}
		if ok && known.Hash != through.Hash {
			return fmt.Errorf("%w: block %d", errUnlinked, through.Number)
		}
		return p.send(ctx, logs, through, fn)
	})
}

// remembered are the blocks from … final, each the parent of the next; ok is false where the process does not remember them all.
func (p *Projector) remembered(from uint64, final evidence.Block) (blocks []evidence.Block, ok bool) {
	if final.Number-from >= eventsPerRead {
		return nil, false
	}
	blocks = []evidence.Block{final}
	for child := final; child.Number > from; child = blocks[len(blocks)-1] {
		b, ok := p.Heads.Block(child.Number - 1)
		if !ok || b.Hash != child.Parent {
			return nil, false
		}
		blocks = append(blocks, b)
	}
	slices.Reverse(blocks)
	return blocks, true
}

// send sends what happened in a range of blocks, which ends with through.
func (p *Projector) send(ctx context.Context, logs []types.Log, through evidence.Block, fn func(stretch) error) error {
	for len(logs) > 0 {
		n := wholeTransactions(logs, logsAtOnce)
		happened, err := p.happened(ctx, logs[:n])
		if err != nil {
			return err
		}
		if err := fn(stretch{happened: happened}); err != nil {
			return err
		}
		logs = logs[n:]
	}
	return fn(stretch{through: &through})
}

// wholeTransactions is how many of the logs, at least as many as wanted, end with their transaction.
func wholeTransactions(logs []types.Log, wanted int) int {
	n := min(wanted, len(logs))
	for n < len(logs) && logs[n].TxHash == logs[n-1].TxHash {
		n++
	}
	return n
}

// happened reads the logs of whole transactions.
func (p *Projector) happened(ctx context.Context, logs []types.Log) (happened []happening, err error) {
	events := make([]registry.Event, len(logs))
	updates := map[common.Hash]uint64{} // of a transaction
	var paying []types.Log
	for i := range logs {
		if events[i], err = registry.ParseLog(&logs[i]); err != nil {
			return nil, err
		}
		n := uint64(0)
		for range registry.Executed(events[i]) {
			n++
		}
		if n > 0 {
			updates[logs[i].TxHash] += n
			paying = append(paying, logs[i])
		}
	}
	paid, err := p.Payments.Paid(ctx, paying)
	if err != nil {
		return nil, err
	}
	shares := map[common.Hash]*share{}
	for i := range logs {
		log := &logs[i]
		if shares[log.TxHash] == nil {
			shares[log.TxHash] = shareOf(paid[log.TxHash], updates[log.TxHash])
		}
		if happened, err = p.take(ctx, happened, events[i], log, shares[log.TxHash]); err != nil {
			return nil, fmt.Errorf("log %d of block %d: %w", log.Index, log.BlockNumber, err)
		}
	}
	return happened, nil
}

// take appends what an event tells.
func (p *Projector) take(ctx context.Context, to []happening, event registry.Event, log *types.Log, s *share) ([]happening, error) {
	switch e := event.(type) {
	case registry.ProjectCreated:
		var known actionPoints
		for _, a := range e.Project.Actions {
			known.of = append(known.of, a.Delta())
		}
		known.final = len(known.of)
		p.points[e.Project.ID] = known
		to = append(to, happening{project: e.Project.ID, block: log.BlockNumber, created: true})
	case registry.ActionAdded:
		if known := p.points[e.Project]; known.final == int(e.Index) {
			p.points[e.Project] = actionPoints{append(known.of[:e.Index:e.Index], e.Action.Delta()), known.final + 1}
		}
	}
	for u, outcome := range registry.Executed(event) {
		gas, fee := s.next()
		if outcome == score.UnknownProject {
			continue // as of registry.ExecutedOf; its share of the costs is no project's
		}
		worth, err := p.worth(ctx, u, outcome)
		if err != nil {
			return nil, err
		}
		to = append(to, happening{project: u.Project, block: log.BlockNumber, execution: score.Execution{
			Update: *u, Points: worth, Outcome: outcome, Tx: log.TxHash, Block: log.BlockNumber, Time: timeOf(s.paid.Time), Gas: gas, Fee: fee,
		}})
	}
	return to, nil
}

// worth are the points of an update's action; 0 of one that there is not. Those of projects created before what was read come
// from the contract, as of its newest block: of what was applied the action is final.
func (p *Projector) worth(ctx context.Context, u *score.Update, outcome score.Outcome) (int64, error) {
	known, cached := p.points[u.Project]
	if int(u.Action) < known.final || outcome != score.Applied && int(u.Action) < len(known.of) {
		return known.of[u.Action], nil
	}
	if cached && outcome != score.Applied {
		return 0, nil
	}
	head, err := p.Chain.Head(ctx)
	if err != nil {
		return 0, err
	}
	known.of, err = registry.ReadActions(u.Project).Do(ctx, viewAt(p.Chain, p.Deployment.Contract, head.Hash))
	if err != nil {
		return 0, fmt.Errorf("couldn't read the points of project %s: %w", u.Project, err)
	}
	if outcome == score.Applied { // in a final block, and so are the actions before
		known.final = min(int(u.Action)+1, len(known.of))
	}
	p.points[u.Project] = known
	switch {
	case int(u.Action) < len(known.of):
		return known.of[u.Action], nil
	case outcome == score.Applied:
		return 0, fmt.Errorf("the contract applied action %d of project %s, and says that there are %d", u.Action, u.Project, len(known.of))
	}
	return 0, nil // another check failed before that of the action
}

// timeOf is a block's time.
func timeOf(unix uint64) time.Time { return time.Unix(int64(unix), 0).UTC() }

// share deals what a transaction cost out to its updates, in order: as evenly as whole numbers can be.
type share struct {
	paid           evidence.Paid
	updates, dealt uint64
	fee, rest      uint64 // of each, and what is left of the division
}

func shareOf(paid evidence.Paid, updates uint64) *share { return &share{paid: paid, updates: updates} }

func (s *share) next() (gas, fee uint64) {
	if s.dealt == 0 {
		quotient, rest := new(big.Int).QuoRem(s.paid.Fee, new(big.Int).SetUint64(s.updates), new(big.Int))
		s.fee, s.rest = math.MaxUint64, rest.Uint64() // 18 ether for one update
		if quotient.IsUint64() {
			s.fee = quotient.Uint64()
		}
	}
	gas, fee = s.paid.Gas/s.updates, s.fee
	if s.dealt < s.paid.Gas%s.updates {
		gas++
	}
	if fee < math.MaxUint64 && s.dealt < s.rest {
		fee++
	}
	s.dealt++
	return gas, fee
}
