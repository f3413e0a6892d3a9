package status

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/score"
)

// The fields of each table beside its buckets.
const (
	generation = "generation" // there while the table is complete
	restoring  = "restoring"  // the token of the restore that began last
)

// completeScript: KEYS a table; ARGV the restore's token. Declares the table complete if it was not flushed since the restore
// with that token began.
var completeScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'restoring') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'generation', ARGV[1])
redis.call('HDEL', KEYS[1], 'restoring')
return 1`)

// Complete tells whether the store holds all it should, as far as it knows: whether each table has its generation.
func (s *Store) Complete(ctx context.Context) (complete bool, err error) {
	there, err := s.tablesDo(ctx, "read the store's generation", func(p redis.Pipeliner, table string) redis.Cmder {
		return p.HExists(ctx, table, generation)
	})
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(there, func(c redis.Cmder) bool { return !c.(*redis.BoolCmd).Val() }), nil
}

// BeginRestore marks the start of a restore. Its token goes to EndRestore; of two restores at once the later one counts.
func (s *Store) BeginRestore(ctx context.Context) (token string, err error) {
	token = NewToken()
	_, err = s.tablesDo(ctx, "begin the restore", func(p redis.Pipeliner, table string) redis.Cmder {
		return p.HSet(ctx, table, restoring, token)
	})
	return token, err
}

// RestoreAccepted writes "accepted" for what the stream holds and nothing else is known of.
func (s *Store) RestoreAccepted(ctx context.Context, refs []score.Ref) error {
	return s.move(ctx, "restore what was accepted", "accepted", refs, always(""))
}

// RestoreFinal writes outcomes the chain's final events tell of. A rejection does not replace a claim or a slot, which
// are of a later try with the same id. What did not apply is written only over an acceptance, which RestoreAccepted has
// brought back before: a relayer can fill events with rejections of ids that were never accepted, for next to no gas.
func (s *Store) RestoreFinal(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error {
	return s.final(ctx, "evnt", tx, block, refs, outcomes)
}

// RestoreDead writes the outcomes of dead letters that no event tells of. They do not replace a claim or a slot.
func (s *Store) RestoreDead(ctx context.Context, tx common.Hash, refs []score.Ref, outcomes []score.Outcome) error {
	return s.final(ctx, "dead", tx, 0, refs, outcomes)
}

// EndRestore declares the store complete. ErrFlushed if what was restored has been lost meanwhile, or another restore
// began or was requested.
func (s *Store) EndRestore(ctx context.Context, token string) error {
	calls := make([]scriptCall, s.tables)
	for i := range calls {
		calls[i] = scriptCall{completeScript, i, []any{token}}
	}
	answers, err := s.exchange(ctx, "end the restore", calls)
	if err != nil {
		return err
	}
	for _, a := range answers {
		if done, err := a.Int(); err != nil || done == 0 {
			return ErrFlushed
		}
	}
	return nil
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

// reportedScript: KEYS the note of a lane; ARGV the number that it has at least, and the next. Returns 0, and does nothing, if it has less.
var reportedScript = redis.NewScript(`
local has = redis.pcall('GET', KEYS[1])
if (type(has) == 'string' and tonumber(has) or 0) < tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`)

// Reported notes that all there is to say about a lane's first so many ends has been written: the lane's writes come in
// order, so one note stands for all before it. If the note there is less than noted, the last that the caller knows of, the store forgot
// what came with it: then it stays, and kept is false.
func (s *Store) Reported(ctx context.Context, lane score.Lane, noted, ends uint64) (kept bool, err error) {
	err = s.call(ctx, "note what a lane has reported", func(ctx context.Context) error {
		kept, err = reportedScript.Run(ctx, s.client, []string{s.reportedKey(lane)}, noted, ends).Bool()
		return err
	})
	return kept, err
}

// ReportedEnds is how many ends Reported noted last; 0 if nothing is noted, or something that is no number.
func (s *Store) ReportedEnds(ctx context.Context, lane score.Lane) (ends uint64, err error) {
	err = s.call(ctx, "read what a lane has reported", func(ctx context.Context) error {
		ends, err = s.client.Get(ctx, s.reportedKey(lane)).Uint64()
		malformed := (*strconv.NumError)(nil)
		if errors.Is(err, redis.Nil) || errors.As(err, &malformed) || redis.HasErrorPrefix(err, "WRONGTYPE") {
			ends, err = 0, nil
		}
		return err
	})
	return ends, err
}

// Process names the Redis process, or those of a Cluster's masters: one that was killed or failed over to may lack the last second. ""
// where Redis does not tell.
func (s *Store) Process(ctx context.Context) (process string, err error) {
	err = s.call(ctx, "ask which process Redis is", func(ctx context.Context) error {
		process, err = s.client.Process(ctx)
		return err
	})
	return process, err
}

// RequestRestore says that statuses are missing which no process will write any more: a restore must bring them back. One that
// runs may be past them already: EndRestore refuses it, so that another follows.
func (s *Store) RequestRestore(ctx context.Context) error {
	_, err := s.tablesDo(ctx, "request a restore", func(p redis.Pipeliner, table string) redis.Cmder {
		return p.HDel(ctx, table, generation, restoring)
	})
	return err
}

func (s *Store) reportedKey(lane score.Lane) string {
	return s.config.Prefix + "reported:" + strconv.Itoa(int(lane))
}
