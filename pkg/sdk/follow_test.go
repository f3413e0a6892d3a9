package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// lookUps is an API that answers look-ups without a network.
type lookUps func(ids []score.UpdateID) (status int, answer any)

func (f lookUps) RoundTrip(r *http.Request) (*http.Response, error) {
	var body struct{ UpdateIDs []score.UpdateID }
	if r.URL.Path != "/look-up-updates" || json.NewDecoder(r.Body).Decode(&body) != nil {
		return nil, errors.New("this is no look-up")
	}
	status, answer := f(body.UpdateIDs)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(answer)
	return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {"5"}, "Content-Type": {"application/problem+json"}}, Body: io.NopCloser(bytes.NewReader(raw))}, err
}

func (f lookUps) client() *sdk.Client {
	return sdk.NewClient("http://api", "key", &http.Client{Transport: f})
}

type answer struct {
	Updates []sdk.Status `json:"updates"`
}

func TestManyUpdatesAreLookedUp(t *testing.T) {
	t.Parallel()
	ids := []score.UpdateID{{1}, {2}}
	client, asked, body := answering(t, 200, nil, `{"updates":[{"status":"unknown","outcome":null,"transactionHash":null,"blockNumber":null},{"status":"final","outcome":"applied"}]}`)
	statuses, err := client.Updates(t.Context(), project, ids)
	require.NoError(t, err)
	require.Equal(t, []sdk.Status{{Stage: sdk.Unknown}, {Stage: "final", Outcome: "applied"}}, statuses)
	require.Equal(t, "POST /look-up-updates", *asked)
	require.Equal(t, map[string]any{"projectId": project.String(), "updateIds": []any{ids[0].String(), ids[1].String()}}, *body)
	_, err = client.Updates(t.Context(), project, ids[:1])
	require.ErrorContains(t, err, "reports 2 updates")
}

// TestWaitingUntilManyAreFinal: in requests of 256, once a second, and only for those that are not final yet.
func TestWaitingUntilManyAreFinal(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		ids := make([]score.UpdateID, 600)
		for i := range ids {
			ids[i] = score.UpdateID{byte(i >> 8), byte(i)}
		}
		began, asked := time.Now(), []int(nil)
		calls := 0
		client := lookUps(func(some []score.UpdateID) (int, any) {
			if calls++; calls == 1 {
				return http.StatusServiceUnavailable, nil
			}
			asked = append(asked, len(some))
			var out answer
			for _, id := range some {
				st := sdk.Status{Stage: sdk.Unknown}
				if time.Since(began) >= time.Duration(id[1]%3)*10*time.Second {
					st = sdk.Status{Stage: "final", Outcome: "applied", Block: uint64(id[0])<<8 + uint64(id[1])}
				}
				out.Updates = append(out.Updates, st)
			}
			return http.StatusOK, out
		}).client()
		statuses, err := client.UntilFinal(t.Context(), project, ids...)
		require.NoError(t, err)
		for i, st := range statuses {
			require.True(t, st.Final())
			require.EqualValues(t, i, st.Block, "in the order asked")
		}
		require.Equal(t, []int{256, 256, 88}, asked[:3])
		require.Equal(t, 398, asked[3]+asked[4])
		require.Equal(t, 20*time.Second, time.Since(began).Truncate(time.Second))

		none, err := client.UntilFinal(t.Context(), project)
		require.NoError(t, err)
		require.Empty(t, none)
	})
}

func TestWaitingEnds(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		code, asked := http.StatusOK, 0
		client := lookUps(func(ids []score.UpdateID) (int, any) {
			if code == http.StatusServiceUnavailable {
				if asked++; asked == 2 {
					time.Sleep(time.Minute)
				}
				return code, map[string]string{"code": "status_unavailable"}
			}
			return code, answer{[]sdk.Status{{Stage: "final"}, {Stage: "batched"}}[:len(ids)]}
		}).client()
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		began := time.Now()
		statuses, err := client.UntilFinal(ctx, project, score.UpdateID{1}, score.UpdateID{2})
		require.NoError(t, err, "the second is final when it is asked for alone")
		require.Len(t, statuses, 2)
		require.Equal(t, time.Second, time.Since(began))

		code = http.StatusServiceUnavailable
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second) // in the second request
		defer cancel()
		statuses, err = client.UntilFinal(ctx, project, score.UpdateID{1})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, []sdk.Status{{Stage: sdk.Unknown}}, statuses)
		var refused *sdk.Error
		require.ErrorAs(t, err, &refused, "which kept it from ending")
		require.Equal(t, "status_unavailable", refused.Code)
		require.Equal(t, 2, asked)

		code = http.StatusBadRequest
		_, err = client.UntilFinal(t.Context(), project, score.UpdateID{1})
		require.ErrorAs(t, err, &refused)
		require.Equal(t, 400, refused.Status)
	})
}
