package sdk_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// TestAnEditIsAskedForSentAndFollowed; TestProjectsAreEdited of cmd/scorelay does it with a whole stack.
func TestAnEditIsAskedForSentAndFollowed(t *testing.T) {
	t.Parallel()
	signing, err := json.Marshal(domain)
	require.NoError(t, err)
	answers := []string{
		`{"nextNonce":7,"waits":true,"signing":` + string(signing) + `}`, `{"status":"accepted"}`, `{"status":"duplicate"}`,
		`{"status":"final","outcome":"not_owner","reason":"removed","owner":"0x0100000000000000000000000000000000000000","edits":null}`,
	}
	var asked, bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		asked, bodies = append(asked, r.Method+" "+r.URL.Path), append(bodies, string(raw))
		_, _ = io.WriteString(w, answers[0])
		answers = answers[1:]
	}))
	t.Cleanup(server.Close)
	client, key := sdk.NewClient(server.URL, "key", nil).Expecting(domain), newKey(t)
	next, err := client.NextEdit(t.Context(), project)
	require.NoError(t, err)
	require.Equal(t, &sdk.NextEdit{Nonce: 7, Waits: true, Domain: domain}, next)
	edit := sdk.ProjectEdit{Project: project, Nonce: next.Nonce, Deadline: 9, Edits: []sdk.Edit{{Operation: sdk.AddScoreType, Name: "luck"}}}
	signed, err := sdk.SignEdit(t.Context(), next.Domain, edit, sdk.KeySigner(key))
	require.NoError(t, err)
	for _, want := range []bool{false, true} {
		duplicate, err := client.EditProject(t.Context(), signed)
		require.NoError(t, err)
		require.Equal(t, want, duplicate)
	}
	state, err := client.EditFinal(t.Context(), project, 7)
	require.NoError(t, err)
	require.Equal(t, &sdk.EditState{Status: sdk.Status{Stage: "final", Outcome: "not_owner"}, Reason: "removed", Owner: &common.Address{1}}, state)

	path := "/projects/" + project.String() + "/edits"
	require.Equal(t, []string{"GET " + path, "POST " + path, "POST " + path, "GET " + path + "/7"}, asked)
	var body struct {
		Nonce, Deadline uint64
		Edits           []sdk.Edit
		Signature       hexutil.Bytes
	}
	require.NoError(t, json.Unmarshal([]byte(bodies[1]), &body))
	require.Equal(t, edit.Edits, body.Edits)
	require.Equal(t, []uint64{7, 9}, []uint64{body.Nonce, body.Deadline})
	requireSignedBy(t, key, body.Signature, domain.EditDigest(edit))

	_, err = sdk.SignEdit(t.Context(), wallet.Domain{}, edit, sdk.KeySigner(key))
	require.ErrorIs(t, err, sdk.ErrDomain)
}
