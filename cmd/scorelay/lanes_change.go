package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

type changeFlags struct {
	natsFlags `embed:""`
	Until     bool `name:"wait" help:"Print progress until every bucket is where it shall be, and what a lane that leaves has sent is final. Ctrl-C ends the command, not the change."`
}

// change calls apply, which changes the roster and returns a sentence to print. With --wait, change then waits until
// the change is carried out. leaving is the lane that must settle; nil: none.
func (f *changeFlags) change(s signals, leaving *score.Lane, apply func(ctx context.Context, l *lanes) (said string, err error)) error {
	l, err := f.lanes(s.drain)
	if err != nil {
		return err
	}
	defer l.close()
	said, err := apply(s.drain, l)
	if err != nil {
		return err
	}
	fmt.Println(said)
	if !f.Until {
		return nil
	}
	return l.await(s.drain, leaving, os.Stdout)
}

type newSignerFlags struct {
	chainFlags    `embed:""`
	finalityFlags `embed:""`
	deployerFlags `embed:""`
	Signer        string `name:"signer" required:"" placeholder:"ADDRESS" help:"Address of the new lane's signer. Its key goes into a relayer's keystore, before or after."`
}

// prepare verifies that the signer has funds and a final relayer role, and returns its address. If the deployer's key
// is given, prepare grants a missing role.
func (f *newSignerFlags) prepare(ctx context.Context, n *natsFlags) (common.Address, error) {
	address, err := parseAddress("--signer", f.Signer)
	if err != nil {
		return address, err
	}
	log := commandLog()
	_, opened, closeNATS, err := n.open(ctx, log)
	if err != nil {
		return address, err
	}
	defer closeNATS()
	d := opened.Deployment()
	f.finalTag = f.Finality
	client, err := f.dial(ctx, n.devDir, log)
	if err != nil {
		return address, err
	}
	defer client.Close()
	connecting, cancel := context.WithTimeout(ctx, n.Wait)
	defer cancel()
	if err := (app.Connector{Log: log}).VerifyChain(connecting, client, d); err != nil {
		return address, err
	}
	var admin chain.TxSigner
	if f.deployerFlags.given() {
		key, err := f.deployer()
		if err != nil {
			return address, err
		}
		admin = key.For(d.ChainID)
	}
	return address, app.PrepareSigner(ctx, client, admin, d.Contract, address, f.confirmations(n.devDir), log)
}

type lanesAddCommand struct {
	changeFlags    `embed:""`
	newSignerFlags `embed:""`
}

// Run can be repeated.
func (c *lanesAddCommand) Run(s signals) error {
	address, err := c.prepare(s.drain, &c.natsFlags)
	if err != nil {
		return err
	}
	return c.change(s, nil, func(ctx context.Context, l *lanes) (string, error) { return l.add(ctx, address) })
}

func (l *lanes) add(ctx context.Context, signer common.Address) (said string, err error) {
	known, err := l.store.Update(ctx, func(r roster.Roster) (roster.Roster, error) {
		r, id, err := r.Add(signer)
		if err == nil {
			err = l.unused(ctx, id, signer)
		}
		return r, err
	})
	is, _ := known.BySigner(signer)
	return fmt.Sprintf("lane %d of %s shall own %d buckets; a relayer that has its key drives it",
		is.ID, signer, len(known.Wanted(is.ID))), err
}

// unused returns an error if a new lane's journal is another signer's. In this case the roster may be an older copy
// that lacks the lane.
func (l *lanes) unused(ctx context.Context, id score.Lane, signer common.Address) error {
	state, _, err := l.journals.State(ctx, id)
	if err == nil && state.Epoch > 0 && state.Identity.Signer != signer {
		err = fmt.Errorf("lane %d has a journal already, of signer %s: the roster was restored from an older copy and has forgotten it; "+
			"run `scorelay lanes add --signer %s` first", id, state.Identity.Signer, state.Identity.Signer)
	}
	return err
}

// laneNumber is canonical decimal, since forms such as 0x1 or 010 may be typing errors.
type laneNumber score.Lane

func (l *laneNumber) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 16)
	if err != nil || strconv.FormatUint(n, 10) != string(text) {
		return fmt.Errorf("a lane is a decimal number up to %d, not %q", math.MaxUint16, text)
	}
	*l = laneNumber(n)
	return nil
}

type lanesRemoveCommand struct {
	changeFlags `embed:""`
	Lane        laneNumber `arg:"" help:"Number of the lane."`
}

// Run can be repeated.
func (c *lanesRemoveCommand) Run(s signals) error {
	id := score.Lane(c.Lane)
	return c.change(s, &id, func(ctx context.Context, l *lanes) (string, error) { return l.remove(ctx, id) })
}

