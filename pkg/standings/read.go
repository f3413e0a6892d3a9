package standings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	maxScores  = 2000 // read by one script
	maxRecords = 500  // read in one exchange
)

// Page returns at most limit standings (at least 1) after the cursor on a board; nil: from the top. A score that
// changed since the cursor was made moves only its own wallet. board is the index of a score type, or score.Total.
//
// All reads are as of the checkpoint, cached for at most a second. They return a *score.RebuildingError during a
// rebuild, and score.ErrNotProjected for an unknown project. Other errors may be temporary.
func (s *Store) Page(ctx context.Context, project score.ProjectID, board int, after *score.Cursor, limit int) (score.Page, score.AsOf, error) {
	if after == nil {
		return s.page(ctx, project, board, limit, "begin")
	}
	return s.page(ctx, project, board, limit, "after", after.Score, after.Wallet[:])
}

// Around returns at most limit standings with the wallet in the middle, if the board's ends allow; empty if the board
// lacks the wallet.
func (s *Store) Around(ctx context.Context, project score.ProjectID, board int, wallet common.Address, limit int) (score.Page, score.AsOf, error) {
	return s.page(ctx, project, board, limit, "around", wallet[:])
}

func (s *Store) page(ctx context.Context, project score.ProjectID, board, limit int, where ...any) (p score.Page, asOf score.AsOf, err error) {
	args := append([]any{boardByte(board), max(limit, 1)}, where...)
	asOf, err = s.reading(ctx, func(generation uint64) (bool, error) {
		var reply []any
		err := s.call(ctx, "read a leaderboard", func(ctx context.Context) (err error) {
			reply, err = pageScript.Run(ctx, s.client, s.keys(generation, project, record, exact, total, boardName(board)), args...).Slice()
			return err
		})
		if err != nil || len(reply) == 0 {
			return false, err
		}
		p, err = readPage(reply)
		return true, err
	})
	return p, asOf, err
}

