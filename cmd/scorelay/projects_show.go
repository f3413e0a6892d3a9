package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/status"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

type projectsShowCommand struct {
	natsFlags  `embed:""`
	chainFlags `embed:""`

	Project score.ProjectID `arg:"" placeholder:"0x…" help:"The project's id."`
	JSON    bool            `name:"json" help:"Print a JSON document."`
}

// projectDocument is a project by its final events, compared with the contract.
type projectDocument struct {
	ProjectID  score.ProjectID  `json:"projectId"`
	Name       string           `json:"name"`
	Actions    []score.Action   `json:"actions"` // by index; among actions with the same name, the last is valid
	ScoreTypes []string         `json:"scoreTypes"`
	Owners     []common.Address `json:"owners"`
	Updaters   []common.Address `json:"updaters"`
	SignedOnly bool             `json:"signedOnly"`
	Directory  uint64           `json:"directoryBlock"` // newest block that the directory has read

	CreatedBlock uint64   `json:"createdBlock"`
	EditNonce    uint64   `json:"editNonce"`     // of the next edit by signature, at block Contract
	Contract     uint64   `json:"contractBlock"` // the newest block
	Differs      []string `json:"differs"`       // on the contract, made by edits that the directory lacks
}

func (c *projectsShowCommand) Run(s signals) error {
	log := commandLog()
	js, opened, closeNATS, err := c.open(s.drain, log)
	if err != nil {
		return err
	}
	defer closeNATS()
	client, err := c.dial(s.drain, c.devDir, log)
	if err != nil {
		return err
	}
	defer client.Close()
	projects, err := kv.OpenProjects(s.drain, js)
	if err != nil {
		return err
	}
	doc, err := readProject(s.drain, projects, client, opened.Deployment().Contract, c.Project)
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(doc)
	}
	return doc.write(os.Stdout)
}

// readProject reads the directory before the contract, so the contract's state is at least as new.
func readProject(ctx context.Context, projects *kv.Projects, client *chain.Client, contract common.Address, id score.ProjectID) (*projectDocument, error) {
	followed, _, err := projects.Followed(ctx)
	if err != nil {
		return nil, err
	}
	record, err := projects.Dated(ctx, id)
	if err != nil {
		return nil, err
	}
	head, err := client.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the newest block: %w", err)
	}
	info, err := registry.ReadProject(id).Do(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
		return client.Call(ctx, evidence.Call{To: contract, Data: data}, head.Hash)
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("couldn't read the project from the contract: %w", err)
	case record.Record == nil && info.Exists():
		return nil, fmt.Errorf("the contract has the project; the directory, which follows final blocks, is at block %d and does not have it yet", followed.Block)
	case record.Record == nil:
		return nil, errors.New("neither the directory nor the contract has a project of this id; GET /projects/{projectId} of the API tells of a creation that waits")
	}
	doc := &projectDocument{
		ProjectID: id, Name: record.Name, Actions: record.Actions, ScoreTypes: record.ScoreTypes, Owners: record.MembersOf(score.Owner),
		Updaters: record.MembersOf(score.Updater), SignedOnly: record.SignedOnly, Directory: followed.Block,
		CreatedBlock: record.Created, EditNonce: info.EditNonce, Contract: head.Number, Differs: []string{},
	}
	differs := func(what string, contract, directory any) {
		if contract != directory {
			doc.Differs = append(doc.Differs, fmt.Sprintf("%s: %v on the contract, %v in the directory", what, contract, directory))
		}
	}
	differs("actions", int(info.Actions), len(record.Actions))
	differs("score types", int(info.ScoreTypes), len(record.ScoreTypes))
	differs("owners", int(info.Owners), len(doc.Owners))
	differs("signed-only", info.SignedOnly, record.SignedOnly)
	return doc, nil
}

// write replaces the control characters that owners may put into names.
func (d *projectDocument) write(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(table, format+"\n", args...) }
	line("project\t%s", d.ProjectID)
	line("name\t%s", status.Printable(d.Name))
	line("created\tin block %d", d.CreatedBlock)
	line("signed-only\t%s", map[bool]string{true: "yes", false: "no"}[d.SignedOnly])
	line("edit nonce\t%d", d.EditNonce)
	line("read\tfrom the directory as of block %d, from the contract as of block %d", d.Directory, d.Contract)
	for _, differs := range d.Differs {
		line("differs\t%s", differs)
	}
	record := score.Record{Actions: d.Actions}
	for i, a := range d.Actions {
		replaced := ""
		if valid, _ := record.ActionIndex(a.Name); int(valid) != i {
			replaced = fmt.Sprintf(", replaced by action %d", valid)
		}
		line("action %d\t%s: %+d%s", i, status.Printable(a.Name), a.Delta(), replaced)
	}
	for i, name := range d.ScoreTypes {
		line("score type %d\t%s", i, status.Printable(name))
	}
	for _, member := range d.Owners {
		line("owner\t%s", member)
	}
	for _, member := range d.Updaters {
		line("updater\t%s", member)
	}
	return table.Flush()
}
