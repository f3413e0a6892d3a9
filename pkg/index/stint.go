package index

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/sync/errgroup"

	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	appendsAtOnce = 4      // parallel appends, to different projects
	cutsAtOnce    = 32_000 // executions collected before appending, about
	samples       = 3      // wallets compared with the contract
)

// stint is a run of a StandingsFold until a write fails or another relayer moves the checkpoint.
type stint struct {
	at      score.Checkpoint
	process string
	again   bool            // the store's process changed since at, so the ledger is read again from at.Back
	begun   ledger.Position // the highest block of earlier parts
	ahead   ledger.Position // of at.Ahead
	// trusted is the mark up to which every project is believed complete: that of the position where this run began
	// to read.
	trusted score.Mark
	marks   map[score.ProjectID]score.Mark // read or written in this run
	points  map[score.ProjectID][]int64    // signed points by action index

	parts []*ledger.Message // of an incomplete block
	cut   map[score.ProjectID][]score.Part
	held  int // executions in cut

	sample []target
	seen   int // since the last comparison
}

type target struct {
	project score.ProjectID
	wallet  common.Address
}

// take turns a complete block's executions (s.parts) into parts to append (s.cut).
func (f *StandingsFold) take(ctx context.Context, s *stint) error {
	if err := f.meet(ctx, s); err != nil {
		return err
	}
	shares := sharesOf(s.parts)
	counts := map[score.ProjectID]uint32{}
	for _, m := range s.parts {
		for i := range m.Events {
			e := &m.Events[i]
			s.learn(e.Event)
			for u, outcome := range registry.Executed(e.Event) {
				gas, fee := shares[e.Tx.Hash].next()
				if outcome == score.UnknownProject {
					continue // as in registry.ExecutedOf; its share of the cost counts nowhere
				}
				points, err := f.points(ctx, s, u, outcome)
				if err != nil {
					return fmt.Errorf("log %d of block %d: %w", e.Log, m.Block.Number, err)
				}
				counts[u.Project]++
				s.add(score.Mark{Block: m.Block.Number, Count: counts[u.Project]}, score.Execution{
					Update: *u, Points: points, Outcome: outcome, Tx: e.Tx.Hash, Block: m.Block.Number, Time: m.Time, Gas: gas, Fee: fee,
				})
			}
		}
	}
	s.parts = nil
	return nil
}

// meet creates the block's new projects, and reads the marks of its other projects, once in a run. It lowers marks to
// the trusted one, from which the run reads.
func (f *StandingsFold) meet(ctx context.Context, s *stint) error {
	var unmet []score.ProjectID
	met := func(id score.ProjectID) bool {
		_, met := s.marks[id]
		return met
	}
	for _, m := range s.parts {
		for i := range m.Events {
			if e, is := m.Events[i].Event.(registry.ProjectCreated); is {
				at := score.Mark{Block: m.Block.Number}
				if err := f.Standings.Create(ctx, s.at.Generation, e.Project.ID, at); err != nil {
					return err
				}
				if !met(e.Project.ID) {
					s.marks[e.Project.ID] = at
				}
			}
		}
	}
	asked := map[score.ProjectID]bool{}
	for _, m := range s.parts {
		for i := range m.Events {
			for u, outcome := range registry.Executed(m.Events[i].Event) {
				if outcome != score.UnknownProject && !met(u.Project) && !asked[u.Project] {
					asked[u.Project], unmet = true, append(unmet, u.Project)
				}
			}
		}
	}
	if len(unmet) == 0 {
		return nil
	}
	marks, err := f.Standings.Marks(ctx, s.at.Generation, unmet)
	if err != nil {
		return err
	}
	// If the store lost writes before the marks were read, a mark may be too low. The part would begin there, which
	// hides the loss from Append.
	if err := f.sameProcess(ctx, s); err != nil {
		return err
	}
	for i, id := range unmet {
		if marks[i] == nil {
			return fmt.Errorf("project %s: %w", id, score.ErrNotProjected)
		}
		s.marks[id] = *marks[i]
		if s.trusted.Compare(*marks[i]) < 0 {
			s.marks[id] = s.trusted
		}
	}
	return nil
}

// learn takes the points of a project's actions from events, if it knows all earlier actions of the project.
func (s *stint) learn(event registry.Event) {
	switch e := event.(type) {
	case registry.ProjectCreated:
		s.points[e.Project.ID] = pointsOf(e.Project.Actions)
	case registry.ActionAdded:
		if known, has := s.points[e.Project]; has && len(known) == int(e.Index) {
			s.points[e.Project] = append(known, e.Action.Delta())
		}
	}
}