// BoardStandings returns a wallet's standings on the total and then on the project's first score types, read at one
// moment.
func (s *Store) BoardStandings(ctx context.Context, project score.ProjectID, types int, wallet common.Address) (onBoards []score.BoardStanding, asOf score.AsOf, err error) {
	names, args := []string{record, exact}, []any{wallet[:]}
	for board := score.Total; board < types; board++ {
		names, args = append(names, boardName(board)), append(args, boardByte(board))
	}
	onBoards = make([]score.BoardStanding, types+1)
	asOf, err = s.reading(ctx, func(generation uint64) (bool, error) {
		texts, err := s.texts(ctx, "read a wallet's standings", walletScript, s.keys(generation, project, names...), args)
		if err != nil || len(texts) == 0 {
			return false, err
		}
		if len(texts) != 3*len(onBoards) {
			return false, redisdb.BadData("%d texts for %d boards", len(texts), len(onBoards))
		}
		for i := range onBoards {
			if onBoards[i], err = readBoardStanding(wallet, texts[3*i:3*i+3]); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	return onBoards, asOf, err
}

func readBoardStanding(wallet common.Address, texts []string) (p score.BoardStanding, err error) {
	if p.Wallets, err = strconv.ParseUint(texts[0], 10, 64); err != nil {
		return p, redisdb.BadData("a board of %q wallets", texts[0])
	}
	if texts[1] == "" {
		return p, nil
	}
	higher, err := strconv.ParseUint(texts[2], 10, 64)
	if err != nil {
		return p, redisdb.BadData("%q with a higher score", texts[2])
	}
	n, err := readScore(texts[1])
	p.Standing = &score.Standing{Wallet: wallet, Score: n, Rank: higher + 1}
	return p, err
}

func readPage(reply []any) (p score.Page, err error) {
	var numbers [3]uint64
	if len(reply) < len(numbers) || (len(reply)-len(numbers))%2 != 0 {
		return p, redisdb.BadData("a page of %d values", len(reply))
	}
	for i := range numbers {
		n, ok := reply[i].(int64)
		if !ok || n < 0 {
			return p, redisdb.BadData("a page that begins with %v", reply[:len(numbers)])
		}
		numbers[i] = uint64(n)
	}
	all, start, higher := numbers[0], numbers[1], numbers[2]
	rows := reply[len(numbers):]
	p = score.Page{Wallets: all, Standings: make([]score.Standing, len(rows)/2), More: start+uint64(len(rows)/2) < all}
	for i := range p.Standings {
		wallet, _ := rows[2*i].(string)
		text, _ := rows[2*i+1].(string)
		n, err := readScore(text)
		if err != nil || len(wallet) != common.AddressLength {
			return score.Page{}, redisdb.BadData("a standing %q: %q", wallet, text)
		}
		if i > 0 && float64(n) != float64(p.Standings[i-1].Score) {
			higher = start + uint64(i)
		}
		p.Standings[i] = score.Standing{Wallet: common.Address([]byte(wallet)), Score: n, Rank: higher + 1}
	}
	return p, nil
}

// Scores returns each wallet's scores of the project's first types score types, 0 for none.
func (s *Store) Scores(ctx context.Context, project score.ProjectID, types int, wallets []common.Address) ([][]int64, score.AsOf, error) {
	names := []string{record, exact, days, total}
	for i := range types {
		names = append(names, boardName(i))
	}
	scores := make([][]int64, len(wallets))
	asOf, err := s.reading(ctx, func(generation uint64) (found bool, err error) {
		for from, each := 0, max(1, maxScores/max(types, 1)); from < len(wallets); from += each {
			some := wallets[from:min(from+each, len(wallets))]
			if found, err = s.scores(ctx, s.keys(generation, project, names...), some, scores[from:]); !found || err != nil {
				return found, err
			}
		}
		return true, nil
	})
	return scores, asOf, err
}

// scores reads all at one moment, into to. In keys, the boards follow four others.
func (s *Store) scores(ctx context.Context, keys []string, wallets []common.Address, to [][]int64) (found bool, err error) {
	types := len(keys) - 4
	args := []any{0}
	for board := range types {
		args = append(args, boardByte(board), len(wallets))
		for i := range wallets {
			args = append(args, wallets[i][:])
		}
	}
	texts, err := s.texts(ctx, "read scores", readScript, keys, args)
	if err != nil || len(texts) == 0 {
		return false, err
	}
	if len(texts) != 4+types*len(wallets) {
		return false, redisdb.BadData("%d texts for %d scores", len(texts), types*len(wallets))
	}
	for i := range wallets {
		to[i] = make([]int64, types)
		for board := range types {
			if text := texts[4+board*len(wallets)+i]; text != "" {
				if to[i][board], err = readScore(text); err != nil {
					return false, err
				}
			}
		}
	}
	return true, nil
}

// Recent returns a project's newest executions, newest first: all, or score.MaxRecent.
func (s *Store) Recent(ctx context.Context, project score.ProjectID) (newest []score.Execution, asOf score.AsOf, err error) {
	asOf, err = s.reading(ctx, func(generation uint64) (bool, error) {
		keys := s.keys(generation, project, record, recent)
		var there *redis.IntCmd
		var packed *redis.StringSliceCmd
		err := s.call(ctx, "read recent executions", func(ctx context.Context) error {
			_, err := s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
				there, packed = p.Exists(ctx, keys[0]), p.LRange(ctx, keys[1], 0, -1)
				return nil
			})
			return err
		})
		if err != nil || there.Val() == 0 {
			return false, err
		}
		newest = make([]score.Execution, len(packed.Val()))
		for i, text := range packed.Val() {
			if newest[i], err = unpack(text); err != nil {
				return false, fmt.Errorf("couldn't read recent executions of project %s: %w", project, err)
			}
			newest[i].Project = project
		}
		return true, nil
	})
	return newest, asOf, err
}

// Days returns the days with executions from … to (inclusive, UTC), oldest first.
func (s *Store) Days(ctx context.Context, project score.ProjectID, from, to time.Time) (found []score.Day, asOf score.AsOf, err error) {
	asOf, err = s.reading(ctx, func(generation uint64) (bool, error) {
		keys := s.keys(generation, project, record, days)
		var there *redis.IntCmd
		var packed *redis.MapStringStringCmd
		err := s.call(ctx, "read days", func(ctx context.Context) error {
			_, err := s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
				there, packed = p.Exists(ctx, keys[0]), p.HGetAll(ctx, keys[1])
				return nil
			})
			return err
		})
		if err != nil || there.Val() == 0 {
			return false, err
		}
		found, err = daysOf(packed.Val(), dayOf(from), dayOf(to))
		return true, err
	})
	return found, asOf, err
}

