package standings

import (
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Forget has the next read ask Redis for the checkpoint.
func (s *Store) Forget() { s.read = time.Time{} }

// Remembers is the checkpoint that reads believe.
func (s *Store) Remembers() score.Checkpoint { return s.last }

// Keys are those of a project, the record first.
func (s *Store) Keys(generation uint64, project score.ProjectID) []string {
	return s.keys(generation, project, record, exact, days, recent, boardName(score.Total), boardName(0), boardName(1))
}

// CheckpointKey is the key of the checkpoint.
func (s *Store) CheckpointKey() string { return s.checkpointKey() }

var (
	Pack      = pack
	Unpack    = unpack
	PackDay   = packDay
	UnpackDay = unpackDay
)

const (
	MaxStep   = maxStep
	MaxSpread = maxSpread
)
