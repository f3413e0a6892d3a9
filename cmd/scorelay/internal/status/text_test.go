package status

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// TestADocumentFitsTheScreen, with all that there may be to tell.
func TestADocumentFitsTheScreen(t *testing.T) {
	t.Parallel()
	at := time.Now()
	began, gas, price, fill, one, behind := at.Add(-time.Hour), 20_000.0, 2.5, 0.251, score.Lane(1), uint64(64)
	doc := &overview.Document{
		At: at, Verdict: "lane 2 waits: its signer cannot pay for another transaction; fund it",
		Lanes: []overview.Lane{
			{Lane: 1, State: roster.Active, Moves: true}, {Lane: 2, State: roster.Active, Wait: lane.WaitFunds, Since: &began, Why: "its signer cannot pay for another transaction; fund it"},
		},
		Rates:          &overview.Rates{AcceptedPerSecond: 123.4, FinalPerSecond: 40, GasPerUpdate: &gas, GasPriceGwei: &price, BlockFill: &fill},
		Endpoints:      []overview.Endpoint{{Endpoint: "node:8545", SeenBy: "relayer relayer-b", Why: "throttling"}},
		Replicas:       []overview.Replica{{Role: "api", Version: "v1.4.0"}, {Role: "relayer", Version: "v1.3.0"}, {Role: "relayer", Version: "v1.4.0 (go1.26)"}},
		TopUp:          &overview.TopUp{Account: common.Address{7}, BalanceWei: "3000000000000000000", SpentWei: "1500000000000000000", PerDayWei: "2000000000000000000", Lane: &one},
		Backlog:        []overview.Project{{Project: score.ProjectID{9}, Updates: 5}},
		PausedProjects: map[score.ProjectID]kv.Pause{},
		Ledger:         overview.Ledger{Block: 1_234_567, BehindBlocks: &behind, BehindSeconds: &gas, Oldest: 1_198_000, Bytes: 12 << 20, Writer: "relayer-with-a-long-name-5f6d7"},
	}
	for i := range byte(5) {
		doc.PausedProjects[score.ProjectID{9, 31: i}] = kv.Pause{Reason: "a wrong price, of which the cause is not found out so far"}
	}
	lines := Lines(doc, 24)
	require.LessOrEqual(t, len(lines), 24)
	for _, line := range lines {
		require.LessOrEqual(t, utf8.RuneCountInString(line), Columns, line)
	}
	text := strings.Join(lines, "\n")
	for _, part := range []string{
		"     for 60 min: its signer cannot pay", "last minute  accepted 123 a second, final 40.0, 20,000 gas an update at 2.5", "gwei, blocks 25 % full\n", "node:8545 throttling for relayer relayer-b",
		"api 1 (v1.4.0), relayer 1 (v1.3.0), relayer 1 (v1.4.0)", "top-ups    0x070…00000: 3.0000 ether, 1.5000 of 2.0000 paid today, now lane 1", ", paused\n", "and 2 more",
		"ledger     block 1,234,567, 64 blocks behind the head (6 h), from 1,198,000 on\n  (13 MB), written by relayer-wi…ame-5f6d7\n",
	} {
		require.Contains(t, text, part)
	}
}

// TestWhatIsWrittenIsTrue: what was not heard of is not "ok", and one is one.
func TestWhatIsWrittenIsTrue(t *testing.T) {
	t.Parallel()
	text := strings.Join(Lines(&overview.Document{
		Lanes:     []overview.Lane{{State: roster.Active, Moves: true, BalanceWei: "1000000000000000000000000"}},
		Endpoints: []overview.Endpoint{{Endpoint: "node:8545", SeenBy: "scorelay status", Up: true}, {Endpoint: "other:8545", SeenBy: "scorelay status", Up: true, Newest: 7, TookMS: 3}},
		Backlog:   []overview.Project{{Project: score.ProjectID{9}, Updates: 5}},
		Redis:     overview.Redis{Rebuilding: "at block 8 of 9", Refused: []string{"api api-1: OOM command not allowed"}},
	}, 24), "\n")
	for _, part := range []string{
		" 1,000,000 ", "node:8545 no answer yet, other:8545 ok 3 ms", "waiting at least 5 updates of 1 project\n",
		"rebuilding leaderboards, histories and statistics, which answer 503 until then:\n  at block 8 of 9",
		"Redis refuses calls of api\n  api-1: OOM command not allowed\n",
	} {
		require.Contains(t, text, part)
	}
}

// TestManyLanesFitAScreen: those that do not move are shown before all others.
func TestManyLanesFitAScreen(t *testing.T) {
	t.Parallel()
	doc := &overview.Document{Verdict: "lane 90 waits: " + strings.Repeat("for a long reason ", 12), At: time.Now(), Redis: overview.Redis{Bytes: 1 << 30, Full: 0.5}}
	lasts := int64(3600)
	for id := range score.Lane(100) {
		doc.Lanes = append(doc.Lanes, overview.Lane{
			Lane: id, State: roster.Active, Moves: id != 90, Why: "for a reason", BalanceWei: "123456789012345678901234", LastsSeconds: &lasts, Waiting: 99_999_999_999,
			Replica: "relayer-with-a-long-name-5f6d7", Nonces: overview.Nonces{Journaled: 1_234_567_890},
		})
	}
	for _, rows := range []int{24, 40, 1000} {
		lines := Lines(doc, rows)
		require.LessOrEqual(t, len(lines), rows)
		text := strings.Join(lines, "\n")
		require.Contains(t, text, "\n90   relay")
		if rows < 100 {
			require.Regexp(t, `… and \d+ more lanes`, text)
		}
		for _, line := range lines {
			require.LessOrEqual(t, utf8.RuneCountInString(line), Columns, line)
		}
	}
}

// TestWhatOthersWroteIsOnlyText: no format, and nothing that a terminal acts on.
func TestWhatOthersWroteIsOnlyText(t *testing.T) {
	t.Parallel()
	doc := &overview.Document{Verdict: "lane 0 waits: \x1b[2J\nall lanes move", Replicas: []overview.Replica{{Role: "api%s", Version: "v1%d\x07\xff"}}}
	text := strings.Join(Lines(doc, 0), "\n")
	require.Contains(t, text, "lane 0 waits: \uFFFD[2J\uFFFDall lanes move\n")
	require.Contains(t, text, "api%s 1 (v1%d\uFFFD\uFFFD)")
}

// TestNumbersKeepToTheirColumns, from nothing to the most.
func TestNumbersKeepToTheirColumns(t *testing.T) {
	t.Parallel()
	for _, seconds := range []float64{-3, 0, 9.94, 119, 7199, 172_799, 8.6e7, 1e18} {
		require.LessOrEqual(t, len(overview.Age(seconds)), 7)
	}
	for n := uint64(1); n < 1e12; n *= 10 {
		require.LessOrEqual(t, len(count(n-1)), 7)
	}
	require.Equal(t, "0.0 s", overview.Age(-3), "a head whose time is ahead of our clock")
	require.Equal(t, ">999 d", overview.Age(1e18))
	forever := int64(1 << 62)
	l := overview.Lane{State: roster.Active, Moves: true, LastsSeconds: &forever}
	require.NotContains(t, strings.Join(laneLines(&l, time.Now()), "\n"), "low balance")
	lasts := int64(3600)
	l.LastsSeconds = &lasts
	require.Contains(t, strings.Join(laneLines(&l, time.Now()), "\n"), "low balance")
}
