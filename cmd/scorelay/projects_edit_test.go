package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/deadletter"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/remotesigner"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// TestProjectsAreEdited: an owner's edits by the command go the whole way, and the project shows them.
func TestProjectsAreEdited(t *testing.T) {
	t.Parallel()
	s := startStack(t)
	info := s.info(t)
	run := func(args ...string) ([]byte, error) {
		cmd := command(append([]string{"projects"}, append(args, "--data-dir", s.dir)...)...)
		cmd.Env = append(os.Environ(), "SCORELAY_OWNER_KEY="+info.OwnerKey)
		return cmd.CombinedOutput()
	}
	secret, err := crypto.HexToECDSA(strings.TrimPrefix(info.OwnerKey, "0x"))
	require.NoError(t, err)
	remote := remotesigner.New(devnet.ChainID, secret)
	remote.Start()
	t.Cleanup(remote.Close)
	description := filepath.Join(t.TempDir(), "owner.json")
	require.NoError(t, os.WriteFile(description, fmt.Appendf(nil, `{"address": %q, "web3signer": %q}`, crypto.PubkeyToAddress(secret.PublicKey), remote.URL), 0o600))
	member := devnet.Address(9).Hex()
	out, err := run("edit", info.ProjectID, "--add-updater", member, "--add-action", "a gift=-5", "--add-score-type", "luck", "--signed-only=true", "--wait", "2m")
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "final: applied")
	out, err = run("edit", info.ProjectID, "--add-updater", member)
	require.Error(t, err)
	require.Contains(t, string(out), "is an updater already")
	out, err = run("edit", info.ProjectID, "--owner-keystore", description, "--add-action", "a gïft=7", "--remove-updater", member, "--wait", "2m")
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "final: applied")

	var shown struct {
		Updaters   []string       `json:"updaters"`
		Actions    []score.Action `json:"actions"`
		ScoreTypes []string       `json:"scoreTypes"`
		SignedOnly bool           `json:"signedOnly"`
		EditNonce  uint64         `json:"editNonce"`
	}
	require.Eventually(t, func() bool { // the directory follows the final blocks
		out, err := run("show", "--json", info.ProjectID)
		require.NoError(t, err, string(out))
		require.NoError(t, json.Unmarshal(out, &shown))
		return shown.EditNonce > 1 && len(shown.Actions) > 0 && shown.Actions[len(shown.Actions)-1].Name == "a gïft"
	}, 2*time.Minute, 100*time.Millisecond)
	require.Contains(t, shown.Actions, score.Action{Name: "a gift", Points: 5, Direction: score.Subtract})
	require.NotContains(t, shown.Updaters, strings.ToLower(member))
	require.True(t, shown.SignedOnly)
	require.Equal(t, uint64(2), shown.EditNonce)
}

// TestEditsOfFlags: what is added comes first, and what makes no edit is named.
func TestEditsOfFlags(t *testing.T) {
	t.Parallel()
	yes, a, b := true, devnet.Address(1), devnet.Address(2)
	edits, err := (&projectsEditCommand{RemoveOwner: []string{a.Hex()}, AddOwner: []string{b.Hex()}, AddAction: []string{"x=y=7"}, SignedOnly: &yes}).edits()
	require.NoError(t, err)
	require.Equal(t, []score.Edit{
		{Operation: score.AddOwner, Member: b},
		{Operation: score.AddAction, Name: "x=y", Points: 7},
		{Operation: score.RemoveOwner, Member: a},
		{Operation: score.RequireSignedGroups},
	}, edits)
	for want, c := range map[string]projectsEditCommand{
		"say what to edit":                {},
		`--add-action: "x" must be`:       {AddAction: []string{"x"}},
		`--add-action: "x=one" must end`:  {AddAction: []string{"x=one"}},
		`--remove-updater: "0x12" must b`: {RemoveUpdater: []string{"0x12"}},
	} {
		_, err := c.edits()
		require.ErrorContains(t, err, want)
	}
}

