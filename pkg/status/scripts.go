package status

import (
	"context"
	_ "embed" // the scripts
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/score"
)

//go:embed lua/table.lua
var tableLua string

//go:embed lua/write.lua
var writeLua string

//go:embed lua/read.lua
var readLua string

//go:embed lua/sweep.lua
var sweepLua string

var (
	writeScript = redis.NewScript(tableLua + writeLua)
	readScript  = redis.NewScript(tableLua + readLua)
	sweepScript = redis.NewScript(tableLua + sweepLua)
)

// Bounds of one exchange, which blocks Redis.
const (
	maxItems     = 256 // of one script call
	maxArguments = 256 // of one script call: an item refers to its argument by one byte
	maxCalls     = 4   // of one exchange
)

const clusterTables = 64

// The part in braces selects the hash slot.
func (s *Store) table(i int) string { return s.config.Prefix + "{" + strconv.Itoa(i) + "}" }

func (s *Store) tableOf(project score.ProjectID) int {
	return int(binary.BigEndian.Uint32(project[:])) % s.tables
}

// each runs fn for each table, with the indexes of its references.
func (s *Store) each(refs []score.Ref, fn func(table int, of []int)) {
	if s.tables == 1 {
		of := make([]int, len(refs))
		for i := range of {
			of[i] = i
		}
		fn(0, of)
		return
	}
	by := make(map[int][]int)
	for i := range refs {
		t := s.tableOf(refs[i].Project)
		by[t] = append(by[t], i)
	}
	for t, of := range by {
		fn(t, of)
	}
}

type scriptCall struct {
	script *redis.Script
	table  int
	args   []any
}

// exchange makes calls in one round trip. If Redis lacks a script, it repeats all calls with the scripts' text, so
// they must be idempotent.
func (s *Store) exchange(ctx context.Context, what string, calls []scriptCall) (answers []*redis.Cmd, err error) {
	answers = make([]*redis.Cmd, len(calls))
	err = s.call(ctx, what, func(ctx context.Context) error {
		run := func(call func(p redis.Pipeliner, c *scriptCall) *redis.Cmd) error {
			_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
				for i := range calls {
					answers[i] = call(p, &calls[i])
				}
				return nil
			})
			return err
		}
		err := run(func(p redis.Pipeliner, c *scriptCall) *redis.Cmd {
			return c.script.EvalSha(ctx, p, []string{s.table(c.table)}, c.args...)
		})
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			err = run(func(p redis.Pipeliner, c *scriptCall) *redis.Cmd {
				return c.script.Eval(ctx, p, []string{s.table(c.table)}, c.args...)
			})
		}
		return err
	})
	return answers, err
}

// writes returns the calls of write.lua that move items of a table; each call ends with the items of last. An item is
// a name (16 bytes), the first and the last index, and an argument index. The last argument of a claim is the number
// of leading items that stand alone. Other items with the same argument form a group.
func (s *Store) writes(move string, table int, items []item, arguments []string, last ...item) (calls []scriptCall) {
	for chunk := range slices.Chunk(items, maxItems) {
		blob := make([]byte, 0, (len(chunk)+len(last))*19)
		for _, some := range [2][]item{chunk, last} {
			for i := range some {
				blob = append(append(blob, some[i].name[:]...), some[i].first, some[i].last, some[i].argument)
			}
		}
		args := []any{move, seconds(s.config.Retention), s.config.Claim.Milliseconds(), "", "", blob}
		for _, a := range arguments {
			args = append(args, a)
		}
		calls = append(calls, scriptCall{writeScript, table, args})
	}
	return calls
}

// Indexes of a fold's positions in the arguments of write.lua.
const (
	argFrom = 3
	argTo   = 4
)

func (s *Store) send(ctx context.Context, what string, calls []scriptCall) error {
	for some := range slices.Chunk(calls, maxCalls) {
		if _, err := s.exchange(ctx, what, some); err != nil {
			return err
		}
	}
	return nil
}

type arguments struct {
	list []string
	at   map[string]byte
}

func (a *arguments) number(argument string) byte {
	at, known := a.at[argument]
	if !known {
		if a.at == nil {
			a.at = map[string]byte{}
		}
		at = byte(len(a.list))
		a.list = append(a.list, argument)
		a.at[argument] = at
	}
	return at
}

func (s *Store) move(ctx context.Context, what, move string, refs []score.Ref, argument func(i int) string) error {
	return s.send(ctx, what, s.moves(move, refs, argument))
}

// moves returns the calls that change the states of references, each with its argument, and write the entries beside
// to the same table.
func (s *Store) moves(move string, refs []score.Ref, argument func(i int) string, beside ...entry) (calls []scriptCall) {
	s.each(refs, func(table int, of []int) {
		for len(of) > 0 {
			var args arguments
			n := 0
			numbers := make([]byte, 0, len(of))
			for n < len(of) && len(args.list) < maxArguments-len(beside) {
				numbers = append(numbers, args.number(argument(of[n])))
				n++
			}
			mine := make([]score.Ref, n)
			for i := range mine {
				mine[i] = refs[of[i]]
			}
			items, _ := s.itemsOf(mine, func(i int) byte { return numbers[i] })
			var last []item
			for _, e := range beside {
				last = append(last, item{name: e.name, argument: args.number(e.state)})
			}
			calls = append(calls, s.writes(move, table, items, args.list, last...)...)
			of = of[n:]
		}
	})
	return calls
}

type entry struct {
	name  name
	state string
}

func seconds(d time.Duration) int64 { return max(1, int64(d/time.Second)) }

func (s *Store) call(ctx context.Context, what string, exchange func(context.Context) error) error {
	if err := s.client.Call(ctx, exchange); err != nil {
		return fmt.Errorf("couldn't %s: %w", what, err)
	}
	return nil
}
