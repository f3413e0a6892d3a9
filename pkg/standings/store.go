package standings

import (
	"context"
	_ "embed" // the scripts
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

var (
	//go:embed lua/read.lua
	readLua string
	//go:embed lua/write.lua
	writeLua string
	//go:embed lua/spread.lua
	spreadLua string
	//go:embed lua/page.lua
	pageLua string
	//go:embed lua/wallet.lua
	walletLua string
	//go:embed lua/begin.lua
	beginLua string
	//go:embed lua/advance.lua
	advanceLua string

	readScript, writeScript, spreadScript = redis.NewScript(readLua), redis.NewScript(writeLua), redis.NewScript(spreadLua)
	pageScript, walletScript              = redis.NewScript(pageLua), redis.NewScript(walletLua)
	beginScript, advanceScript            = redis.NewScript(beginLua), redis.NewScript(advanceLua)
)

// Config of a Store. The zero value of Prefix takes its default.
type Config struct {
	Prefix string // of every key; deployments that share a Redis need different ones. Default "scorelay:"
	Source string // what is projected: the chain and its contract. A projection of another source counts as none
}

// Store keeps the projection. It is safe for concurrent use.
type Store struct {
	client *redisdb.Client
	prefix string
	source string

	mu   sync.Mutex
	last score.Checkpoint // as of read
	read time.Time
}

// New returns a Store on the client, which stays the caller's to close.
func New(client *redisdb.Client, config Config) *Store {
	if config.Prefix == "" {
		config.Prefix = "scorelay:"
	}
	return &Store{client: client, prefix: config.Prefix + "standings:", source: config.Source}
}

// Process names the Redis process, of a Cluster those of its masters; "" where Redis does not tell. Under another name than before it may have
// lost what was written last.
func (s *Store) Process(ctx context.Context) (string, error) { return s.client.Process(ctx) }

// does runs a script of one key that replies whether it did what it should.
func (s *Store) does(ctx context.Context, what string, script *redis.Script, key string, args ...any) (did bool, err error) {
	err = s.call(ctx, what, func(ctx context.Context) error {
		did, err = script.Run(ctx, s.client, []string{key}, args...).Bool()
		return err
	})
	return did, err
}

// texts runs a script that replies with texts.
func (s *Store) texts(ctx context.Context, what string, script *redis.Script, keys []string, args []any) (texts []string, err error) {
	err = s.call(ctx, what, func(ctx context.Context) error {
		texts, err = script.Run(ctx, s.client, keys, args...).StringSlice()
		return err
	})
	return texts, err
}

// call runs one exchange with Redis; an error says what could not be done.
func (s *Store) call(ctx context.Context, what string, exchange func(context.Context) error) error {
	if err := s.client.Call(ctx, exchange); err != nil {
		return fmt.Errorf("couldn't %s: %w", what, err)
	}
	return nil
}

// What a project's keys are named by, beside boards.
const (
	record = "record" // its mark, updates, last time, and the only score type that has scores
	total  = "total"  // the board of all types
	exact  = "exact"  // scores that no float64 holds, by board and wallet
	days   = "days"   // by the days since 1970
	recent = "recent" // executions, the newest first
)

// keys are some of a project's; what is in braces decides their slot in a Cluster.
func (s *Store) keys(generation uint64, project score.ProjectID, names ...string) []string {
	project0 := s.prefix + strconv.FormatUint(generation, 10) + ":{" + project.String()[2:] + "}:"
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = project0 + name
	}
	return keys
}

// boardName names a board's key: total, or a score type.
func boardName(board int) string {
	if board == score.Total {
		return total
	}
	return strconv.Itoa(board)
}

// boardByte is before the wallet in the name of an exact score.
func boardByte(board int) string { return string([]byte{byte(board)}) } // Total is 255, which no score type is
