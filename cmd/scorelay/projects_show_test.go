package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestProjectsShow shows a project from a real directory and a real contract, before the directory knows it, and after an edit that
// it does not know yet.
func TestProjectsShow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, projects, _ := deployment(t)
	node := fresh.NewChain(t)
	client, err := chain.Dial(ctx, chain.Config{URLs: []string{node.URL}, Timeout: time.Minute}, commandLog(), prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	owner := devnet.Address(0)
	contract := fresh.Transact(t, node, 0, nil, registry.DeployData(0, owner, []common.Address{owner})).ContractAddress
	p := &score.Project{
		ID: score.ProjectID{5}, Name: "Ac\u202eme \u00fc", ScoreTypes: []string{"reputation"}, Owners: []common.Address{owner}, Updaters: []common.Address{{9}},
		Actions: []score.Action{{Name: "buy", Points: 5}, {Name: "burn", Points: 7, Direction: score.Subtract}},
	}
	_, err = readProject(ctx, projects, client, contract, p.ID)
	require.ErrorContains(t, err, "neither the directory nor the contract")
	fresh.Transact(t, node, 0, &contract, registry.EncodeCreateProject(p))
	_, err = readProject(ctx, projects, client, contract, p.ID)
	require.ErrorContains(t, err, "the contract has the project; the directory, which follows final blocks, is at block 0")

	revision, err := projects.SetFollowed(ctx, 0, score.Followed{ChainID: devnet.ChainID, Contract: contract, Block: 2, Hash: common.Hash{1}})
	require.NoError(t, err)
	record := score.RecordOf(p)
	require.NoError(t, projects.Put(ctx, revision, score.DatedRecord{Record: record, Created: 2, Block: 2}))
	again := score.Action{Name: "buy", Points: 50}
	fresh.Transact(t, node, 0, &contract, calls.AddAction(p.ID, again))
	doc, err := readProject(ctx, projects, client, contract, p.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"actions: 3 on the contract, 2 in the directory"}, doc.Differs)
	require.Equal(t, []uint64{2, 2, 3, 0}, []uint64{doc.Directory, doc.CreatedBlock, doc.Contract, doc.EditNonce})

	record.Actions = append(record.Actions, again)
	require.NoError(t, projects.Put(ctx, revision, score.DatedRecord{Record: record, Created: 2, Block: 3}))
	doc, err = readProject(ctx, projects, client, contract, p.ID)
	require.NoError(t, err)
	require.Empty(t, doc.Differs)
	var out strings.Builder
	require.NoError(t, doc.write(&out))
	require.Equal(t, `project       `+p.ID.String()+`
name          Ac`+"\ufffd"+`me ü
created       in block 2
signed-only   no
edit nonce    0
read          from the directory as of block 2, from the contract as of block 3
action 0      buy: +5, replaced by action 2
action 1      burn: -7
action 2      buy: +50
score type 0  reputation
owner         `+owner.String()+`
updater       0x0900000000000000000000000000000000000000
`, out.String())
	raw, err := json.Marshal(doc)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"editNonce":0,"contractBlock":3,"differs":[]`)
}
