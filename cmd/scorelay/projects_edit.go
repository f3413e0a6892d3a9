package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

type projectsEditCommand struct {
	apiFlags    `embed:""`
	domainFlags `embed:""`
	ID          string `arg:"" name:"project" help:"The projectId."`

	OwnerKey      app.Secret `name:"owner-key" env:"SCORELAY_OWNER_KEY" privatekey:"" placeholder:"KEY" help:"Raw key of the owner who signs; for development, and never as an argument."`
	OwnerKeystore string     `name:"owner-keystore" env:"SCORELAY_OWNER_KEYSTORE" placeholder:"FILE" help:"geth keystore file of the owner who signs, or description of a remote one (web3signer, AWS KMS)."`
	OwnerPassword string     `name:"owner-password-file" env:"SCORELAY_OWNER_PASSWORD_FILE" placeholder:"FILE" help:"File with the password of that keystore."`

	AddOwner      []string `name:"add-owner" placeholder:"WALLET" help:"Make a wallet an owner. Additions come before removals."`
	AddUpdater    []string `name:"add-updater" placeholder:"WALLET" help:"Make a wallet an updater."`
	AddAction     []string `name:"add-action" sep:"none" placeholder:"NAME=POINTS" help:"Add an action; with points below zero it subtracts."`
	AddScoreType  []string `name:"add-score-type" sep:"none" placeholder:"NAME" help:"Add a score type."`
	RemoveUpdater []string `name:"remove-updater" placeholder:"WALLET" help:"Remove a wallet's role as an updater."`
	RemoveOwner   []string `name:"remove-owner" placeholder:"WALLET" help:"Remove a wallet's role as an owner."`
	SignedOnly    *bool    `name:"signed-only" placeholder:"BOOL" help:"Whether the project takes updates in signed groups only (=true or =false)."`

	Valid time.Duration `name:"valid" default:"1h" help:"How long from now on a block may have the edit (${default}); at least a minute."`
	Await time.Duration `name:"wait" placeholder:"DURATION" help:"Wait this long, from its signature on, for the edit to be final, and fail if it is not, or was rejected."`
}

func (c *projectsEditCommand) Run(s signals) error {
	client, _, err := c.clientFor(&c.domainFlags)
	if err != nil {
		return err
	}
	return c.edit(s.drain, client, os.Stdout)
}

func (c *projectsEditCommand) edit(ctx context.Context, client *sdk.Client, out io.Writer) error {
	id, err := score.ParseProjectID(c.ID)
	if err != nil {
		return fmt.Errorf("the projectId %w", err)
	}
	edits, err := c.edits()
	if err != nil {
		return err
	}
	key, err := oneKey("owner", c.OwnerKey, c.OwnerKeystore, c.OwnerPassword)
	if err != nil {
		return err
	}
	next, err := client.NextEdit(ctx, id)
	if err != nil {
		return err
	}
	e := score.ProjectEdit{Project: id, Edits: edits, Nonce: next.Nonce, Deadline: uint64(time.Now().Add(c.Valid).Unix())}
	typed, err := next.Domain.EditTypedData(e)
	if err != nil {
		return err
	}
	signed, err := sdk.SignEdit(ctx, next.Domain, e, func(ctx context.Context, digest common.Hash) ([]byte, error) {
		return key.SignTyped(ctx, typed, digest)
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Await, c.Valid))
	defer cancel()
	err = sdk.Retry(ctx, func() error { _, err := client.EditProject(ctx, signed); return err })
	var refused *sdk.Error
	if errors.As(err, &refused) && refused.Status == http.StatusConflict && next.Waits {
		return fmt.Errorf("%w; an edit of the project is under way: run this again once it is final", err)
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "accepted: edit %d of project %s, signed by %s\n", e.Nonce, id, key.Address().Hex())
	if c.Await == 0 {
		return nil
	}
	state, err := client.EditFinal(ctx, id, e.Nonce)
	switch {
	case err != nil:
		return err
	case state.Outcome != score.Applied.String():
		return fmt.Errorf("the edit was rejected: %s: %s", state.Outcome, state.Reason)
	}
	_, _ = fmt.Fprintf(out, "final: %s\n", state.Outcome)
	return nil
}

// edits returns additions first, so that one command can replace an owner.
func (c *projectsEditCommand) edits() (edits []score.Edit, err error) {
	for _, of := range []struct {
		operation score.Operation
		texts     []string
	}{
		{score.AddOwner, c.AddOwner},
		{score.AddUpdater, c.AddUpdater},
		{score.AddAction, c.AddAction},
		{score.AddScoreType, c.AddScoreType},
		{score.RemoveUpdater, c.RemoveUpdater},
		{score.RemoveOwner, c.RemoveOwner},
	} {
		for _, text := range of.texts {
			edit, err := editOf(of.operation, text)
			if err != nil {
				return nil, fmt.Errorf("--%s: %q %w", strings.ReplaceAll(string(of.operation), " ", "-"), text, err)
			}
			edits = append(edits, edit)
		}
	}
	if c.SignedOnly != nil {
		operation := score.AllowUnsignedGroups
		if *c.SignedOnly {
			operation = score.RequireSignedGroups
		}
		edits = append(edits, score.Edit{Operation: operation})
	}
	if len(edits) == 0 {
		return nil, errors.New("say what to edit: --add-updater, --add-action, …; see --help")
	}
	return edits, nil
}

func editOf(operation score.Operation, text string) (edit score.Edit, err error) {
	edit.Operation = operation
	switch operation {
	case score.AddScoreType:
		edit.Name = text
	case score.AddAction:
		at := strings.LastIndexByte(text, '=')
		if at < 0 {
			return edit, errors.New("must be NAME=POINTS")
		}
		points, err := strconv.ParseInt(text[at+1:], 10, 33)
		if err != nil {
			return edit, errors.New("must end in =POINTS, an integer")
		}
		edit.Name = text[:at]
		if points < 0 {
			points, edit.Direction = -points, score.Subtract
		}
		edit.Points = uint32(points)
	default:
		edit.Member, err = wallet.ParseAddress(text)
	}
	return edit, err
}
