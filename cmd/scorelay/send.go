package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// sendTimeout bounds the retries of an update that nobody waits for.
const sendTimeout = time.Minute

type sendCommand struct {
	apiFlags    `embed:""`
	domainFlags `embed:""`
	Project     string `arg:"" optional:"" help:"The projectId; by default that of the demo project of a running 'scorelay dev'. Projects that take signed groups only refuse single updates."`

	Action    string `name:"action" placeholder:"NAME" help:"Name of the action; by default the project's first."`
	ScoreType string `name:"score-type" placeholder:"NAME" help:"Name of the score type; by default the project's first."`
	Target    string `name:"target" placeholder:"WALLET" help:"Wallet whose score changes; by default the one that signs."`
	ID        string `name:"id" placeholder:"ID" help:"The updateId; by default a new one. It counts once: to send the same update again is safe."`

	WalletKey      app.Secret `name:"wallet-key" env:"SCORELAY_WALLET_KEY" privatekey:"" placeholder:"KEY" help:"Raw key of the owner or updater who signs; for development, and never as an argument. By default that of an updater of the demo project."`
	WalletKeystore string     `name:"wallet-keystore" env:"SCORELAY_WALLET_KEYSTORE" placeholder:"FILE" help:"geth keystore file of the owner or updater who signs."`
	WalletPassword string     `name:"wallet-password-file" env:"SCORELAY_WALLET_PASSWORD_FILE" placeholder:"FILE" help:"File with the password of that keystore."`

	Await time.Duration `name:"wait" placeholder:"DURATION" help:"Wait this long for the update to be final; fail if it is not by then, or was not applied."`
}

func (c *sendCommand) Run(s signals) error {
	if c.API == "" { // a running `scorelay dev`
		info, err := c.running("--api")
		if err != nil {
			return err
		}
		c.Project = cmp.Or(c.Project, info.ProjectID)
		if c.WalletKey == "" && c.WalletKeystore == "" {
			c.WalletKey = app.Secret(info.UpdaterKey)
		}
	}
	return c.send(s.drain, os.Stdout)
}

// send signs the whole update if it knows the deployment, else only the time.
func (c *sendCommand) send(ctx context.Context, out io.Writer) error {
	if c.Project == "" {
		return errors.New("name the project whose score changes")
	}
	client, domain, err := c.clientFor(&c.domainFlags)
	if err != nil {
		return err
	}
	key, err := oneKey("wallet", c.WalletKey, c.WalletKeystore, c.WalletPassword)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Await, sendTimeout))
	defer cancel()
	update, err := c.update(ctx, client, key.Address())
	if err != nil {
		return err
	}
	var scheme sdk.Scheme
	if domain != (wallet.Domain{}) {
		scheme = sdk.EIP712(domain)
	}
	var duplicate bool
	err = sdk.Retry(ctx, func() (err error) {
		duplicate, err = client.UpdateScore(ctx, update, func(ctx context.Context, digest common.Hash) ([]byte, error) {
			return key.SignTyped(ctx, nil, digest)
		}, scheme)
		return err
	})
	if err != nil {
		return fmt.Errorf("update %s: %w", update.UpdateID, err)
	}
	if duplicate && c.ID != "" { // a new id is a duplicate only of an earlier try whose answer was lost
		_, _ = fmt.Fprintf(out, "duplicate: an update %s of project %s was accepted before; this one was dropped, also if it says something else\n",
			update.UpdateID, update.ProjectID)
	} else {
		_, _ = fmt.Fprintf(out, "accepted: update %s of project %s, %s in %s for %s, signed by %s\n", update.UpdateID, update.ProjectID,
			update.ActionName, update.ScoreType, update.TargetWallet.Hex(), key.Address().Hex())
	}
	if c.Await == 0 {
		return nil
	}
	statuses, err := client.UntilFinal(ctx, update.ProjectID, update.UpdateID)
	switch {
	case err != nil:
		return err
	case statuses[0].Outcome != score.Applied.String():
		return fmt.Errorf("the update is final, but was not applied: %s", statuses[0].Outcome)
	}
	_, _ = fmt.Fprintf(out, "final: the update accepted under this id was %s in block %d\n", statuses[0].Outcome, statuses[0].Block)
	return nil
}

// update returns the update of the flags. It asks the API for the project only if names are missing.
func (c *sendCommand) update(ctx context.Context, client *sdk.Client, signer common.Address) (u sdk.NamedUpdate, err error) {
	u = sdk.NamedUpdate{UpdateID: sdk.NewMinter().Next(), ActionName: c.Action, ScoreType: c.ScoreType, TargetWallet: signer}
	if u.ProjectID, err = score.ParseProjectID(c.Project); err != nil {
		return u, fmt.Errorf("the projectId %w", err)
	}
	if c.ID != "" {
		if u.UpdateID, err = score.ParseUpdateID(c.ID); err != nil {
			return u, fmt.Errorf("--id %w", err)
		}
	}
	if c.Target != "" {
		if u.TargetWallet, err = wallet.ParseAddress(c.Target); err != nil {
			return u, fmt.Errorf("--target %w", err)
		}
	}
	if u.ActionName != "" && u.ScoreType != "" {
		return u, nil
	}
	var project *sdk.ProjectState
	if err = sdk.Retry(ctx, func() (err error) { project, err = client.Project(ctx, u.ProjectID); return err }); err != nil {
		return u, fmt.Errorf("couldn't look up the project; --action and --score-type name what is missing: %w", err)
	}
	if len(project.InputActions) == 0 || len(project.ScoreTypes) == 0 {
		return u, errors.New("the project has no action or no score type; name them with --action and --score-type")
	}
	u.ActionName, u.ScoreType = cmp.Or(u.ActionName, project.InputActions[0].Name), cmp.Or(u.ScoreType, project.ScoreTypes[0])
	return u, nil
}