func pointsOf(actions []score.Action) []int64 {
	points := make([]int64, len(actions))
	for i, a := range actions {
		points[i] = a.Delta()
	}
	return points
}

// points returns the points of an update's action; 0 if the action is unknown and the contract rejected the update.
// Actions that learn has not seen come from the directory, or else from the contract as of the ledger's end.
func (f *StandingsFold) points(ctx context.Context, s *stint, u *score.Update, outcome score.Outcome) (int64, error) {
	known, asked := s.points[u.Project]
	if int(u.Action) >= len(known) && (!asked || outcome == score.Applied) {
		record, err := f.Projects.Project(ctx, u.Project)
		if err != nil {
			return 0, err
		}
		if record != nil && len(record.Actions) > len(known) {
			known = pointsOf(record.Actions)
		}
	}
	if int(u.Action) >= len(known) && outcome == score.Applied {
		end, err := f.Source.End(ctx)
		if err == nil {
			known, err = registry.ReadActions(u.Project).Do(ctx, viewAt(f.Chain, f.Deployment.Contract, end.Block.Hash))
		}
		if err != nil {
			return 0, fmt.Errorf("couldn't read the points of project %s: %w", u.Project, err)
		}
	}
	s.points[u.Project] = known
	switch {
	case int(u.Action) < len(known):
		return known[u.Action], nil
	case outcome == score.Applied:
		return 0, fmt.Errorf("the contract applied action %d of project %s, and says that there are %d", u.Action, u.Project, len(known))
	}
	return 0, nil // the contract rejected the update
}

// add appends an execution to its project's parts. mark is the project's mark after it.
func (s *stint) add(mark score.Mark, e score.Execution) {
	parts := s.cut[e.Project]
	if n := len(parts); n == 0 || len(parts[n-1].Executions) == score.MaxPart {
		parts = append(parts, score.Part{Project: e.Project, From: s.marks[e.Project]})
	}
	last := &parts[len(parts)-1]
	last.To, last.Executions = mark, append(last.Executions, e)
	s.cut[e.Project], s.marks[e.Project] = parts, mark
	s.held++
	s.seen++
	if t := (target{e.Project, e.Target}); len(s.sample) < samples {
		s.sample = append(s.sample, t)
	} else if i := rand.IntN(s.seen); i < samples {
		s.sample[i] = t
	}
}

// appendCut appends the parts in s.cut: in order within a project, several projects in parallel.
func (f *StandingsFold) appendCut(ctx context.Context, s *stint) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(appendsAtOnce)
	for _, parts := range s.cut {
		group.Go(func() error {
			return retry.Contained(func() error {
				for _, part := range parts {
					if err := f.Standings.Append(ctx, s.at.Generation, part); err != nil {
						return fmt.Errorf("project %s: %w", part.Project, err)
					}
					f.metrics.executions.Add(float64(len(part.Executions)))
				}
				return nil
			})
		})
	}
	s.cut, s.held = map[score.ProjectID][]score.Part{}, 0
	return group.Wait()
}

// share distributes a transaction's cost evenly over its updates, in order.
type share struct {
	gas, updates, dealt uint64
	total               *big.Int // wei
	fee, rest           uint64   // wei per update, and the remainder
}

func sharesOf(parts []*ledger.Message) map[common.Hash]*share {
	shares := map[common.Hash]*share{}
	for _, m := range parts {
		for i := range m.Events {
			tx := m.Events[i].Tx
			s := shares[tx.Hash]
			if s == nil {
				s = &share{gas: tx.Gas, total: tx.Fee} // only a transaction's first event has the cost
				shares[tx.Hash] = s
			}
			for range registry.Executed(m.Events[i].Event) {
				s.updates++
			}
		}
	}
	return shares
}

func (s *share) next() (gas, fee uint64) {
	if s.dealt == 0 {
		quotient, rest := new(big.Int).QuoRem(s.total, new(big.Int).SetUint64(s.updates), new(big.Int))
		s.fee, s.rest = math.MaxUint64, rest.Uint64() // 18 ether, if an update costs more
		if quotient.IsUint64() {
			s.fee = quotient.Uint64()
		}
	}
	gas, fee = s.gas/s.updates, s.fee
	if s.dealt < s.gas%s.updates {
		gas++
	}
	if fee < math.MaxUint64 && s.dealt < s.rest {
		fee++
	}
	s.dealt++
	return gas, fee
}
