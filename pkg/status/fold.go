package status

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	generation = "generation" // of the restore that completed the table
	folded     = "fold"       // generation or running restore, a space, and the position in the ledger
)

// Fold writes facts, in order, and the ledger position to in the same calls. from holds each table's expected
// position (Folded). If one differs, it returns score.ErrFoldMoved. After any error, part of the facts may be stored;
// they may be folded again. If to is empty, the positions stay.
func (s *Store) Fold(ctx context.Context, from []string, to string, facts []score.Fact) error {
	if len(from) != s.tables {
		return fmt.Errorf("couldn't fold the ledger into statuses: %d positions were given of %d tables", len(from), s.tables)
	}
	const what = "fold the ledger into statuses"
	last := make([]*scriptCall, s.tables) // each table's last call, which moves its position
	var before []scriptCall
	for i := range facts {
		calls := s.callsOf(&facts[i])
		for i := range calls {
			c := &calls[i]
			c.args[argFrom], c.args[argTo] = from[c.table], from[c.table]
			if last[c.table] != nil {
				before = append(before, *last[c.table])
			}
			last[c.table] = c
		}
	}
	var moving []scriptCall
	for table, c := range last {
		switch {
		case c == nil && to == "":
			continue
		case c == nil:
			c = &scriptCall{writeScript, table, []any{"final", seconds(s.config.Retention), 0, from[table], "", ""}}
		}
		if to != "" {
			c.args[argTo] = to
		}
		moving = append(moving, *c)
	}
	for some := range slices.Chunk(before, maxCalls) {
		if err := s.foldSome(ctx, what, some); err != nil {
			return err
		}
	}
	return s.foldSome(ctx, what, moving) // the commit point
}

func (s *Store) foldSome(ctx context.Context, what string, calls []scriptCall) error {
	if len(calls) == 0 {
		return nil
	}
	answers, err := s.exchange(ctx, what, calls)
	if err != nil {
		return err
	}
	for _, a := range answers {
		if done, err := a.Int(); err != nil || done == 0 {
			return fmt.Errorf("couldn't %s: %w", what, errors.Join(err, score.ErrFoldMoved))
		}
	}
	return nil
}

func (s *Store) callsOf(f *score.Fact) []scriptCall {
	tx := transactionOf(f.Tx)
	if f.Gone {
		return s.moves("reopened", f.Refs, always(string(tx[:])+string(rune(kindAccepted))))
	}
	how := "e"
	if f.Letter {
		how = "l"
	}
	return s.finals(how, f.Tx, f.Block, f.Refs, f.Outcomes)
}

func (s *Store) finals(how string, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) []scriptCall {
	states := make(map[score.Outcome]string, 2)
	argument := func(i int) string {
		outcome := outcomes[i]
		if states[outcome] == "" {
			states[outcome] = how + finalState(outcome, tx, block)
		}
		return states[outcome]
	}
	if tx == (common.Hash{}) {
		return s.moves("final", refs, argument)
	}
	return s.moves("final", refs, argument, entry{transactionOf(tx).name(), "t" + string(tx[:])})
}

// Folded returns each table's ledger position, or "". complete reports whether no status is missing: each table's
// generation is that of its position.
func (s *Store) Folded(ctx context.Context) (at []string, complete bool, err error) {
	fields, err := s.tablesDo(ctx, "read how far the statuses are", func(p redis.Pipeliner, table string) redis.Cmder {
		return p.HMGet(ctx, table, folded, generation)
	})
	if err != nil {
		return nil, false, err
	}
	complete = true
	for _, c := range fields {
		fold, _ := c.(*redis.SliceCmd).Val()[0].(string)
		of, there := c.(*redis.SliceCmd).Val()[1].(string)
		at, complete = append(at, fold), complete && there && ofRestore(fold, of)
	}
	return at, complete, nil
}

// Generation returns the name of the restore that completed the statuses, or "" while they are incomplete. A new name
// means that the store lost states that only other processes know.
func (s *Store) Generation(ctx context.Context) (name string, err error) {
	err = s.call(ctx, "read the generation of the statuses", func(ctx context.Context) error {
		name, err = s.client.HGet(ctx, s.table(0), generation).Result()
		if errors.Is(err, redis.Nil) {
			err = nil
		}
		return err
	})
	return name, err
}
