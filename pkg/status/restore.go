package status

import (
	"context"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/score"
)

// completeScript: KEYS a table; ARGV the restore's token. Returns 0 if the table's fold is of another restore.
var completeScript = redis.NewScript(`
local fold = redis.call('HGET', KEYS[1], 'fold')
if not fold or string.sub(fold, 1, #ARGV[1] + 1) ~= ARGV[1] .. ' ' then return 0 end
redis.call('HSET', KEYS[1], 'generation', ARGV[1])
return 1`)

// BeginRestore marks the store incomplete and resets its ledger position. at is the from for Fold: the restore's
// token and a space. Then the writes of an earlier restore return score.ErrFoldMoved.
func (s *Store) BeginRestore(ctx context.Context) (token string, at []string, err error) {
	token = NewToken()
	_, err = s.tablesDo(ctx, "begin the restore", func(p redis.Pipeliner, table string) redis.Cmder {
		p.HDel(ctx, table, generation)
		return p.HSet(ctx, table, folded, token+" ")
	})
	return token, slices.Repeat([]string{token + " "}, s.tables), err
}

// RestoreAccepted writes "accepted" for references that have no state.
func (s *Store) RestoreAccepted(ctx context.Context, refs []score.Ref) error {
	return s.move(ctx, "restore what was accepted", "accepted", refs, always(""))
}

// EndRestore marks the store complete. It returns score.ErrFoldMoved if the restored data was lost, or another
// restore began or was requested.
func (s *Store) EndRestore(ctx context.Context, token string) error {
	calls := make([]scriptCall, s.tables)
	for i := range calls {
		calls[i] = scriptCall{completeScript, i, []any{token}}
	}
	return s.foldSome(ctx, "end the restore", calls)
}

func ofRestore(fold, token string) bool { return strings.HasPrefix(fold, token+" ") }

// RequestRestore marks the statuses as incomplete, so that they are restored anew: some missing ones have no other
// writer. It ends a running restore, which may be past them.
func (s *Store) RequestRestore(ctx context.Context) error {
	_, err := s.tablesDo(ctx, "request a restore", func(p redis.Pipeliner, table string) redis.Cmder {
		return p.HDel(ctx, table, generation, folded)
	})
	return err
}

// Flush deletes all statuses and claims, because their chain is gone. A restore rebuilds the valid ones.
func (s *Store) Flush(ctx context.Context) error {
	_, err := s.tablesDo(ctx, "flush the statuses", func(p redis.Pipeliner, table string) redis.Cmder { return p.Unlink(ctx, table) })
	return err
}

// Process returns the ids of the Redis process or of a Cluster's masters, "" if unknown. If it changed, the last
// second of writes may be lost.
func (s *Store) Process(ctx context.Context) (process string, err error) {
	err = s.call(ctx, "ask which process Redis is", func(ctx context.Context) error {
		process, err = s.client.Process(ctx)
		return err
	})
	return strings.ReplaceAll(process, " ", ","), err
}

func (s *Store) tablesDo(ctx context.Context, what string, do func(p redis.Pipeliner, table string) redis.Cmder) (done []redis.Cmder, err error) {
	err = s.call(ctx, what, func(ctx context.Context) error {
		done = nil
		_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := range s.tables {
				done = append(done, do(p, s.table(i)))
			}
			return nil
		})
		return err
	})
	return done, err
}
