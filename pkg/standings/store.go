package standings

import (
	"context"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

// Config of a Store. The zero value of Prefix takes its default.
type Config struct {
	Prefix string // of every key; deployments that share a Redis need different ones. Default "scorelay:"
	Source string // what is projected: the chain and its contract. A projection of another source counts as none
}

// Store keeps the projection. It is safe for concurrent use.
type Store struct {
	client *redisdb.Client
	config Config

	mu   sync.Mutex
	last score.Checkpoint // as of read
	read time.Time
}

// New returns a Store on the client, which stays the caller's to close.
func New(client *redisdb.Client, config Config) *Store {
	if config.Prefix == "" {
		config.Prefix = "scorelay:"
	}
	return &Store{client: client, config: config}
}

// Checkpoint reads the checkpoint; the zero one where there is none.
func (s *Store) Checkpoint(ctx context.Context) (score.Checkpoint, error) { panic("soon") }

// Begin begins a generation after the one of that number (0: there is none), whose rebuild is done at the block target. From here
// on until then reads are a RebuildingError, and what older generations hold is garbage, which Sweep removes. It returns the checkpoint that holds now: if
// another generation than after is there already, begun by another writer, that one's, and nothing is begun.
func (s *Store) Begin(ctx context.Context, after, target uint64) (score.Checkpoint, error) {
	panic("soon")
}

// Advance moves the checkpoint of a generation to a later block. score.ErrProjectionMoved: it is not at from, by generation and hash. to
// has the block, its hash and its time. It may be repeated.
func (s *Store) Advance(ctx context.Context, from, to score.Checkpoint) error { panic("soon") }

// Create makes a project known to a generation; its first part begins at the mark. A project that is known stays as it is.
func (s *Store) Create(ctx context.Context, generation uint64, project score.ProjectID, at score.Mark) error {
	panic("soon")
}

// Marks are how far projects are known to a generation, in order; nil for one that is not.
func (s *Store) Marks(ctx context.Context, generation uint64, projects []score.ProjectID) ([]*score.Mark, error) {
	panic("soon")
}

// Append adds what a part has after the project's mark, all of it if the mark is part.From, nothing if it is part.To or later, and then moves the
// mark to part.To. So it may be repeated, after any error too, and parts may overlap.
// A GapError with the mark if that is before part.From; score.ErrNotProjected if the project is not known to the generation.
func (s *Store) Append(ctx context.Context, generation uint64, part score.Part) error { panic("soon") }

// Sweep removes what generations before this one hold, by and by. It takes long where they hold much, and may end early and be called again.
func (s *Store) Sweep(ctx context.Context, generation uint64) error { panic("soon") }

// Process names the Redis process, of a Cluster those of its masters; "" where Redis does not tell. Another name than before: it may have lost what
// was written last.
func (s *Store) Process(ctx context.Context) (string, error) { return s.client.Process(ctx) }

// Lead tells whether the holder of that name leads, alone, for so long; a leader that asks again leads on. It saves work, and is no lock.
func (s *Store) Lead(ctx context.Context, name string, ttl time.Duration) (bool, error) {
	panic("soon")
}

// Every read below is as of the checkpoint, which is remembered for at most a second; a *score.RebuildingError while a rebuild is under way, and
// score.ErrNotProjected where the projection does not have the project. A board is the index of a score type, or score.Total.

// Page is what follows the cursor on a board, or its begin if that is nil; at most limit standings.
func (s *Store) Page(ctx context.Context, project score.ProjectID, board int, after *score.Cursor, limit int) (score.Page, score.AsOf, error) {
	panic("soon")
}

// Around is the part of a board with the wallet in its middle, or as near to it as the board's ends allow; at most limit standings, none where the wallet has no score
// on the board.
func (s *Store) Around(ctx context.Context, project score.ProjectID, board int, wallet common.Address, limit int) (score.Page, score.AsOf, error) {
	panic("soon")
}

// Scores are the scores of wallets, in order, each in the order of the project's first score types; 0 where a wallet has none.
func (s *Store) Scores(ctx context.Context, project score.ProjectID, types int, wallets []common.Address) ([][]int64, score.AsOf, error) {
	panic("soon")
}

// Recent are the newest executions, the newest first: at most score.MaxRecent. all: there are no older ones.
func (s *Store) Recent(ctx context.Context, project score.ProjectID) (newest []score.Execution, all bool, asOf score.AsOf, err error) {
	panic("soon")
}

// Days are those from … to (inclusive, by their UTC date) with executions, the oldest first.
func (s *Store) Days(ctx context.Context, project score.ProjectID, from, to time.Time) ([]score.Day, score.AsOf, error) {
	panic("soon")
}

// Summaries of projects, in order; nil for one that the projection does not have.
func (s *Store) Summaries(ctx context.Context, projects []score.ProjectID) ([]*score.Summary, score.AsOf, error) {
	panic("soon")
}
