package index

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
)

// Block is what is needed of a block.
type Block struct {
	Number uint64
	Hash   common.Hash
	Time   uint64 // unix seconds
}

// Chain is the chain, seen from the deployment's contract. Every call has a deadline of its own; an error means that
// nothing was learnt, but for ethereum.NotFound where it is named.
type Chain interface {
	// Head is the newest block.
	Head(ctx context.Context) (Block, error)
	// Final is the newest block beyond the deployment's finality rule; ethereum.NotFound while there is none.
	Final(ctx context.Context) (Block, error)
	// BlockByNumber is the canonical block of that height; ethereum.NotFound above the head.
	BlockByNumber(ctx context.Context, number uint64) (Block, error)
	// Logs hands the contract's logs of the blocks from … to (inclusive) to fn, in order, a range of blocks at a time;
	// through is the last block of the range. topics filters by the first topic. An error of fn ends it.
	Logs(ctx context.Context, topics []common.Hash, from, to uint64, fn func(through Block, logs []types.Log) error) error
	// View calls the contract on the state of block at.
	View(ctx context.Context, data []byte, at common.Hash) ([]byte, error)
}

// Heads is the chain of blocks that the process follows: verified link by link, and the same for all its parts.
type Heads interface {
	// Final is the newest final block; ok is false while there is none.
	Final() (b evidence.Block, ok bool)
	// Block is the chain's block of a height, if it is remembered.
	Block(number uint64) (b evidence.Block, ok bool)
	// Changed is closed when the chain's head or its final block change.
	Changed() <-chan struct{}
}

// Blocks reads blocks from the chain's endpoints. What it returns was checked against itself; an error means that nothing
// was learnt.
type Blocks interface {
	// Latest is the newest block of every endpoint that answers: it tells the endpoints' names.
	Latest(ctx context.Context) ([]evidence.Claim, error)
	// Blocks are the blocks from…to (inclusive, ascending) of one endpoint's chain. With an error come those that were
	// read before it.
	Blocks(ctx context.Context, endpoint string, from, to uint64) ([]evidence.Block, error)
	// Events are all logs of the contract with one of the first topics in the blocks, in order: that there are no others
	// is proved by the blocks' receipts roots.
	Events(ctx context.Context, blocks []evidence.Block, contract common.Address, topics []common.Hash) ([]types.Log, error)
}

// Directory keeps project records, and the checkpoint that says as of which block they are. Every write
// is made under a revision of the checkpoint and stored only while that is its newest one; see Follower.Moved.
type Directory interface {
	// Followed is the checkpoint; revision 0 when there is none.
	Followed(ctx context.Context) (f evidence.Followed, revision uint64, err error)
	// SetFollowed replaces the checkpoint of that revision, 0 for none, and returns the new one's.
	SetFollowed(ctx context.Context, revision uint64, f evidence.Followed) (uint64, error)
	// Project returns a record and the position (block, log index) of the newest event in it; nil when it is unknown.
	Project(ctx context.Context, id score.ProjectID) (*score.Record, uint64, uint, error)
	// Put stores a record as of a position.
	Put(ctx context.Context, revision uint64, rec *score.Record, block uint64, logIndex uint) error
	// Remove forgets a project.
	Remove(ctx context.Context, revision uint64, id score.ProjectID) error
	// Beyond lists the projects whose records are as of a block at or after from.
	Beyond(ctx context.Context, from uint64) ([]score.ProjectID, error)
}

// Statuses is the status store, as far as a restore goes. Its writes keep what says more or is newer.
type Statuses interface {
	// Complete tells whether the store holds all it should.
	Complete(ctx context.Context) (bool, error)
	// BeginRestore gives the token that EndRestore wants. Of two restores at once the later one counts.
	BeginRestore(ctx context.Context) (token string, err error)
	RestoreAccepted(ctx context.Context, updates []score.Update) error
	RestoreProjectAccepted(ctx context.Context, project score.ProjectID) error
	// RestoreFinal writes what an event tells. What did not apply counts only where an acceptance was restored before.
	RestoreFinal(ctx context.Context, tx common.Hash, block uint64, updates []score.Update, outcomes []score.Outcome) error
	// RestoreDead writes what only a dead letter tells.
	RestoreDead(ctx context.Context, tx common.Hash, update *score.Update, outcome score.Outcome) error
	RestoreProjectFinal(ctx context.Context, tx common.Hash, block uint64, project score.ProjectID, outcome score.Outcome) error
	// EndRestore declares the store complete; it fails if data was lost, or another restore began, since BeginRestore.
	EndRestore(ctx context.Context, token string) error
}

// Record is one message of the stream. Exactly one of Updates, Project and Corrupt is set.
type Record struct {
	Seq     uint64
	Updates []score.Update
	Signed  []score.Signed // the signed groups among Updates, in ascending order
	Project *score.Project
	Corrupt error // the message cannot be read
}

// DeadLetter is an accepted update or creation that was rejected; of a corrupt message neither is set.
type DeadLetter struct {
	Seq      uint64 // of the creation; of an update, where its batch began; 0 if not known
	Until    uint64 // the acceptance that died is not after it; 0 if not known
	Outcome  score.Outcome
	Update   *score.Update
	Signed   bool // the update was in a signed group
	Project  *score.Project
	Tx       common.Hash // zero without one
	Replayed bool        // it was accepted anew; the letter tells of the earlier acceptance only
}

// uneventful tells whether no event of the contract says what the letter says.
func (d *DeadLetter) uneventful() bool {
	return d.Project != nil || d.Outcome == score.Unprocessable || d.Tx == (common.Hash{})
}

// Source is the stream of accepted updates and its dead letters.
type Source interface {
	// ReadAll hands every message that the stream holds now to fn, in order, and returns. An error of fn ends it.
	ReadAll(ctx context.Context, fn func(score.Lane, Record) error) error
	// DeadLetters hands every dead letter there is now to fn, replayed ones too. An error of fn ends it.
	DeadLetters(ctx context.Context, fn func(DeadLetter) error) error
}

// Lanes tells how far the lanes are.
type Lanes interface {
	// Settled is for each lane, by its number, the position before which everything in the stream is settled: final,
	// with its outcome told. It comes from the lanes' journals.
	Settled(ctx context.Context) ([]score.Cursor, error)
}

// Deployment says what is followed.
type Deployment struct {
	ChainID  uint64
	Contract common.Address
	Block    uint64 // of the contract's deployment: before it there is nothing
}

// pause waits, less if the context ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
