package standings_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
)

// model is a project in plain Go: what happened on its chain, and how far the store knows it.
type model struct {
	project score.ProjectID
	chain   []score.Execution
	mark    score.Mark

	saved struct { // as a replica of Redis has it
		mark score.Mark
		keys map[string]string
	}
}

// marks are those at which a part may begin or end, with how many executions come before: all that mean the same.
func (m *model) marks() (all []score.Mark, before []int) {
	at := score.Mark{Block: 1}
	add := func(m score.Mark, n int) { all, before = append(all, m), append(before, n) }
	add(at, 0)
	for i, e := range m.chain {
		for _, block := range []uint64{at.Block + 1, e.Block} { // nothing was between
			if e.Block >= block && at.Block < block {
				at = score.Mark{Block: block}
				add(at, i)
			}
		}
		at.Count++
		add(at, i+1)
	}
	add(score.Mark{Block: at.Block + 1}, len(m.chain))
	return all, before
}

// known are the executions that the store should have.
func (m *model) known() []score.Execution {
	all, before := m.marks()
	return m.chain[:before[slices.Index(all, m.mark)]]
}

// scores are those of each board, as the contract would have them.
func scoresOf(executions []score.Execution) map[int]map[common.Address]int64 {
	boards := map[int]map[common.Address]int64{score.Total: {}, 0: {}, 1: {}}
	for _, e := range executions {
		if e.Outcome == score.Applied {
			boards[score.Total][e.Target] += e.Points
			boards[int(e.ScoreType)][e.Target] += e.Points
		}
	}
	return boards
}

// ordered is a whole board.
func ordered(scores map[common.Address]int64) []score.Standing {
	all := []score.Standing{}
	for w, n := range scores {
		all = append(all, standing(w, n, 1))
	}
	slices.SortFunc(all, func(a, b score.Standing) int {
		return cmp.Or(cmp.Compare(float64(b.Score), float64(a.Score)), bytes.Compare(b.Wallet[:], a.Wallet[:]))
	})
	for i := range all {
		if all[i].Rank = uint64(i) + 1; i > 0 && float64(all[i].Score) == float64(all[i-1].Score) {
			all[i].Rank = all[i-1].Rank
		}
	}
	return all
}

const walletsOfModel = 6

// drawn draws an execution of a block. Its points bring its target to a score that is worth trying, and no score beyond int64.
func (m *model) drawn(t *rapid.T, block uint64) score.Execution {
	e := applied(block, wallet(rapid.Byte().Draw(t, "wallet")%walletsOfModel), 0)
	e.Project, e.ID, e.Gas, e.Fee = m.project, score.UpdateID{0: byte(len(m.chain)), 1: byte(len(m.chain) >> 8)}, uint64(rapid.Uint32().Draw(t, "gas")), rapid.Uint64().Draw(t, "fee")
	e.ScoreType = rapid.ByteRange(0, 1).Draw(t, "type")
	e.Outcome = rapid.SampledFrom([]score.Outcome{score.Applied, score.Applied, score.Applied, score.Duplicate, score.NotMember}).Draw(t, "outcome")
	boards := scoresOf(m.chain)
	is := boards[int(e.ScoreType)][e.Target]
	center := rapid.SampledFrom([]int64{is, 0, 1 << 53, -1 << 53, 1 << 62, -1 << 62}).Draw(t, "center")
	e.Points = center + rapid.Int64Range(-3, 3).Draw(t, "beside") - is
	for _, board := range []int{score.Total, int(e.ScoreType)} {
		sum := new(big.Int).Add(big.NewInt(boards[board][e.Target]), big.NewInt(e.Points))
		if !sum.IsInt64() || new(big.Int).Sub(big.NewInt(center), big.NewInt(is)).BitLen() > 62 {
			e.Points = 0
		}
	}
	return e
}

type checks struct {
	*standings.Store
	plan       *fault.Plan // of scripts
	client     *redisdb.Client
	ctx        context.Context
	generation uint64
	block      uint64
	models     []*model
}

