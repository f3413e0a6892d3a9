package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
)

// TestAClientWrittenFromTheInterfaceAlone knows its endpoints, headers and fields, and nothing of this repository. What the interface leaves open it guesses
// in several ways: each guess works, or the answer says what to send instead.
func TestAClientWrittenFromTheInterfaceAlone(t *testing.T) {
	b := newBench(t, nil)
	owner, target := devnet.Address(1).Hex(), devnet.Address(9).Hex()
	projectID, next := hexutil.Encode(b.project.ID[:]), 0
	send := func(path, body string, change ...string) response {
		t.Helper()
		for i := 0; i < len(change); i += 2 {
			require.Contains(t, body, change[i])
			body = strings.Replace(body, change[i], change[i+1], 1)
		}
		return b.post(path, []byte(body), "content-type", "application/json; charset=UTF-8")
	}
	// refused says why, and what there is instead.
	refused := func(r response, says string) {
		t.Helper()
		require.Equal(t, http.StatusBadRequest, r.status, r.raw)
		var p struct {
			Detail string
			Errors []struct{ Pointer, Detail string }
		}
		require.NoError(t, json.Unmarshal([]byte(r.raw), &p))
		require.Contains(t, fmt.Sprint(p), says)
	}

	project := fmt.Sprintf(`{"projectId":%q,"name":"Acme Inc","inputActions":[{"name":"win","points":10,"direction":0},{"name":"foul","points":25.0,"direction":1}],
		"owners":[%q],"updaters":[]}`, projectID, strings.ToLower(owner))
	for _, c := range [][3]string{
		{`"points":10`, `"points":0`, "{/inputActions/0/points must be an integer from 1 to 2147483647}"},
		{`"points":10`, `"points":"10"`, "{/inputActions/0/points must be an integer, is a string}"},
		{`"points":10`, `"points":-10`, "must be an integer from 1 to"},
		{`"direction":0`, `"direction":-1`, "{/inputActions/0/direction must be 0 (add) or 1 (subtract)}"},
		{`"direction":0`, `"direction":"up"`, "must be an integer, is a string"},
		{`"name":"win"`, `"name":"win","description":"a match"`, `{/inputActions/0/description is not a field of this request; there are `},
		{`"updaters"`, `"score_types":["elo"],"updaters"`, `{/score_types is not a field of this request; there are "scoreTypes", `},
		{`,"updaters":[]`, ``, "{/updaters is required}"},
		{projectID, projectID[2:], "must be 0x followed by 64 hex digits"},
		{projectID, "0X" + projectID[2:], "must be 0x followed by 64 hex digits"},
		{strings.ToLower(owner), "0xABCDEF" + owner[8:], "checksum"},
	} {
		refused(send("/create-project", project, c[0], c[1]), c[2])
	}
	send("/create-project/", project).ok()
	taken := send("/create-project", project)
	require.Equal(t, http.StatusConflict, taken.status)
	require.Equal(t, true, taken.body["same"], "its answer was lost")

	update := func(at time.Time, change ...string) response {
		t.Helper()
		next++
		message := strconv.FormatInt(at.UnixMilli(), 10)
		signature, err := crypto.Sign(accounts.TextHash([]byte(message)), devnet.Key(1))
		require.NoError(t, err)
		return send("/update-score", fmt.Sprintf(`{"updateId":"0x%064X","projectId":%q,"actionName":"win","scoreType":"reputation","targetWallet":%q,"signature":%q,"message":%q}`,
			next, strings.ToUpper(projectID[2:]), target, hexutil.Encode(signature), message), append([]string{`"projectId":"`, `"projectId":"0x`}, change...)...)
	}
	now := time.Now()
	accepted := func(r response) {
		t.Helper()
		require.Equal(t, "accepted", r.ok().body["status"])
	}
	accepted(update(now))                                              // its v is 0 or 1, as some libraries have it; others make it 27 or 28
	accepted(update(now, `"actionName":"win"`, `"actionName":"foul"`)) // the score falls below zero
	accepted(update(now, target, strings.ToLower(target)))
	accepted(update(now, target, "0x"+strings.ToUpper(target[2:])))
	message := strconv.FormatInt(now.UnixMilli(), 10)
	for _, c := range [][3]string{
		{`"win"`, `"Win"`, `"Win" is no action of the project; there are "win", "foul"`},
		{`"reputation"`, `"elo"`, `"elo" is no score type of the project; there are "reputation"`},
		{`"message":"` + message + `"`, `"message":` + message, "must be a string, is " + message},
		{`"message":"` + message, `"message":"` + message[:10], "is it in milliseconds?"},
		{`"actionName"`, `"points":3,"actionName"`, `{/points is not a field of this request; there are `},
		{`"actionName"`, `"action"`, "{/actionName is required}"},
		{target, "0x" + swapped(target[2:]), "checksum"},
		{target, "", "must be 0x followed by 40 hex digits"},
		{target, "0x" + strings.Repeat("0", 40), "must not be the zero address"},
	} {
		refused(update(now, c[0], c[1]), c[2])
	}
	require.Equal(t, http.StatusForbidden, update(now, `","message"`, `","message"`, message+`"`, strconv.FormatInt(now.UnixMilli()-1, 10)+`"`).status, "of another message")
}

// swapped is hex in the other case, whose checksum is wrong.
func swapped(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'f':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'F':
			return r - 'A' + 'a'
		}
		return r
	}, text)
}