func (l *lanes) remove(ctx context.Context, id score.Lane) (said string, err error) {
	driven, err := l.driven(ctx, id)
	if err != nil {
		return "", err
	}
	known, err := l.store.Update(ctx, func(r roster.Roster) (roster.Roster, error) { return r.Remove(id, driven) })
	is, _ := known.Lane(id)
	if is.State == roster.Cut {
		return fmt.Sprintf("lane %d of %s was never driven; any relayer drives it without its key until it is gone", id, is.Signer), err
	}
	return fmt.Sprintf("lane %d of %s is %s; keep its key in a relayer and its role on the contract until it is gone", id, is.Signer, is.State), err
}

// driven reports whether a lane ever had a session.
func (l *lanes) driven(ctx context.Context, id score.Lane) (bool, error) {
	last, err := l.journals.Last(ctx, id)
	return last > 0, err
}

type lanesReplaceCommand struct {
	changeFlags    `embed:""`
	newSignerFlags `embed:""`
	Lane           laneNumber `arg:"" help:"Number of the lane whose signer is replaced."`
}

// Run can be repeated.
func (c *lanesReplaceCommand) Run(s signals) error {
	address, err := c.prepare(s.drain, &c.natsFlags)
	if err != nil {
		return err
	}
	id := score.Lane(c.Lane)
	return c.change(s, &id, func(ctx context.Context, l *lanes) (string, error) { return l.replace(ctx, id, address) })
}

func (l *lanes) replace(ctx context.Context, id score.Lane, signer common.Address) (said string, err error) {
	driven, err := l.driven(ctx, id)
	if err != nil {
		return "", err
	}
	known, err := l.store.Update(ctx, func(r roster.Roster) (roster.Roster, error) {
		r, next, err := r.Replace(id, signer, driven)
		if err == nil {
			err = l.unused(ctx, next, signer)
		}
		return r, err
	})
	is, _ := known.BySigner(signer)
	return fmt.Sprintf("lane %d of %s takes over from lane %d; keep the key of lane %d in a relayer and its role on the contract until it is gone",
		is.ID, signer, id, id), err
}

type lanesCutCommand struct {
	changeFlags `embed:""`
	Lane        laneNumber `arg:"" help:"Number of the lane."`
	Dead        bool       `name:"dead" help:"Also declare that what the lane has sent and is not final never will be, since its role was revoked or its funds are gone: other lanes send it again. It cannot be taken back. If it is final all the same, the contract applies nothing twice."`
}

// Run can be repeated.
func (c *lanesCutCommand) Run(s signals) error {
	id := score.Lane(c.Lane)
	return c.change(s, &id, func(ctx context.Context, l *lanes) (string, error) { return l.cut(ctx, id, c.Dead) })
}

// cut marks a lane as cut, then fences off a session that may still have the key.
func (l *lanes) cut(ctx context.Context, id score.Lane, dead bool) (said string, err error) {
	known, err := l.store.Update(ctx, func(r roster.Roster) (roster.Roster, error) { return r.Cut(id, dead) })
	if err != nil {
		return "", err
	}
	is, _ := known.Lane(id)
	said = fmt.Sprintf("lane %d of %s is cut; any relayer drives it without its key. Do not revoke its role before what it sent is final, "+
		"unless you then run the command again with --dead", id, is.Signer)
	if dead {
		said = fmt.Sprintf("lane %d of %s is cut and dead: other lanes send again what of it is not final", id, is.Signer)
	}
	_, err = appendAsOperator(ctx, l.journals, id, func(*lane.State) ([]lane.Entry, error) { return nil, nil })
	if errors.Is(err, errNeverDriven) { // the lane's first session will read that it is cut
		err = nil
	}
	return said, err
}

const awaitEvery = 2 * time.Second

// await prints progress until every bucket is with its desired owner, every handoff is accepted and the leaving lane
// has no pending transactions or queued work.
func (l *lanes) await(ctx context.Context, leaving *score.Lane, out io.Writer) error {
	tick := time.NewTicker(awaitEvery)
	defer tick.Stop()
	told := ""
	for {
		documents, misplaced, err := l.documents(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("stopped waiting, the change continues: %w", ctx.Err())
		}
		if err != nil {
			return err
		}
		handovers := 0
		for i := range documents {
			handovers += documents[i].Handovers
		}
		done, now := misplaced+handovers == 0, fmt.Sprintf("buckets to hand over: %d, handovers not taken: %d", misplaced, handovers)
		if leaving != nil {
			d := documents[*leaving]
			done = done && d.OpenSlots == 0 && d.Queue == 0
			now += fmt.Sprintf("; lane %d: open slots %d, queue %d", d.Lane, d.OpenSlots, d.Queue)
		}
		for _, d := range documents {
			if d.Driver == "" && (d.Wanted > 0 || d.Buckets > 0 || d.OpenSlots > 0) {
				now += fmt.Sprintf("; no relayer drives lane %d", d.Lane)
			}
		}
		if now != told {
			_, _ = fmt.Fprintln(out, now)
			told = now
		}
		if done {
			_, _ = fmt.Fprintln(out, "done")
			return nil
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}