func TestStandingsAreThoseOfAModel(t *testing.T) {
	t.Parallel()
	client := clientOf(t, server.URL)
	plan := planned(client)
	rapid.Check(t, func(t *rapid.T) { likeTheModel(t, client, plan) })
}

func likeTheModel(t *rapid.T, client *redisdb.Client, plan *fault.Plan) {
	c := &checks{Store: standings.New(client, standings.Config{Prefix: rand.Text() + ":"}), plan: plan, client: client, ctx: context.Background()}
	c.models = []*model{{project: project}, {project: other}}
	c.rebuild(t)
	t.Repeat(map[string]func(*rapid.T){
		"chain":  c.grow,
		"append": c.append,
		"saved":  c.save,
		"lost":   c.lose,
		"flush": func(t *rapid.T) {
			if rapid.IntRange(0, 9).Draw(t, "really") == 0 {
				c.flush(t)
			}
		},
		"page": c.page,
		"":     c.check,
	})
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

func same(t *rapid.T, what string, want, got any) {
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%s: want %+v, got %+v", what, want, got)
	}
}

// rebuild begins a generation that knows nothing.
func (c *checks) rebuild(t *rapid.T) {
	was, err := c.Checkpoint(c.ctx)
	must(t, err)
	now, err := c.Begin(c.ctx, was.Generation, c.block+1)
	must(t, err)
	c.generation, c.block = now.Generation, c.block+1
	must(t, c.Sweep(c.ctx, c.generation))
	must(t, c.Advance(c.ctx, now, at(c.block)))
	for _, m := range c.models {
		same(t, "keys of the generation before", int64(0), c.client.Exists(c.ctx, c.Keys(was.Generation, m.project)...).Val())
		m.mark = score.Mark{Block: 1}
		m.saved.keys = nil
		must(t, c.Create(c.ctx, c.generation, m.project, m.mark))
	}
	c.Forget()
}

func (c *checks) one(t *rapid.T) *model { return rapid.SampledFrom(c.models).Draw(t, "project") }

func (c *checks) grow(t *rapid.T) {
	m := c.one(t)
	block := uint64(1)
	if n := len(m.chain); n > 0 {
		block = m.chain[n-1].Block
	}
	block += rapid.SampledFrom([]uint64{1, 2, 7, 20_000}).Draw(t, "blocks") // the last one's end may be known already
	for range rapid.SampledFrom([]int{1, 3, 3, 3, standings.MaxStep + 10}).Draw(t, "executions") {
		m.chain = append(m.chain, m.drawn(t, block))
		block += rapid.SampledFrom([]uint64{0, 0, 1, 5}).Draw(t, "blocks")
	}
}

// append appends any part of the chain, known or not.
func (c *checks) append(t *rapid.T) {
	m := c.one(t)
	all, before := m.marks()
	index := rapid.IntRange(0, len(all)-1)
	from, to := index.Draw(t, "from"), index.Draw(t, "to")
	if rapid.Bool().Draw(t, "next") {
		from = slices.Index(all, m.mark)
	}
	if from > to {
		from, to = to, from
	}
	if before[to]-before[from] > score.MaxPart {
		return
	}
	kind := rapid.SampledFrom([]fault.Kind{fault.Failed, fault.Persisted}).Draw(t, "kind")
	c.plan.Set(fault.Nth(rapid.SampledFrom([]int{0, 0, 1, 2, 3, 4}).Draw(t, "fails"), kind))
	err := c.Append(c.ctx, c.generation, score.Part{Project: m.project, From: all[from], To: all[to], Executions: m.chain[before[from]:before[to]]})
	c.plan.Set(nil)
	if errors.Is(err, fault.Err) {
		marks, err := c.Marks(c.ctx, c.generation, []score.ProjectID{m.project})
		must(t, err)
		if was := m.mark; *marks[0] != was && (was.Compare(all[from]) < 0 || marks[0].Compare(was) < 0 || marks[0].Compare(all[to]) > 0 || !slices.Contains(all, *marks[0])) {
			t.Fatalf("an append from %v to %v failed at %v, and the mark is %v", all[from], all[to], was, *marks[0])
		}
		m.mark = *marks[0]
		return
	}
	gap := &score.GapError{}
	switch {
	case m.mark.Compare(all[to]) >= 0:
		must(t, err)
	case m.mark.Compare(all[from]) < 0:
		if !errors.As(err, &gap) || gap.Mark != m.mark {
			t.Fatalf("a part from %v at %v: %v", all[from], m.mark, err)
		}
	default:
		must(t, err)
		m.mark = all[to]
	}
}

