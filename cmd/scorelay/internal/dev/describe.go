package dev

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Lines fit 79 columns; the shell joins those that end in a backslash.
var description = template.Must(template.New("").Parse(`
  page      {{.Info.APIURL}}/app (sign in with the API key)
  API       {{.Info.APIURL}}
  operators {{index .Info.AdminURLs 0}}/ops (sign in with the same key)
  chain     {{if .BlockTime}}{{.Info.RPCURL}} (chain id {{.Info.ChainID}}, a block every {{.BlockTime}}){{else}}{{.Info.ChainID}}, by --chain-rpc{{end}}
  final     after {{.Finality}}
  contract  {{.Info.Contract}}
  project   {{.Info.ProjectID}}
  actions   {{.Actions}}; score type {{.Info.ScoreType}}
  NATS      {{.Info.NATSURL}} (every write synced)
  Redis     {{.Info.RedisURL}} ({{.RedisKind}})
  lanes     {{.Lanes}}
  kept in   {{.DataDir}}
            (dev.json for clients, logs; the next start continues from it)

To send an update, await its final block and read the score, paste this into a
shell. The signature is good for five minutes; the updateId counts once. For
more updates: docs/examples/update.sh, or go run ./cmd/scorelay send.

api={{.Info.APIURL}}
key={{.Info.APIKey}}
project={{.Info.ProjectID}}
update={{.UpdateID}}
curl --fail-with-body -sSw '\n' $api/update-score -H "X-API-KEY: $key" \
  -H 'Content-Type: application/json' -d @- <<END &&
{"projectId":"$project",
 "actionName":"{{index .Info.Actions 0}}","scoreType":"{{.Info.ScoreType}}",
 "updateId":"$update",
 "targetWallet":"{{.Target}}",
 "message":"{{.Message}}","signature":"\
{{.SignatureHead}}\
{{.SignatureTail}}"}
END
until curl -s -H "X-API-KEY: $key" $api/projects/$project/updates/$update |
  grep -q '"final"'; do sleep 1; done &&
curl -sSw '\n' -H "X-API-KEY: $key" \
  $api/projects/$project/scores/{{.Target}}

Other languages, and what updateIds cost: README.md, docs/ids.md.
Every route: {{.Info.APIURL}}/docs
Ctrl-C ends everything.

`))

func (s *Stack) Description() string {
	message := strconv.FormatInt(time.Now().UnixMilli(), 10)
	signed, _ := crypto.Sign(wallet.PersonalDigest(message).Bytes(), devnet.Key(devnet.AccountUpdater))
	signature := hexutil.Encode(signed)
	finality := "the chain's finalized tag has passed it"
	if n := s.Options.Confirmations; n > 0 {
		finality = units(float64(n), "confirmation")
	}
	redis := s.Redis
	if redis == "embedded" {
		redis = "in memory: redis-server is missing"
	}
	blockTime := ""
	if len(s.Options.ChainRPC) == 0 {
		blockTime = s.Options.BlockTime.String()
	}
	half, word := len(signature)/2, randomWord()
	var out strings.Builder
	err := description.Execute(&out, map[string]any{
		"Info": s.Info, "BlockTime": blockTime, "Finality": finality, "Actions": strings.Join(s.Info.Actions, ", "),
		"RedisKind": redis, "Lanes": s.Lanes, "DataDir": fromHere(s.DataDir),
		"UpdateID": sdk.NewMinter().Next(), "Target": common.BytesToAddress(word[:]).Hex(), "Message": message,
		"SignatureHead": signature[:half], "SignatureTail": signature[half:],
	})
	if err != nil {
		return fmt.Sprintf("(couldn't describe the stack: %v)\n", err)
	}
	return out.String()
}

// fromHere shortens a path inside the working directory, and returns other paths unchanged.
func fromHere(path string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(here, path); err == nil && len(short) < len(path) && filepath.IsLocal(short) {
		return short
	}
	return path
}