// TestNoEditIsSignedForAnotherDeployment than the one that was named, also if the API names one.
func TestNoEditIsSignedForAnotherDeployment(t *testing.T) {
	t.Parallel()
	contract, posted := common.Address{7}, 0
	signing, err := json.Marshal(wallet.NewDomain(5, contract))
	require.NoError(t, err)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posted++
		}
		_, _ = fmt.Fprintf(w, `{"nextNonce":0,"waits":false,"status":"accepted","signing":%s}`, signing)
	}))
	t.Cleanup(api.Close)
	for flags, wrong := range map[domainFlags]bool{{5, contract.Hex()}: false, {6, contract.Hex()}: true, {5, common.Address{8}.Hex()}: true, {}: false} {
		c := &projectsEditCommand{apiFlags: apiFlags{API: api.URL, Key: "key"}, domainFlags: flags, ID: score.ProjectID{3}.String(), AddScoreType: []string{"luck"}, Valid: time.Hour}
		c.OwnerKey = app.Secret(hexutil.Encode(crypto.FromECDSA(devnet.Key(1))))
		client, _, err := c.clientFor(&c.domainFlags)
		require.NoError(t, err)
		posted = 0
		err = c.edit(t.Context(), client, io.Discard)
		if wrong {
			require.ErrorIs(t, err, sdk.ErrDomain)
			require.Zero(t, posted)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, 1, posted)
	}
}

// TestAnEditEndsWhereTheAPIGoesAway, after the time that it waits, or for which it is valid.
func TestAnEditEndsWhereTheAPIGoesAway(t *testing.T) {
	t.Parallel()
	signing, err := json.Marshal(wallet.NewDomain(5, common.Address{7}))
	require.NoError(t, err)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintf(w, `{"nextNonce":0,"waits":false,"signing":%s}`, signing)
	}))
	t.Cleanup(api.Close)
	for _, c := range []*projectsEditCommand{{Valid: time.Hour, Await: 1500 * time.Millisecond}, {Valid: 1500 * time.Millisecond}} {
		c.apiFlags, c.ID, c.AddScoreType = apiFlags{API: api.URL, Key: "key"}, score.ProjectID{3}.String(), []string{"luck"}
		c.OwnerKey = app.Secret(hexutil.Encode(crypto.FromECDSA(devnet.Key(1))))
		client, _, err := c.clientFor(&c.domainFlags)
		require.NoError(t, err)
		require.ErrorContains(t, c.edit(t.Context(), client, io.Discard), "503")
	}
}

// TestAnEditThatFindsAnotherSaysWhenToComeBack: the API's refusal alone tells of a nonce, which no operator chose.
func TestAnEditThatFindsAnotherSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	contract := common.Address{7}
	signing, err := json.Marshal(wallet.NewDomain(5, contract))
	require.NoError(t, err)
	refusal := `{"status":409,"code":"edit_exists"}`
	status := http.StatusConflict
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, refusal)
			return
		}
		_, _ = fmt.Fprintf(w, `{"nextNonce":0,"waits":true,"signing":%s}`, signing)
	}))
	t.Cleanup(api.Close)
	c := &projectsEditCommand{apiFlags: apiFlags{API: api.URL, Key: "key"}, domainFlags: domainFlags{5, contract.Hex()}, ID: score.ProjectID{3}.String(), AddScoreType: []string{"luck"}, Valid: time.Hour}
	c.OwnerKey = app.Secret(hexutil.Encode(crypto.FromECDSA(devnet.Key(1))))
	client, _, err := c.clientFor(&c.domainFlags)
	require.NoError(t, err)
	err = c.edit(t.Context(), client, io.Discard)
	require.ErrorContains(t, err, "edit_exists")
	require.ErrorContains(t, err, "run this again once it is final")
	status, refusal = http.StatusForbidden, `{"status":403,"code":"signer_not_owner"}`
	err = c.edit(t.Context(), client, io.Discard)
	require.ErrorContains(t, err, "signer_not_owner")
	require.NotContains(t, err.Error(), "run this again")
}

// TestADeadEditIsShownAndNotReplayed: its owner has to sign it again.
func TestADeadEditIsShownAndNotReplayed(t *testing.T) {
	t.Parallel()
	opened, _, replays := deployment(t)
	edit := &score.SignedEdit{Owner: devnet.Address(1), ProjectEdit: score.ProjectEdit{
		Project: score.ProjectID{3}, Nonce: 7, Deadline: 9, Edits: []score.Edit{{Operation: score.AddUpdater, Member: devnet.Address(2)}},
	}}
	require.NoError(t, opened.AddDeadLetters(t.Context(), []score.DeadLetter{{Seq: 4, Edit: edit, Outcome: score.EditExpired, Reason: "too late"}}))
	_, documents := listed(t, opened, false)
	require.Len(t, documents, 1)
	require.Equal(t, edit, documents[0].Edit)
	require.Equal(t, "edit_expired", documents[0].Outcome)
	var out strings.Builder
	err := (&dlqReplayCommand{IDs: []string{documents[0].ID}}).replay(t.Context(), opened, replays, &out)
	require.ErrorIs(t, err, deadletter.ErrEdit)
	require.ErrorContains(t, err, "edit 7 of project 0x03")
}
