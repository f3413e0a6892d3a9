package standings

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

// maxFloat is the bound up to which float64 is exact for integers.
const maxFloat = 1 << 53

// step is the write of one script: a project's next executions and the resulting state.
type step struct {
	project    score.ProjectID
	executions []score.Execution
	to         score.Mark

	known
	boards []*board // the total comes first; the only type's board is left out, since the total holds its scores
	days   []*day
}

type known struct {
	mark    score.Mark
	updates uint64
	last    uint64 // unix seconds of the newest execution's block; 0 for none
	only    string // boardByte of the only score type with scores, which the total holds; else ""
}

// board holds the scores that a step changes.
type board struct {
	number  int
	wallets []common.Address
	was     map[common.Address]int64 // before the step; only wallets with a score
	scores  map[common.Address]int64 // after the step
}

type day struct {
	number int64
	score.Day
}

func newStep(part *score.Part) *step {
	st := &step{project: part.Project, executions: part.Executions, to: part.To}
	if len(st.executions) > maxStep {
		st.executions, st.to = st.executions[:maxStep], part.From
		for i := range st.executions {
			st.to = after(st.to, &st.executions[i])
		}
	}
	for i := range st.executions {
		e := &st.executions[i]
		if n := dayOf(e.Time); !slices.ContainsFunc(st.days, func(d *day) bool { return d.number == n }) {
			st.days = append(st.days, &day{number: n})
		}
		if e.Outcome == score.Applied {
			st.board(score.Total).touch(e.Target)
			st.board(int(e.ScoreType)).touch(e.Target)
		}
	}
	return st
}

func (st *step) board(number int) *board {
	for _, b := range st.boards {
		if b.number == number {
			return b
		}
	}
	b := &board{number: number, was: map[common.Address]int64{}, scores: map[common.Address]int64{}}
	st.boards = append(st.boards, b)
	return b
}

func (b *board) touch(wallet common.Address) {
	if _, touched := b.scores[wallet]; !touched {
		b.scores[wallet] = 0
		b.wallets = append(b.wallets, wallet)
	}
}

// look reads, at one moment, the state that a step changes; found reports whether the project exists.
func (s *Store) look(ctx context.Context, generation uint64, st *step) (found bool, err error) {
	names, args := []string{record, exact, days, total}, []any{len(st.days)}
	for _, d := range st.days {
		args = append(args, d.number)
	}
	for n, b := range st.boards {
		names = append(names, boardName(b.number))
		if n == 1 && len(st.boards) == 2 { // one type: it shares the total's wallets
			args = append(args, boardByte(b.number), 0)
			continue
		}
		args = append(args, boardByte(b.number), len(b.wallets))
		for i := range b.wallets {
			args = append(args, b.wallets[i][:])
		}
	}
	texts, err := s.texts(ctx, "read standings", readScript, s.keys(generation, st.project, names...), args)
	if err != nil || len(texts) == 0 {
		return false, err
	}
	if err := st.read(texts); err != nil {
		return false, fmt.Errorf("couldn't read standings: %w", err)
	}
	return true, nil
}

func (st *step) read(texts []string) (err error) {
	if len(texts) < 4 {
		return redisdb.BadData("%d texts", len(texts))
	}
	if st.known, err = readKnown(texts); err != nil {
		return err
	}
	if len(st.boards) == 2 && boardByte(st.boards[1].number) == st.only {
		st.boards = st.boards[:1]
	}
	want := 4 + len(st.days)
	for _, b := range st.boards {
		want += len(b.wallets)
	}
	if len(texts) != want {
		return redisdb.BadData("%d texts for %d", len(texts), want)
	}
	texts = texts[4:]
	for i, d := range st.days {
		if d.Day, err = unpackDay(d.number, texts[i]); err != nil {
			return err
		}
	}
	texts = texts[len(st.days):]
	for _, b := range st.boards {
		for i, wallet := range b.wallets {
			if texts[i] == "" {
				continue
			}
			if b.was[wallet], err = readScore(texts[i]); err != nil {
				return err
			}
			b.scores[wallet] = b.was[wallet]
		}
		texts = texts[len(b.wallets):]
	}
	return nil
}

