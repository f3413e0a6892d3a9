package status

import (
	"context"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/score"
)

// completeScript: KEYS a table; ARGV the restore's token. Declares the table complete if its fold is still of that restore.
var completeScript = redis.NewScript(`
local fold = redis.call('HGET', KEYS[1], 'fold')
if not fold or string.sub(fold, 1, #ARGV[1] + 1) ~= ARGV[1] .. ' ' then return 0 end
redis.call('HSET', KEYS[1], 'generation', ARGV[1])
return 1`)

// BeginRestore begins to bring the store back: it is not complete, and its fold is nowhere. at is what Fold wants as from: the restore's
// token and a space. Of two restores at once the later one counts: writes of the other are score.ErrFoldMoved.
func (s *Store) BeginRestore(ctx context.Context) (token string, at []string, err error) {
	token = NewToken()
	_, err = s.tablesDo(ctx, "begin the restore", func(p redis.Pipeliner, table string) redis.Cmder {
		p.HDel(ctx, table, generation)
		return p.HSet(ctx, table, folded, token+" ")
	})
	return token, slices.Repeat([]string{token + " "}, s.tables), err
}

// RestoreAccepted writes "accepted" for what the stream holds and nothing else is known of.
func (s *Store) RestoreAccepted(ctx context.Context, refs []score.Ref) error {
	return s.move(ctx, "restore what was accepted", "accepted", refs, always(""))
}

// EndRestore declares the store complete. score.ErrFoldMoved if what was restored has been lost meanwhile, or another restore began or was
// requested.
func (s *Store) EndRestore(ctx context.Context, token string) error {
	calls := make([]scriptCall, s.tables)
	for i := range calls {
		calls[i] = scriptCall{completeScript, i, []any{token}}
	}
	return s.foldSome(ctx, "end the restore", calls)
}

// ofRestore reports whether a fold is of the restore with a token.
func ofRestore(fold, token string) bool { return strings.HasPrefix(fold, token+" ") }

// RequestRestore has the store restored: statuses are missing that no process will write any more. A restore that runs may be past them
// already: it is refused.
func (s *Store) RequestRestore(ctx context.Context) error {
	_, err := s.tablesDo(ctx, "request a restore", func(p redis.Pipeliner, table string) redis.Cmder {
		return p.HDel(ctx, table, generation, folded)
	})
	return err
}

// Flush loses all statuses and claims: what they say is of a chain that is gone. A restore brings the others back.
func (s *Store) Flush(ctx context.Context) error {
	_, err := s.tablesDo(ctx, "flush the statuses", func(p redis.Pipeliner, table string) redis.Cmder { return p.Unlink(ctx, table) })
	return err
}

// Process names the Redis process, or those of a Cluster's masters: one that was killed or failed over to may lack the last second. ""
// where Redis does not tell.
func (s *Store) Process(ctx context.Context) (process string, err error) {
	err = s.call(ctx, "ask which process Redis is", func(ctx context.Context) error {
		process, err = s.client.Process(ctx)
		return err
	})
	return strings.ReplaceAll(process, " ", ","), err
}

// tablesDo does one thing to every table in one exchange.
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
