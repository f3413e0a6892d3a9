package dev

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// described is a stack as far as it is described, with its API at url.
func described(t *testing.T, url string) *Stack {
	t.Helper()
	s := &Stack{
		Redis: "embedded", Lanes: 4, DataDir: "/somewhere/else",
		Options: Options{Confirmations: 2, BlockTime: time.Second},
		Info: devnet.Info{
			APIURL: url, APIURLs: []string{url}, AdminURLs: []string{"http://127.0.0.1:65534"}, APIKey: "scorelay_" + strings.Repeat("x", 12) + "_" + strings.Repeat("y", 49),
			RPCURL: "http://127.0.0.1:8545", ChainID: 1337, Contract: common.Address{1}.Hex(),
			NATSURL: "nats://127.0.0.1:65535", RedisURL: "redis://127.0.0.1:65535/0",
		},
	}
	s.Info.Demo(score.ProjectID{7})
	return s
}

func TestTheDescriptionFitsATerminal(t *testing.T) {
	t.Parallel()
	s := described(t, "http://127.0.0.1:65535")
	text := s.Description()
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 79, line)
	}
	require.True(t, strings.HasPrefix(text, "\n  page      http://127.0.0.1:65535/app "), "what people look at comes first")
	require.Contains(t, text, "a block every 1s)")
	require.Contains(t, text, "final     after 2 confirmations")
	require.Contains(t, text, "redis-server is missing")
	require.Contains(t, text, "/somewhere/else")

	s.Options.ChainRPC, s.Options.Confirmations, s.Redis = []string{"https://user:pass@rpc.example/v2/key?token=x"}, 0, "redis-server"
	s.Info.RPCURL = s.Options.ChainRPC[0]
	text = s.Description()
	require.Contains(t, text, "chain     1337, by --chain-rpc\n")
	require.NotContains(t, text, "rpc.example", "the URL may hold a key")
	require.NotContains(t, text, "a block every", "that is for an outside chain to know")
	require.Contains(t, text, "finalized tag")
	require.Contains(t, text, "(redis-server)")
}

// TestTheDescribedCommandsWork pastes them into a shell, in front of an API that looks at what comes.
func TestTheDescribedCommandsWork(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%v; .ci/run has both", err)
		}
	}
	type post struct {
		UpdateID, ProjectID, ActionName, ScoreType, TargetWallet, Message, Signature string
	}
	var got post
	var key, scores string
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch key = r.Header.Get("X-API-KEY"); {
		case r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/updates/"):
			asked++
			status := "accepted"
			if asked > 1 {
				status = "final"
			}
			_, _ = fmt.Fprintf(w, `{"updateId":%q,"status":%q}`, path.Base(r.URL.Path), status)
			return
		case r.Method == http.MethodGet:
			scores = r.URL.Path
			return
		}
		_ = json.NewDecoder(r.Body).Decode(&got)
	}))
	defer server.Close()
	s := described(t, server.URL)
	_, commands, _ := strings.Cut(s.Description(), "scorelay send.\n")
	commands, _, _ = strings.Cut(commands, "Other languages")
	out, err := exec.Command("bash", "-euc", commands).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, s.Info.APIKey, key)
	require.Equal(t, s.Info.ProjectID, got.ProjectID)
	require.Equal(t, "purchase", got.ActionName)
	require.Equal(t, "/projects/"+s.Info.ProjectID+"/scores/"+got.TargetWallet, scores)
	_, err = score.ParseUpdateID(got.UpdateID)
	require.NoError(t, err)
	signature, err := wallet.ParseSignature(common.FromHex(got.Signature))
	require.NoError(t, err)
	signer, err := signature.Recover(wallet.PersonalDigest(got.Message))
	require.NoError(t, err)
	require.Equal(t, devnet.Address(devnet.AccountUpdater), signer)
}

func TestAFolderIsNamedAsFromHere(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, ".scorelay", fromHere(filepath.Join(here, ".scorelay")))
	require.Equal(t, "/elsewhere", fromHere("/elsewhere"))
}