func readKnown(texts []string) (k known, err error) {
	if k.mark, err = unpackMark(texts[0]); err != nil || texts[1] == "" {
		return k, err
	}
	k.only = texts[3]
	if k.updates, err = strconv.ParseUint(texts[1], 10, 64); err == nil {
		k.last, err = strconv.ParseUint(texts[2], 10, 40)
	}
	if err != nil {
		return k, redisdb.BadData("a record: %w", err)
	}
	return k, nil
}

func readScore(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, redisdb.BadData("a score: %w", err)
	}
	return n, nil
}

func (st *step) others() bool {
	return st.only != "" && slices.ContainsFunc(st.boards, func(b *board) bool { return b.number != score.Total && boardByte(b.number) != st.only })
}

// apply fails if a score overflows int64.
func (st *step) apply() error {
	hit := map[common.Address]bool{} // wallets without an earlier score
	if st.updates == 0 && len(st.boards) == 2 {
		st.only, st.boards = boardByte(st.boards[1].number), st.boards[:1]
	}
	fee := new(big.Int)
	for i := range st.executions {
		e := &st.executions[i]
		at := slices.IndexFunc(st.days, func(d *day) bool { return d.number == dayOf(e.Time) })
		today := st.days[at]
		today.Gas += e.Gas
		today.Fee.Add(today.Fee, fee.SetUint64(e.Fee))
		st.last = max(st.last, uint64(e.Time.Unix()))
		if e.Outcome != score.Applied {
			today.Rejected++
			continue
		}
		today.Applied++
		st.updates++
		if _, had := st.board(score.Total).was[e.Target]; !had && !hit[e.Target] {
			hit[e.Target] = true
			today.Wallets++
		}
		for _, b := range st.boards {
			if b.number != score.Total && b.number != int(e.ScoreType) {
				continue
			}
			was := b.scores[e.Target]
			b.scores[e.Target] += e.Points
			if (b.scores[e.Target] < was) != (e.Points < 0) {
				return fmt.Errorf("the score %d of wallet %s is no int64 after %d more", was, e.Target, e.Points)
			}
		}
	}
	return nil
}

// write returns did false if the project's mark has changed since look.
func (s *Store) write(ctx context.Context, generation uint64, st *step) (did bool, err error) {
	var daily, set, remove, executions []any
	names := []string{record, exact, days, recent}
	var boards [][]any
	for _, b := range st.boards {
		names = append(names, boardName(b.number))
		scores := make([]any, 0, 2*len(b.wallets))
		for i := range b.wallets {
			wallet := &b.wallets[i]
			n := b.scores[*wallet]
			scores = append(scores, n, wallet[:])
			switch name := append([]byte{byte(b.number)}, wallet[:]...); {
			case beyond(n):
				set = append(set, name, n)
			case beyond(b.was[*wallet]):
				remove = append(remove, name)
			}
		}
		boards = append(boards, scores)
	}
	for _, d := range st.days {
		daily = append(daily, d.number, packDay(&d.Day))
	}
	for i := range st.executions {
		executions = append(executions, pack(&st.executions[i]))
	}
	args := []any{packMark(st.mark), packMark(st.to), st.updates, st.last, st.only, score.MaxRecent}
	for _, some := range append([][]any{daily, set, remove, executions}, boards...) {
		args = append(append(args, len(some)), some...)
	}
	err = s.call(ctx, "write standings", func(ctx context.Context) error {
		did, err = writeScript.Run(ctx, s.client, s.keys(generation, st.project, names...), args...).Bool()
		return err
	})
	return did, err
}

func beyond(n int64) bool { return n > maxFloat || n < -maxFloat }

// spread copies the total to the only type's own board. It also ends if another writer copied it or moved the mark.
func (s *Store) spread(ctx context.Context, generation uint64, st *step) error {
	keys := s.keys(generation, st.project, record, exact, total, boardName(int(st.only[0])))
	for from, n := 0, 1; n > 0; from += n {
		err := s.call(ctx, "give a score type a board of its own", func(ctx context.Context) (err error) {
			n, err = spreadScript.Run(ctx, s.client, keys, packMark(st.mark), st.only, from, maxSpread).Int()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
