package sdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/scorelay/scorelay/pkg/sdk"
)

// Of a deployment: its operator gives out the key and names the contract; the project's owner made the wallet an updater.
const (
	apiKey     = "scorelay_0123456789ab_secret"
	updaterKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
	projectID  = "0x5a00000000000000000000000000000000000000000000000000000000000001"
	player     = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
	contract   = "0x5fbdb2315678afecb367f032d93f642f64180aa3"
)

// A backend sends an update under an id of its own until it is accepted, and waits until it counts. README.md shows the part after the set-up.
func Example() {
	deployment := stub()
	defer deployment.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	url := deployment.URL // https://scorelay.example.com
	key, err := sdk.ParseKey(updaterKey)
	check(err)
	project, err := sdk.ParseProjectID(projectID)
	check(err)
	wallet, err := sdk.ParseAddress(player)
	check(err)

	client := sdk.NewClient(url, apiKey, nil)
	ids := sdk.NewMinter() // counts up: one per project and process
	update := sdk.NamedUpdate{UpdateID: ids.Next(), ProjectID: project, ActionName: "win", ScoreType: "reputation", TargetWallet: wallet}
	err = sdk.Retry(ctx, func() error { // the same id each time
		_, err := client.UpdateScore(ctx, update, sdk.KeySigner(key))
		return err
	})
	check(err) // an *sdk.Error is a refusal for good
	statuses, err := client.UntilFinal(ctx, project, update.UpdateID)
	check(err)
	fmt.Println(statuses[0].Stage, statuses[0].Outcome)
	// Output: final applied
}

// Many updates of one project go in groups under one signature each, which the contract checks.
func ExampleBuildGroups() {
	deployment := stub()
	defer deployment.Close()
	ctx := context.Background()

	address, err := sdk.ParseAddress(contract)
	check(err)
	domain := sdk.NewDomain(1337, address) // of the backend's own configuration, not what the API says
	client := sdk.NewClient(deployment.URL, apiKey, nil).Expecting(domain)
	key, err := sdk.ParseKey(updaterKey)
	check(err)
	id, err := sdk.ParseProjectID(projectID)
	check(err)
	project, err := client.Project(ctx, id)
	check(err)
	win, _ := project.ActionIndex("win")
	reputation, _ := project.ScoreTypeIndex("reputation")

	updates := make([]sdk.Update, 100)
	ids, err := sdk.NewMinter().Range(len(updates)) // which share a word of the contract's memory
	check(err)
	for i := range updates {
		updates[i] = sdk.Update{UpdateID: ids.At(i), TargetWallet: sdk.Address{19: byte(i + 1)}, Action: win, ScoreType: reputation}
	}
	groups, err := sdk.BuildGroups(id, updates)
	check(err)
	for _, group := range groups {
		signed, err := group.Sign(ctx, domain, sdk.KeySigner(key))
		check(err)
		var stored int
		check(sdk.Retry(ctx, func() (err error) {
			stored, _, err = client.UpdateScores(ctx, signed)
			return err
		}))
		fmt.Println(stored, "updates accepted")
	}
	// Output: 100 updates accepted
}

// A sender takes updates at any time, keeps them on disk, and sends them when it can.
func ExampleSender() {
	deployment := stub()
	defer deployment.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	key, err := sdk.ParseKey(updaterKey)
	check(err)
	project, err := sdk.ParseProjectID(projectID)
	check(err)
	target, err := sdk.ParseAddress(player)
	check(err)
	folder, err := os.MkdirTemp("", "backend-") // a backend's own, which outlives the process
	check(err)
	defer func() { _ = os.RemoveAll(folder) }()

	sender, err := sdk.NewSender(sdk.NewClient(deployment.URL, apiKey, nil), sdk.SenderOptions{
		Project: project, Sign: sdk.KeySigner(key), Spool: filepath.Join(folder, "updates"),
		Report: func(r sdk.Report) { fmt.Println(r.Stage, r.Update.ActionName) },
	})
	check(err)
	_, err = sender.Enqueue(ctx, sdk.NamedUpdate{ActionName: "win", ScoreType: "reputation", TargetWallet: target})
	check(err) // it is on the disk
	unsent, err := sender.Close(ctx)
	check(err)
	fmt.Println(len(unsent), "unsent")
	// Output:
	// accepted win
	// 0 unsent
}

// Ids that share their first 31 bytes cost a fraction of what random ones cost.
func ExampleMinter() {
	minter := sdk.NewMinter()
	first, second := minter.Next(), minter.Next()
	fmt.Println(first.Word() == second.Word(), second.Low()-first.Low())
	// Output: true 1
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// stub stands for a deployment that accepts everything, and whose chain is fast.
func stub() *httptest.Server {
	mux := http.NewServeMux()
	answer := func(pattern string, body any) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(body) })
	}
	answer("POST /update-score", map[string]any{"status": "accepted"})
	answer("POST /update-scores", map[string]any{"status": "accepted", "accepted": 100, "duplicates": []string{}})
	answer("POST /look-up-updates", map[string]any{"updates": []map[string]any{{"status": "final", "outcome": "applied"}}})
	answer("GET /projects/"+projectID, map[string]any{
		"status": "final", "projectId": projectID, "scoreTypes": []string{"reputation"},
		"inputActions": []map[string]any{{"name": "win", "points": 5, "direction": 0}},
		"signing":      map[string]any{"name": "Scorelay", "version": "1", "chainId": 1337, "verifyingContract": contract},
	})
	return httptest.NewServer(mux)
}