func daysOf(packed map[string]string, from, to int64) (found []score.Day, err error) {
	for name, text := range packed {
		number, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			return nil, redisdb.BadData("a day named %q", name)
		}
		if number < from || number > to {
			continue
		}
		d, err := unpackDay(number, text)
		if err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	slices.SortFunc(found, func(a, b score.Day) int { return a.Date.Compare(b.Date) })
	return found, nil
}

// Applied returns each project's number of applied updates per day from … to (inclusive, UTC); 0 for an unknown
// project.
func (s *Store) Applied(ctx context.Context, projects []score.ProjectID, from, to time.Time) (applied [][]uint64, asOf score.AsOf, err error) {
	first := dayOf(from)
	numbers := make([]string, max(0, dayOf(to)-first+1))
	for i := range numbers {
		numbers[i] = strconv.FormatInt(first+int64(i), 10)
	}
	packed := make([]*redis.SliceCmd, len(projects))
	asOf, err = s.reading(ctx, func(generation uint64) (bool, error) {
		applied = make([][]uint64, len(projects))
		err := s.call(ctx, "read days of projects", func(ctx context.Context) error {
			_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
				for i := range projects {
					packed[i] = p.HMGet(ctx, s.keys(generation, projects[i], days)[0], numbers...)
				}
				return nil
			})
			return err
		})
		for i := 0; i < len(projects) && err == nil; i++ {
			applied[i] = make([]uint64, len(numbers))
			for n, value := range packed[i].Val() {
				var d score.Day
				text, _ := value.(string)
				if d, err = unpackDay(first+int64(n), text); err != nil {
					break
				}
				applied[i][n] = d.Applied
			}
		}
		return err == nil, err
	})
	return applied, asOf, err
}

// Summaries returns nil for an unknown project.
func (s *Store) Summaries(ctx context.Context, projects []score.ProjectID) ([]*score.Summary, score.AsOf, error) {
	summaries := make([]*score.Summary, len(projects))
	asOf, err := s.reading(ctx, func(generation uint64) (all bool, err error) {
		all = true
		err = s.records(ctx, generation, projects, func(i int, k *known, wallets uint64) {
			if summaries[i], all = nil, all && k != nil; k != nil {
				summaries[i] = &score.Summary{Updates: k.updates, Wallets: wallets}
				if k.last > 0 {
					summaries[i].Last = time.Unix(int64(k.last), 0).UTC()
				}
			}
		})
		return all, err
	})
	if errors.Is(err, score.ErrNotProjected) { // some projects are unknown
		err = nil
	}
	return summaries, asOf, err
}

// Marks returns nil for a project unknown in the generation.
func (s *Store) Marks(ctx context.Context, generation uint64, projects []score.ProjectID) ([]*score.Mark, error) {
	marks := make([]*score.Mark, len(projects))
	err := s.records(ctx, generation, projects, func(i int, k *known, _ uint64) {
		if k != nil {
			marks[i] = &k.mark
		}
	})
	return marks, err
}

// records calls fn with each project's record (nil: unknown) and number of wallets.
func (s *Store) records(ctx context.Context, generation uint64, projects []score.ProjectID, fn func(i int, k *known, wallets uint64)) error {
	for from := 0; from < len(projects); from += maxRecords {
		some := projects[from:min(from+maxRecords, len(projects))]
		records, wallets := make([]*redis.SliceCmd, len(some)), make([]*redis.IntCmd, len(some))
		err := s.call(ctx, "read projects of the projection", func(ctx context.Context) error {
			_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
				for i := range some {
					keys := s.keys(generation, some[i], record, total)
					records[i], wallets[i] = p.HMGet(ctx, keys[0], "mark", "updates", "last", "only"), p.ZCard(ctx, keys[1])
				}
				return nil
			})
			return err
		})
		if err != nil {
			return err
		}
		for i := range some {
			var texts [4]string
			for j, value := range records[i].Val() {
				texts[j], _ = value.(string)
			}
			if texts[0] == "" {
				fn(from+i, nil, 0)
				continue
			}
			k, err := readKnown(texts[:])
			if err != nil {
				return err
			}
			fn(from+i, &k, uint64(wallets[i].Val()))
		}
	}
	return nil
}
