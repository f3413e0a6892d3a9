package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// backend is what a process of TestSenderProcess does: it queues updates until it is killed, or sends what is left.
type backend struct {
	URL, Key, Signer, Spool, Action, ScoreType string
	Project                                    sdk.ProjectID
	Target                                     sdk.Address
	Domain                                     sdk.Domain // if given, groups
	Last                                       bool       // queues nothing more, and ends when all is final
}

const backendEnv = "SCORELAY_TEST_BACKEND"

// losing loses every third answer, after the API gave it.
type losing struct {
	http.RoundTripper
	n atomic.Int64
}

func (l *losing) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	n := l.n.Add(1)
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		fmt.Println("limited", n)
	}
	if err == nil && n%3 == 0 {
		_ = resp.Body.Close()
		return nil, errors.New("connection reset")
	}
	return resp, err
}

// TestSenderProcess is no test but the process that TestSenderSurvives kills.
func TestSenderProcess(t *testing.T) {
	given := os.Getenv(backendEnv)
	if given == "" {
		t.Skip("TestSenderSurvives starts it")
	}
	var b backend
	require.NoError(t, json.Unmarshal([]byte(given), &b))
	key, err := sdk.ParseKey(b.Signer)
	require.NoError(t, err)
	client := sdk.NewClient(b.URL, b.Key, &http.Client{Timeout: 15 * time.Second, Transport: &losing{RoundTripper: http.DefaultTransport}})
	s, err := sdk.NewSender(client, sdk.SenderOptions{
		Project: b.Project, Sign: sdk.KeySigner(key), Groups: b.Domain, Spool: b.Spool, Capacity: 50, Follow: true,
		Report: func(r sdk.Report) { fmt.Println(r.Stage, r.Update.UpdateID, r.Outcome, r.Err) },
	})
	require.NoError(t, err)
	for !b.Last {
		ids, err := s.Enqueue(t.Context(), sdk.NamedUpdate{ActionName: b.Action, ScoreType: b.ScoreType, TargetWallet: b.Target})
		require.NoError(t, err)
		fmt.Println("queued", ids[0])
	}
	require.Eventually(t, func() bool { return s.State().Unsent+s.State().Followed == 0 }, 4*time.Minute, 10*time.Millisecond)
	left, err := s.Close(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
}

// run starts the process and hands on what it says, by its first word. stop says when to kill it.
func (b backend) run(t *testing.T, said map[string]map[string]string, stop func(lines int) bool) {
	t.Helper()
	raw, err := json.Marshal(b)
	require.NoError(t, err)
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, "-test.run", "^TestSenderProcess$", "-test.timeout", "5m")
	cmd.Env = append(os.Environ(), asScorelay+"=", backendEnv+"="+string(raw))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	killed, lines := false, 0
	for scanner := bufio.NewScanner(out); scanner.Scan(); { // to the end: what was said before the kill counts
		if word, rest, found := strings.Cut(scanner.Text(), " "); found && said[word] != nil {
			id, more, _ := strings.Cut(rest, " ")
			said[word][id] = more
			if lines++; !killed && stop(lines) {
				require.NoError(t, cmd.Process.Kill())
				killed = true
			}
		}
	}
	require.Equal(t, killed, cmd.Wait() != nil, "it ends well unless it is killed")
}

// TestSenderSurvives: a backend with a spool is killed twice while the API is killed, answers are lost and the key's rate is too
// low. Each update that it queued applies, each once.
func TestSenderSurvives(t *testing.T) {
	t.Parallel()
	long.Test(t)
	s := startProcesses(t, programs(t))
	info := s.info(t)
	key := s.does(t, "keys", "create", "sender", "--rate", "10", "--look-ups", "2", "--projects", "all")
	project, err := sdk.ParseProjectID(info.ProjectID)
	require.NoError(t, err)
	client := sdk.NewClient(info.APIURL, info.APIKey, nil)
	state, err := client.Project(t.Context(), project)
	require.NoError(t, err)
	action, known := state.ActionIndex(info.Actions[0])
	require.True(t, known)
	updater, err := sdk.ParseKey(info.UpdaterKey)
	require.NoError(t, err)
	points := int64(state.InputActions[action].Points) * (1 - 2*int64(state.InputActions[action].Direction))

	for i, domain := range []sdk.Domain{{}, info.Domain()} {
		b := backend{
			URL: info.APIURL, Key: key, Signer: info.UpdaterKey, Spool: filepath.Join(t.TempDir(), "spool"),
			Action: info.Actions[0], ScoreType: info.ScoreType, Project: project, Target: sdk.Address{0xee, byte(i)}, Domain: domain,
		}
		said := map[string]map[string]string{"queued": {}, sdk.Accepted: {}, sdk.Final: {}, sdk.Refused: {}, "limited": {}}
		burst := make([]sdk.Update, 256) // what the key may have at once is used up
		minter := sdk.NewMinter()
		for i := range burst {
			burst[i] = sdk.Update{UpdateID: minter.Next(), TargetWallet: sdk.Address{0xef}, Action: action}
		}
		groups, err := sdk.BuildGroups(project, burst)
		require.NoError(t, err)
		group, err := groups[0].Sign(t.Context(), info.Domain(), sdk.KeySigner(updater))
		require.NoError(t, err)
		require.NoError(t, sdk.Retry(t.Context(), func() error {
			_, _, err := sdk.NewClient(b.URL, b.Key, nil).UpdateScores(t.Context(), group)
			return err
		}))
		for range 2 {
			b.run(t, said, func(lines int) bool {
				if lines == 60 {
					s.kill(t, "api")
				}
				return lines >= 120
			})
		}
		b.Last = true
		b.run(t, said, func(int) bool { return false })
		require.Empty(t, said[sdk.Refused])
		require.NotEmpty(t, said["queued"])
		require.NotEmpty(t, said["limited"])
		for id := range said["queued"] {
			require.Contains(t, said[sdk.Accepted], id, "what Enqueue took is sent")
		}
		for id := range said[sdk.Accepted] {
			require.True(t, strings.HasPrefix(said[sdk.Final][id], "applied "), "%s: %s", id, said[sdk.Final][id])
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		scores, err := client.Scores(ctx, project, b.Target)
		require.NoError(t, err)
		require.Equal(t, points*int64(len(said[sdk.Final])), scores.Of(info.ScoreType), "each applied once")
		t.Logf("%d queued, %d applied", len(said["queued"]), len(said[sdk.Final]))
	}
}
