package export

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	Updates = "updates"
	Scores  = "scores"
)

// Only an export of the same kind can continue one.
type kind struct {
	Version  int             `json:"version"`
	What     string          `json:"what"`
	Format   string          `json:"format"`
	ChainID  uint64          `json:"chainId"`
	Contract common.Address  `json:"contract"`
	Project  score.ProjectID `json:"projectId"`
}

const version = 1

type state struct {
	kind
	Position ledger.Position `json:"position"` // everything before it was read
	At       evidence.Ref    `json:"at"`       // the newest block read
	Newest   uint64          `json:"newest"`   // the newest block with data of the project
	Record   *score.Record   `json:"record"`   // the project as of At; nil before its creation
	Updates  uint64          `json:"updates"`
	Bytes    int64           `json:"bytes"`  // of updates: length of the file up to block At
	Sums     int             `json:"scores"` // number of sum lines that follow
	scores   index.Scores    // of an export of scores
}

func (s *state) begun() bool { return s.Position != ledger.Position{} }

type sum struct {
	Wallet    common.Address `json:"w"`
	ScoreType uint8          `json:"t"`
	Score     int64          `json:"s"`
}

// load reads a state; nil if there is none.
func load(path string) (*state, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	s, in := &state{scores: index.Scores{}}, json.NewDecoder(bufio.NewReader(file))
	err = in.Decode(s)
	for n := 0; err == nil && n < s.Sums; n++ {
		var line sum
		err = in.Decode(&line)
		s.scores[index.ScoreKey{Wallet: line.Wallet, ScoreType: line.ScoreType}] = line.Score
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't read %s: %w", path, err)
	}
	return s, nil
}

func (s *state) save(path string) error {
	s.Sums = len(s.scores)
	return replace(path, func(out *bufio.Writer) error {
		lines := json.NewEncoder(out)
		err := lines.Encode(s)
		for key, value := range s.scores {
			if err == nil {
				err = lines.Encode(sum{key.Wallet, key.ScoreType, value})
			}
		}
		return err
	})
}

// replace replaces a file atomically and durably. The caller's lock protects path.new.
func replace(path string, write func(*bufio.Writer) error) error {
	file, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	if err = cmp.Or(write(out), out.Flush(), file.Sync(), file.Close()); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path+".new"))
	}
	dir, err := os.Open(filepath.Dir(path)) // its sync makes the rename durable
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
