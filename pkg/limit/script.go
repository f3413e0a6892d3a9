package limit

import (
	"context"

	"github.com/redis/go-redis/v9"
)

type scriptCall struct {
	keys []string
	args []any
}

// run calls a script in one exchange with Redis, or with each server of a Cluster. If a server lacks the script, a
// second exchange follows. Check each reply, since one may be an error although run's error is nil.
func (l *Limiter) run(ctx context.Context, script *redis.Script, calls []scriptCall) ([]*redis.Cmd, error) {
	replies := make([]*redis.Cmd, len(calls))
	err := l.client.Call(ctx, func(ctx context.Context) error {
		unknown := false
		_, err := l.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, c := range calls {
				replies[i] = script.EvalSha(ctx, p, c.keys, c.args...)
			}
			return nil
		})
		for _, r := range replies {
			unknown = unknown || redis.HasErrorPrefix(r.Err(), "NOSCRIPT")
		}
		if !unknown {
			return err
		}
		_, err = l.client.Pipelined(ctx, func(p redis.Pipeliner) error { // only failed calls: the others took effect
			for i, c := range calls {
				if redis.HasErrorPrefix(replies[i].Err(), "NOSCRIPT") {
					replies[i] = script.Eval(ctx, p, c.keys, c.args...)
				}
			}
			return nil
		})
		return err
	})
	return replies, err
}
