package dev

import (
	"fmt"
	"io"
	"path/filepath"
	"text/template"
	"time"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/load"
	"github.com/scorelay/scorelay/pkg/devnet"
)

// description is what people see when a stack is up. The curl command holds a signature made now; the script signs for
// itself.
var description = template.Must(template.New("").Parse(`
Scorelay is up.

  API       {{range $i, $url := .Info.APIURLs}}{{if $i}}, {{end}}{{$url}}{{end}}
  API key   {{.Info.APIKey}}
  chain     {{.Info.RPCURL}} (chain id {{.Info.ChainID}}{{if .OwnChain}}, a block every {{.BlockTime}}{{end}}), final after {{.Finality}}
  contract  {{.Info.Contract}}
  NATS      {{.Info.NATSURL}} (JetStream in files, every write synced)
  Redis     {{.Info.RedisURL}} ({{.RedisKind}})
  relayers  {{.Relayers}}, sharing {{.Lanes}} lanes
  project   {{.Info.ProjectID}}
            actions{{range .Info.Actions}} {{.}}{{end}}; score type {{.Info.ScoreType}}
  state     {{.DataDir}}: all of this in dev.json, logs in logs/

Send an update with curl (the signature is good for five minutes; each updateId counts once; this one is random,
who sends many counts ids up, which costs a fraction of the gas: docs/ids.md):

  curl -s {{.Info.APIURL}}/update-score \
    -H 'Content-Type: application/json' -H 'X-API-KEY: {{.Info.APIKey}}' \
    -d '{"updateId":"{{.UpdateID}}",
         "projectId":"{{.Info.ProjectID}}",
         "actionName":"{{index .Info.Actions 0}}","scoreType":"{{.Info.ScoreType}}",
         "targetWallet":"{{.Target}}",
         "message":"{{.Message}}",
         "signature":"{{.Signature}}"}'

  curl -s {{.Info.APIURL}}/projects/{{.Info.ProjectID}}/scores/{{.Target}} \
    -H 'X-API-KEY: {{.Info.APIKey}}'

The same from a backend with web3.js (npm install web3, save as score.mjs, node score.mjs):

  import { Web3 } from "web3";
  const web3 = new Web3();
  const message = Date.now().toString();
  const { signature } = web3.eth.accounts.sign(message, "{{.Info.UpdaterKey}}");
  const response = await fetch("{{.Info.APIURL}}/update-score", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-KEY": "{{.Info.APIKey}}" },
    body: JSON.stringify({
      updateId: web3.utils.randomHex(32), // one-off; many updates: count up, docs/ids.md
      projectId: "{{.Info.ProjectID}}",
      actionName: "{{index .Info.Actions 0}}",
      scoreType: "{{.Info.ScoreType}}",
      targetWallet: "{{.Target}}",
      signature,
      message,
    }),
  });
  console.log(response.status, await response.json());

Ctrl-C ends everything.

`))

// Describe writes what was started and how to use it.
func (s *Stack) Describe(out io.Writer) {
	message, signature, err := load.NewWallet(devnet.Key(accountUpdater)).Sign(time.Now())
	if err != nil {
		signature = err.Error()
	}
	finality := "the chain's finalized tag"
	if n := s.Options.Confirmations; n > 0 {
		finality = fmt.Sprintf("%d confirmations", n)
	}
	redis := s.Redis
	if redis == "embedded" {
		redis = "embedded, in memory: redis-server is not installed"
	}
	dataDir, err := filepath.Abs(s.Options.DataDir)
	if err != nil {
		dataDir = s.Options.DataDir
	}
	_ = description.Execute(out, map[string]any{
		"Info": s.Info, "OwnChain": len(s.Options.ChainRPC) == 0, "BlockTime": s.Options.BlockTime, "Finality": finality,
		"RedisKind": redis, "Relayers": s.Options.Relayers, "Lanes": s.Options.Lanes, "DataDir": dataDir,
		"UpdateID": load.RandomID(), "Target": s.Place.Targets[0].Hex(), "Message": message, "Signature": signature,
	})
}
