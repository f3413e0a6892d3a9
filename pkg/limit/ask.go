package limit

import (
	"context"
	_ "embed" // the script
	"hash/maphash"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

//go:embed take.lua
var takeLua string

var takeScript = redis.NewScript(takeLua)

const (
	maxQuestions = 256 // of one exchange, which holds a Redis up for all of it

	// In a Cluster keys are on many servers, and one that is slow shall not hold up the questions about all.
	clusterBatchers = 64

	answersEach = 6 // numbers that the script answers to each question
)

// question is what a request would take of an account.
type question struct {
	account
	units  int
	gas    uint64
	passed uint64 // of the account's gas, what this replica knows it let through

	answer answer
}

// account is what a key may use by one quota, on one day.
type account struct {
	rateKey, gasKey string // in Redis; empty without a rate, without a budget
	quota           score.Quota
}

// answer is what the script says of a question.
type answer struct {
	wait, full time.Duration
	noGas      bool
	units      int
	all, mine  uint64 // gas of the day
	err        error  // it is no answer
}

// asks is a script call: questions about some accounts, in the order of the arguments.
type asks struct {
	keys      []string
	args      []any
	questions []*question
}

// ask asks Redis, together with what other requests ask meanwhile.
func (l *Limiter) ask(ctx context.Context, key string, q *question) error {
	batcher := l.batchers[0]
	if len(l.batchers) > 1 {
		batcher = l.batchers[maphash.String(l.seed, key)%uint64(len(l.batchers))]
	}
	if err := batcher.Do(ctx, q, 1); err != nil {
		return err
	}
	return q.answer.err
}

// askAll asks for many requests in one exchange: by one script call, or by one for each account where these are on many servers.
func (l *Limiter) askAll(ctx context.Context, questions []*question) error {
	calls := l.calls(questions)
	answers := make([]*redis.Cmd, len(calls))
	err := l.client.Call(ctx, func(ctx context.Context) error {
		unknown := false
		_, err := l.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, c := range calls {
				answers[i] = takeScript.EvalSha(ctx, p, c.keys, c.args...)
			}
			return nil
		})
		for _, a := range answers {
			unknown = unknown || redis.HasErrorPrefix(a.Err(), "NOSCRIPT")
		}
		if !unknown {
			return err
		}
		_, err = l.client.Pipelined(ctx, func(p redis.Pipeliner) error { // not those again that took something
			for i, c := range calls {
				if redis.HasErrorPrefix(answers[i].Err(), "NOSCRIPT") {
					answers[i] = takeScript.Eval(ctx, p, c.keys, c.args...)
				}
			}
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	for i, c := range calls {
		numbers, err := answers[i].Int64Slice()
		if err == nil {
			err = l.read(numbers, c)
		}
		if err != nil {
			return redisdb.BadData("an answer to %d questions about rate limits: %w", len(c.questions), err)
		}
	}
	return nil
}

// calls puts the questions about each account together.
func (l *Limiter) calls(questions []*question) []asks {
	var order []account
	of := make(map[account][]*question, 1)
	for _, q := range questions {
		if of[q.account] == nil {
			order = append(order, q.account)
		}
		of[q.account] = append(of[q.account], q)
	}
	var calls []asks
	for i, a := range order {
		if i == 0 || l.client.Cluster() {
			calls = append(calls, asks{args: []any{l.replica, (2 * day).Milliseconds()}})
		}
		calls[len(calls)-1].add(a, of[a])
	}
	return calls
}

// add adds the questions about an account.
func (c *asks) add(a account, questions []*question) {
	each, passed := 0.0, uint64(0)
	if a.rateKey != "" {
		c.keys, each = append(c.keys, a.rateKey), 1e6/float64(a.quota.PerSecond)
	}
	if a.gasKey != "" {
		c.keys = append(c.keys, a.gasKey)
	}
	for _, q := range questions {
		passed = max(passed, q.passed)
	}
	c.args = append(c.args, each, a.quota.Burst, a.quota.Gas, passed, len(questions))
	for _, q := range questions {
		c.args = append(c.args, q.units, q.gas)
	}
	c.questions = append(c.questions, questions...)
}

// read reads what the script answered to a call.
func (l *Limiter) read(numbers []int64, c asks) error {
	answers, bad, err := parseAnswers(numbers, len(c.questions))
	if err != nil {
		return err
	}
	if bad > 0 {
		l.bad.Add(float64(bad))
		l.log.Error("Redis holds what is no count of a rate limit; the API counts those keys again from nothing. Does another program write to this Redis?", "values", bad, "keys", c.keys)
	}
	for i, q := range c.questions {
		q.answer = answers[i]
	}
	return nil
}

// parseAnswers reads the answers to so many questions, and how many values in Redis could not be read. A wrong number spoils its own
// answer only: other keys' questions were in the same call.
func parseAnswers(numbers []int64, questions int) (answers []answer, bad int64, err error) {
	if len(numbers) != questions*answersEach+1 {
		return nil, 0, redisdb.BadData("%d numbers for %d questions", len(numbers), questions)
	}
	answers = make([]answer, questions)
	for i := range answers {
		n := numbers[i*answersEach:][:answersEach]
		if slices.Min(n) < 0 || slices.Max(n) > maxNumber {
			answers[i].err = redisdb.BadData("%d, of which one is nothing that is counted", n)
			continue
		}
		answers[i] = answer{
			wait: time.Duration(n[0]) * time.Microsecond, noGas: n[1] > 0, units: int(n[2]), full: time.Duration(n[3]) * time.Microsecond,
			all: uint64(n[4]), mine: uint64(n[5]),
		}
	}
	return answers, max(numbers[len(numbers)-1], 0), nil
}

// maxNumber is more than the script counts, and as µs a duration.
const maxNumber = 1 << 53
