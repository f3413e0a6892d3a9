package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/deadletter"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// deployment is a set-up stream on a NATS server of the test's own.
func deployment(t *testing.T) (*stream.Stream, *kv.Projects, *deadletter.Replays) {
	t.Helper()
	js := fresh.JetStream(t)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{
		Deployment: score.Deployment{Lanes: 2, ChainID: 1337, Contract: common.Address{1}, DeployBlock: 1},
	}))
	opened, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	projects, err := kv.OpenProjects(t.Context(), js)
	require.NoError(t, err)
	replays, err := deadletter.Open(t.Context(), js, opened)
	require.NoError(t, err)
	return opened, projects, replays
}

func creation(id byte) *score.Project {
	return &score.Project{
		ID: score.ProjectID{id}, Name: "n", Actions: []score.Action{{Name: "a", Points: 1}},
		Owners: []common.Address{{1}}, ScoreTypes: []string{"reputation"},
	}
}

// lettersOfAllKinds are three updates, two of them of one updateId, a creation and a message that cannot be read.
func lettersOfAllKinds() []score.DeadLetter {
	update := func(project, id, target byte) *score.Update {
		return &score.Update{Project: score.ProjectID{project}, ID: score.UpdateID{id}, Signer: common.Address{2}, Target: common.Address{target}, Action: 1}
	}
	return []score.DeadLetter{
		{Lane: 1, Seq: 3, Update: update(1, 7, 3), Outcome: score.NotMember, Reason: "the signer is no member", Tx: common.Hash{9}},
		{Lane: 1, Seq: 5, Update: update(1, 7, 4), Outcome: score.NotMember, Reason: "again", Tx: common.Hash{9}},
		{Lane: 0, Seq: 6, Update: update(2, 8, 3), Outcome: score.BadSignature, Signed: true},
		{Lane: 1, Seq: 7, Project: creation(3), Outcome: score.ProjectExists, Reason: "a node says \x1b[2J"},
		{Lane: 0, Seq: 8, Raw: []byte("x"), Outcome: score.Unprocessable, Reason: "cannot be read"},
	}
}

func listed(t *testing.T, opened *stream.Stream, replayed bool) (table [][]string, documents []deadletter.Document) {
	t.Helper()
	var text, lines strings.Builder
	require.NoError(t, (&dlqListCommand{Replayed: replayed}).list(t.Context(), opened, &text))
	for _, line := range strings.Split(strings.TrimSpace(text.String()), "\n") {
		table = append(table, strings.Fields(line))
	}
	require.NoError(t, (&dlqListCommand{Replayed: replayed, JSON: true}).list(t.Context(), opened, &lines))
	decoder := json.NewDecoder(strings.NewReader(lines.String()))
	decoder.DisallowUnknownFields()
	for decoder.More() {
		var d deadletter.Document
		require.NoError(t, decoder.Decode(&d))
		documents = append(documents, d)
	}
	require.Len(t, table, len(documents)+1)
	return table, documents
}

func TestDLQ(t *testing.T) {
	t.Parallel()
	opened, _, replays := deployment(t)
	table, _ := listed(t, opened, true)
	require.Equal(t, [][]string{{"ID", "TIME", "OUTCOME", "REASON"}}, table)

	for _, d := range lettersOfAllKinds() { // one after the other: each has a time of its own
		require.NoError(t, opened.AddDeadLetters(t.Context(), []score.DeadLetter{d}))
	}
	table, documents := listed(t, opened, false)
	ids := map[string]bool{}
	for i, d := range documents {
		require.Len(t, d.ID, 12)
		require.Equal(t, d.ID, table[i+1][0])
		require.Equal(t, d.Outcome, table[i+1][2])
		require.NotContains(t, strings.Join(table[i+1], ""), "\x1b", "a terminal would act on it")
		ids[d.ID] = true
	}
	require.Len(t, ids, 5, "each has an id of its own")

	show := func(name string) (d deadletter.Document, text string, err error) {
		var out strings.Builder
		if err = (&dlqShowCommand{ID: name}).show(t.Context(), opened, &out); err == nil {
			require.NoError(t, json.Unmarshal([]byte(out.String()), &d))
		}
		return d, out.String(), err
	}
	for _, d := range documents {
		for _, name := range []string{d.ID, strings.ToUpper(d.ID)} {
			shown, _, err := show(name)
			require.NoError(t, err)
			require.Equal(t, d, shown)
		}
	}
	shown, text, err := show(score.UpdateID{7}.String())
	require.NoError(t, err)
	require.Equal(t, "again", shown.Reason, "an updateId names the newest of its dead letters")
	require.Contains(t, text, `"outcome": "not_member"`)
	require.Contains(t, text, `"updateId": "0x07000000`)
	require.Contains(t, text, `"targetWallet": "0x0400000000000000000000000000000000000000"`)
	require.NotContains(t, text, `"Project"`, "one style of keys")
	shown, _, err = show(score.ProjectID{3}.String())
	require.NoError(t, err)
	require.Equal(t, creation(3).Name, shown.Project.Name)
	for _, name := range []string{"000000000000", documents[0].ID[:11], "zz", "", score.ProjectID{1}.String(), score.UpdateID{99}.String()} {
		_, _, err = show(name)
		require.ErrorIs(t, err, deadletter.ErrNone, name)
	}

	replay := func(names ...string) (string, error) {
		var out strings.Builder
		err := (&dlqReplayCommand{IDs: names, All: len(names) == 0}).replay(t.Context(), opened, replays, &out)
		return out.String(), err
	}
	out, err := replay(documents[0].ID)
	require.NoError(t, err)
	require.Equal(t, "replayed 1 of 1\n", out)
	_, err = replay(documents[0].ID)
	require.ErrorIs(t, err, deadletter.ErrReplayed)
	_, left := listed(t, opened, false)
	require.Len(t, left, 4)
	_, all := listed(t, opened, true)
	require.Len(t, all, 5)
	again, _, err := show(documents[0].ID)
	require.NoError(t, err, "the id stays")
	require.NotNil(t, again.Replayed)

	out, err = replay()
	require.ErrorIs(t, err, deadletter.ErrSigned)
	require.ErrorIs(t, err, deadletter.ErrNoReplay)
	require.ErrorContains(t, err, "(message 8)")
	require.ErrorContains(t, err, "(update "+score.UpdateID{8}.String()+")")
	require.Equal(t, "replayed 2 of 4\n", out, "what cannot be replayed does not keep the others from it")
	state, err := opened.State(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, state.Messages)
}

func TestNATSAwayIsSaid(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := dlqListCommand{}
	c.NATSURL, c.Wait = "nats://u:hush@127.0.0.1:1", 1 // no free port: another test's server may take it
	err := c.Run(signals{ctx, ctx})
	require.ErrorContains(t, err, "gave up waiting for NATS at 127.0.0.1:1 (SCORELAY_NATS_URL) after ")
	require.NotContains(t, err.Error(), "hush")
}