// save keeps what a replica would have now; lose has it take the master's place.
func (c *checks) save(t *rapid.T) {
	m := c.one(t)
	m.saved.mark, m.saved.keys = m.mark, map[string]string{}
	for _, key := range c.Keys(c.generation, m.project) {
		if value, err := c.client.Dump(c.ctx, key).Result(); err == nil {
			m.saved.keys[key] = value
		}
	}
}

func (c *checks) lose(t *rapid.T) {
	m := c.one(t)
	if m.saved.keys == nil || c.client.Cluster() {
		return
	}
	must(t, c.client.Del(c.ctx, c.Keys(c.generation, m.project)...).Err())
	for key, value := range m.saved.keys {
		must(t, c.client.Restore(c.ctx, key, 0, value).Err())
	}
	m.mark = m.saved.mark
}

// flush loses all, or one project.
func (c *checks) flush(t *rapid.T) {
	m := c.one(t)
	must(t, c.client.Del(c.ctx, c.Keys(c.generation, m.project)...).Err())
	if _, _, err := c.Recent(c.ctx, m.project); !errors.Is(err, score.ErrNotProjected) {
		t.Fatalf("a project that was lost is read: %v", err)
	}
	err := c.Append(c.ctx, c.generation, score.Part{Project: m.project, From: m.mark, To: score.Mark{Block: m.mark.Block + 1}})
	if !errors.Is(err, score.ErrNotProjected) {
		t.Fatalf("a project that was lost is appended to: %v", err)
	}
	if rapid.Bool().Draw(t, "all") {
		must(t, c.client.Del(c.ctx, c.CheckpointKey()).Err())
	}
	c.rebuild(t)
}

// page reads what follows a cursor, of a wallet or of none, and what is around a wallet.
func (c *checks) page(t *rapid.T) {
	m, board := c.one(t), rapid.IntRange(score.Total, 1).Draw(t, "board")
	want := ordered(scoresOf(m.known())[board])
	limit := rapid.IntRange(1, walletsOfModel+1).Draw(t, "limit")
	at := wallet(rapid.Byte().Draw(t, "wallet") % (walletsOfModel + 1))
	n := rapid.SampledFrom([]int64{-1 << 62, -1<<53 - 1, -1 << 53, 0, 1 << 53, 1<<53 + 1, 1 << 62}).Draw(t, "score") + rapid.Int64Range(-2, 2).Draw(t, "beside")
	before := slices.IndexFunc(want, func(s score.Standing) bool { return s.Wallet == at })
	if before >= 0 && rapid.Bool().Draw(t, "unchanged") {
		n = want[before].Score
	}
	start := slices.IndexFunc(want, func(s score.Standing) bool {
		return cmp.Or(cmp.Compare(float64(n), float64(s.Score)), bytes.Compare(at[:], s.Wallet[:])) > 0
	})
	if start < 0 {
		start = len(want)
	}
	end := min(start+limit, len(want))
	page, _, err := c.Page(c.ctx, m.project, board, &score.Cursor{Score: n, Wallet: at}, limit)
	must(t, err)
	same(t, "a page", score.Page{Standings: want[start:end], Wallets: uint64(len(want)), More: end < len(want)}, page)

	page, _, err = c.Around(c.ctx, m.project, board, at, limit)
	must(t, err)
	switch i := slices.IndexFunc(page.Standings, func(s score.Standing) bool { return s.Wallet == at }); {
	case before < 0:
		same(t, "around a wallet without a score", 0, len(page.Standings))
	case i < 0 || before-i < 0:
		t.Fatalf("%s is not in %+v", at, page)
	default:
		same(t, "around a wallet", want[before-i:min(before-i+limit, len(want))], page.Standings)
		same(t, "how many are around it", min(limit, len(want)), len(page.Standings))
	}

	onBoards, _, err := c.BoardStandings(c.ctx, m.project, 2, at)
	must(t, err)
	var standing *score.Standing
	if before >= 0 {
		standing = &want[before]
	}
	same(t, "a wallet's standing", score.BoardStanding{Standing: standing, Wallets: uint64(len(want))}, onBoards[board-score.Total])
}

