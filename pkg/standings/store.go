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
	//go:embed lua/reach.lua
	reachLua string

	readScript, writeScript, spreadScript = redis.NewScript(readLua), redis.NewScript(writeLua), redis.NewScript(spreadLua)
	pageScript, walletScript              = redis.NewScript(pageLua), redis.NewScript(walletLua)
	beginScript, advanceScript            = redis.NewScript(beginLua), redis.NewScript(advanceLua)
	reachScript                           = redis.NewScript(reachLua)
)

type Config struct {
	Prefix string // of every key, unique in a shared Redis; default "scorelay:"
	Source string // the projected chain and contract; others are ignored
}

// Store is safe for concurrent use.
type Store struct {
	client *redisdb.Client
	prefix string
	source string

	mu   sync.Mutex
	last score.Checkpoint
	read time.Time
}

// The caller of New closes the client.
func New(client *redisdb.Client, config Config) *Store {
	if config.Prefix == "" {
		config.Prefix = "scorelay:"
	}
	return &Store{client: client, prefix: config.Prefix + "standings:", source: config.Source}
}

// Process returns the ids of the Redis process or of a Cluster's masters, or "". If it changed, the newest writes may
// be lost.
func (s *Store) Process(ctx context.Context) (string, error) { return s.client.Process(ctx) }

func (s *Store) does(ctx context.Context, what string, script *redis.Script, key string, args ...any) (did bool, err error) {
	err = s.call(ctx, what, func(ctx context.Context) error {
		did, err = script.Run(ctx, s.client, []string{key}, args...).Bool()
		return err
	})
	return did, err
}

func (s *Store) texts(ctx context.Context, what string, script *redis.Script, keys []string, args []any) (texts []string, err error) {
	err = s.call(ctx, what, func(ctx context.Context) error {
		texts, err = script.Run(ctx, s.client, keys, args...).StringSlice()
		return err
	})
	return texts, err
}

func (s *Store) call(ctx context.Context, what string, exchange func(context.Context) error) error {
	if err := s.client.Call(ctx, exchange); err != nil {
		return fmt.Errorf("couldn't %s: %w", what, err)
	}
	return nil
}

// Keys of a project besides boards (package comment).
const (
	record = "record"
	total  = "total"
	exact  = "exact"
	days   = "days"
	recent = "recent"
)

// The part of a key in braces selects the hash slot.
func (s *Store) keys(generation uint64, project score.ProjectID, names ...string) []string {
	project0 := s.prefix + strconv.FormatUint(generation, 10) + ":{" + project.String()[2:] + "}:"
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = project0 + name
	}
	return keys
}

func boardName(board int) string {
	if board == score.Total {
		return total
	}
	return strconv.Itoa(board)
}

// boardByte precedes the wallet in the field name of an exact score.
func boardByte(board int) string { return string([]byte{byte(board)}) } // Total is 255, beyond every score type
