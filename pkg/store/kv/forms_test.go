package kv

import (
	"flag"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

var update = flag.Bool("update", false, "write testdata/forms.txt")

// TestStoredForms: each document has the bytes that processes of other versions write and read. A change of
// testdata/forms.txt is a change of what is stored: see docs/operations.md, Upgrading.
func TestStoredForms(t *testing.T) {
	t.Parallel()
	ctx, js := t.Context(), fresh.JetStream(t)
	setUp(t, js)
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)

	pauses, err := OpenPauses(ctx, js)
	require.NoError(t, err)
	_, err = pauses.Update(ctx, func(Pauses) Pauses {
		return Pauses{
			All: &Pause{At: at, Reason: "an upgrade", Refuses: true}, Lanes: map[score.Lane]Pause{3: {At: at}}, Projects: map[score.ProjectID]Pause{{1}: {At: at}},
		}
	})
	require.NoError(t, err)

	lanes, err := OpenRoster(ctx, js)
	require.NoError(t, err)
	r, err := roster.First([]common.Address{{1}, {2}})
	require.NoError(t, err)
	_, err = lanes.Create(ctx, r)
	require.NoError(t, err)
	_, err = lanes.Update(ctx, func(r roster.Roster) (roster.Roster, error) { return r.Cut(1, true) })
	require.NoError(t, err)

	notices, err := OpenNotices(ctx, js, nil)
	require.NoError(t, err)
	require.NoError(t, notices.Post(ctx, 1, 12, lane.Notice{Given: 2, Took: 7}))

	backlogs, err := OpenBacklogs(ctx, js, nil)
	require.NoError(t, err)
	require.NoError(t, backlogs.Tell(ctx, 4, map[score.ProjectID]score.Backlog{{1}: {Waiting: 5_000, PerSecond: 1.5, Read: 9}}))

	lasts := 60.5
	require.NoError(t, PutReport(ctx, js, Report{
		Role: "relayer", Name: "r-1", Version: "v1.2.3", Began: at, Redis: "OOM",
		Endpoints: []EndpointReport{{Name: "node:8545", Why: "failing", Newest: 7, TookMS: 41}},
		Lanes:     map[score.Lane]LaneReport{1: {Wait: "funds", Since: at, Waiting: 9, Lasts: &lasts, Lacks: big.NewInt(5)}},
		Lately:    &Lately{Seconds: 60, Counts: Counts{Accepted: 1, NotDurable: 2, Final: 3, Gas: 4, Fees: 0.5, BlockGas: 6, BlockLimit: 7}},
		TopUp:     &TopUpReport{Account: common.Address{7}, BalanceWei: big.NewInt(1), SpentWei: big.NewInt(2), PerDayWei: big.NewInt(3), Lane: new(score.Lane(1)), Since: at},
	}))
	require.NoError(t, PutAudit(ctx, js, Audit{Status: 3}))

	projects, err := OpenProjects(ctx, js)
	require.NoError(t, err)
	revision, err := projects.SetFollowed(ctx, 0, score.Followed{
		ChainID: 1337, Contract: common.Address{7}, Position: "3-20-1400000000000000-0", Block: 20, Hash: common.Hash{20}, Gaps: true,
	})
	require.NoError(t, err)
	require.NoError(t, projects.Put(ctx, revision, score.DatedRecord{Created: 1, Block: 10, LogIndex: 2, Record: &score.Record{
		ID: score.ProjectID{31: 1}, Name: "arcade", Actions: []score.Action{{Name: "burn", Points: 5, Direction: score.Subtract}},
		ScoreTypes: []string{"reputation"}, Members: map[common.Address]score.Role{{1}: score.Owner | score.Updater}, SignedOnly: true,
	}}))

	var found []string
	for _, name := range []string{lanesBucket, noticesBucket, backlogBucket, leasesBucket, projectsBucket} {
		stored, err := js.KeyValue(ctx, name)
		require.NoError(t, err)
		b := bucket{name, js, stored}
		require.NoError(t, b.each(ctx, ">", func(e jetstream.KeyValueEntry) error {
			found = append(found, name+" "+e.Key()+" "+string(e.Value()))
			return nil
		}))
	}
	const forms = "testdata/forms.txt"
	if *update {
		require.NoError(t, os.WriteFile(forms, []byte(strings.Join(found, "\n")+"\n"), 0o600))
	}
	want, err := os.ReadFile(forms)
	require.NoError(t, err)
	require.Equal(t, string(want), strings.Join(found, "\n")+"\n")
}