// check reads everything.
func (c *checks) check(t *rapid.T) {
	var projects []score.ProjectID
	for _, m := range c.models {
		projects = append(projects, m.project)
	}
	marks, err := c.Marks(c.ctx, c.generation, projects)
	must(t, err)
	summaries, asOf, err := c.Summaries(c.ctx, projects)
	must(t, err)
	same(t, "as of", c.block, asOf.Block)
	for i, m := range c.models {
		same(t, "the mark", m.mark, *marks[i])
		known := m.known()
		boards := scoresOf(known)
		for board, scores := range boards {
			want := ordered(scores)
			page, _, err := c.Page(c.ctx, m.project, board, nil, 100)
			must(t, err)
			same(t, "a board", score.Page{Standings: want, Wallets: uint64(len(want))}, page)
		}
		var wallets []common.Address
		var want [][]int64
		for n := range byte(walletsOfModel + 1) {
			wallets, want = append(wallets, wallet(n)), append(want, []int64{boards[0][wallet(n)], boards[1][wallet(n)]})
		}
		scores, _, err := c.Scores(c.ctx, m.project, 2, wallets)
		must(t, err)
		same(t, "scores", want, scores)
		c.checkHistory(t, m, known, summaries[i])
	}
}

// checkHistory reads recent executions, days and the summary of a project.
func (c *checks) checkHistory(t *rapid.T, m *model, known []score.Execution, summary *score.Summary) {
	newest, _, err := c.Recent(c.ctx, m.project)
	must(t, err)
	want := append([]score.Execution{}, known[max(0, len(known)-score.MaxRecent):]...)
	slices.Reverse(want)
	same(t, "recent", want, newest)
	whole := score.Summary{Wallets: uint64(len(scoresOf(known)[score.Total]))}
	var daily []score.Day
	seen := map[common.Address]bool{}
	for _, e := range known {
		date := e.Time.Truncate(24 * time.Hour)
		if len(daily) == 0 || !daily[len(daily)-1].Date.Equal(date) {
			daily = append(daily, score.Day{Date: date, Fee: new(big.Int)})
		}
		d := &daily[len(daily)-1]
		d.Gas += e.Gas
		d.Fee.Add(d.Fee, new(big.Int).SetUint64(e.Fee))
		whole.Last = e.Time
		if e.Outcome != score.Applied {
			d.Rejected++
			continue
		}
		d.Applied++
		whole.Updates++
		if !seen[e.Target] {
			seen[e.Target] = true
			d.Wallets++
		}
	}
	same(t, "the summary", whole, *summary)
	days, _, err := c.Days(c.ctx, m.project, begin, begin.AddDate(100, 0, 0))
	must(t, err)
	same(t, "how many days", len(daily), len(days))
	for i := range days {
		same(t, "the fee of a day", daily[i].Fee.String(), days[i].Fee.String())
		days[i].Fee = daily[i].Fee
		same(t, "a day", daily[i], days[i])
	}
}

// TestOnACluster: projects are spread over the nodes, everything works, and a node that loses its data is noticed.
func TestOnACluster(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	servers, err := fresh.StartRedisCluster(t.TempDir(), 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(servers.Close)
	client := clientOf(t, servers.URL)
	plan := planned(client)
	rapid.Check(t, func(t *rapid.T) { likeTheModel(t, client, plan) })
}
