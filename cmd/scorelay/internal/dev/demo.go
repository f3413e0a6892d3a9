package dev

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

const (
	// A demo may take demoPatience plus demoPerUpdate per update.
	demoPatience  = 5 * time.Minute
	demoPerUpdate = 20 * time.Millisecond
	auditPatience = 90 * time.Second

	demoTargets  = 100
	demoBatch    = 100  // updates, of which one is sent twice
	demoRequests = 42   // concurrent ones per sender
	usedPerCall  = 1000 // ids per call of the contract
)

// Demo uses the SDK as a backend does. It sends half of the updates one by one and half in signed groups. One in a
// hundred it also sends a second time, concurrently with the first.
type Demo struct {
	planned int

	mu       sync.Mutex
	accepted map[score.UpdateID]time.Time // of an update's first HTTP 200
	repeated int                          // later ones
	refused  map[score.UpdateID]bool
	applied  map[score.UpdateID]finalEvent
	rejected map[score.UpdateID]finalEvent
}

type finalEvent struct {
	arrived time.Time
	block   uint64
}

func NewDemo(updates int) *Demo {
	return &Demo{
		planned: updates, accepted: map[score.UpdateID]time.Time{}, refused: map[score.UpdateID]bool{},
		applied: map[score.UpdateID]finalEvent{}, rejected: map[score.UpdateID]finalEvent{},
	}
}

// Run sends the updates and waits until each with HTTP 200 is final. Then it audits, and checks that the contract has
// used the ids of all these updates. With an error, the summary contains the results so far.
func (d *Demo) Run(user context.Context, s *Stack) (*Summary, error) {
	ctx, cancel := s.patient(user, demoPatience+time.Duration(d.planned)*demoPerUpdate)
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	var follower sync.WaitGroup
	defer follower.Wait()
	defer fail(nil)
	following := make(chan struct{})
	follower.Go(func() { fail(d.follow(ctx, s, sync.OnceFunc(func() { close(following) }))) })
	select {
	case <-following: // so that no event is missed
	case <-ctx.Done():
		return d.summary(), fmt.Errorf("couldn't follow the project's events: %w", context.Cause(ctx))
	}
	began := time.Now()
	before, unread := s.stats(ctx, began)
	err := d.send(ctx, s)
	sending := time.Since(began)
	every := 50*time.Millisecond + time.Duration(d.planned)*time.Microsecond // a summary takes its time
	for err == nil && d.summary().waiting() > 0 {
		err = retry.Sleep(ctx, every)
	}
	total := time.Since(began)
	result := func() *Summary {
		r := d.summary()
		r.acceptedPer, r.perSecond = float64(r.accepted)/sending.Seconds(), float64(r.applied)/total.Seconds()
		return r
	}
	if r := result(); err != nil {
		r.interrupted = user.Err() != nil
		return r, fmt.Errorf("stopped waiting for updates to become final: %w", errors.Join(context.Cause(ctx), err))
	}
	gas := 0
	if unread == nil {
		gas = s.gas(ctx, began, before, d.summary().applied)
	}
	findings, err := s.Auditor.Await(ctx, auditPatience)
	r := result() // again, since a reorg may have voided events
	r.settled, r.gas = r.waiting() == 0, gas
	if err != nil {
		return r, err
	}
	missing, err := d.notUsed(ctx, s, findings.Hash)
	if err != nil {
		return r, err
	}
	r.audit(findings, missing)
	return r, nil
}

type stats struct{ updates, gas uint64 }

// stats returns the project's totals since the day before a time.
func (s *Stack) stats(ctx context.Context, at time.Time) (sum stats, err error) {
	read, err := s.api(1).Stats(ctx, s.Project, at.AddDate(0, 0, -1), at.AddDate(0, 0, 7))
	if err != nil {
		return sum, err
	}
	for _, day := range read.Days {
		sum.updates, sum.gas = sum.updates+day.Applied, sum.gas+day.Gas
	}
	return sum, nil
}

// gas returns the gas of an applied update. Statistics follow the events soon; if they don't, it returns 0.
func (s *Stack) gas(ctx context.Context, began time.Time, before stats, applied int) (each int) {
	_ = retry.Do(ctx, 100, 100*time.Millisecond, func() error {
		now, err := s.stats(ctx, began)
		if err == nil && now.updates < before.updates+uint64(applied) {
			err = errors.New("the statistics are behind the events")
		}
		if err == nil && applied > 0 {
			each = int(now.gas-before.gas) / applied
		}
		return err
	})
	return each
}

// follow records the project's final events until ctx ends. It calls opened when the stream is open.
func (d *Demo) follow(ctx context.Context, s *Stack, opened func()) error {
	options := sdk.EventOptions{After: sdk.Now, Moved: func(string) { opened() }}
	for e, err := range s.api(1).Events(ctx, s.Project, options) {
		if err != nil {
			return err
		}
		d.event(e)
	}
	return nil
}

func (d *Demo) event(e sdk.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch data := e.Data.(type) {
	case *sdk.RewindData:
		replaced := func(_ score.UpdateID, f finalEvent) bool { return f.block > data.Block }
		maps.DeleteFunc(d.applied, replaced)
		maps.DeleteFunc(d.rejected, replaced)
	case *sdk.UpdateData:
		switch e.Type {
		case "update.applied":
			d.applied[data.UpdateID] = finalEvent{time.Now(), data.Block}
		case "update.rejected":
			d.rejected[data.UpdateID] = finalEvent{time.Now(), data.Block}
		}
	}
}

// send returns once the API has accepted or refused each update, or ctx has ended.
func (d *Demo) send(ctx context.Context, s *Stack) error {
	var senders []*sdk.Sender
	for _, of := range []struct {
		signer int
		groups sdk.Domain
	}{{signer: devnet.AccountUpdater}, {devnet.AccountUpdater2, s.Info.Domain()}, {signer: devnet.AccountUpdater3}} {
		sender, err := sdk.NewSender(s.api(demoRequests), sdk.SenderOptions{
			Project: s.Project, Sign: sdk.KeySigner(devnet.Key(of.signer)), Groups: of.groups, Requests: demoRequests, Report: d.report,
		})
		if err != nil {
			return err
		}
		senders = append(senders, sender)
	}
	actions, targets := devnet.DemoActions(), make([]common.Address, demoTargets)
	for i := range targets {
		targets[i] = devnet.Address(i)
	}
	for at := 0; at < d.planned && ctx.Err() == nil; at += demoBatch { // by the hundred, since each call wakes the senders
		updates := make([]sdk.NamedUpdate, min(demoBatch, d.planned-at))
		for i := range updates {
			updates[i] = sdk.NamedUpdate{
				ActionName: actions[i%len(actions)].Name, ScoreType: devnet.DemoScoreType, TargetWallet: targets[i%demoTargets],
			}
		}
		half := len(updates) / 2
		ids, err := senders[0].Enqueue(ctx, updates[half:]...)
		if err == nil {
			_, err = senders[1].Enqueue(ctx, updates[:half]...)
		}
		if err == nil && len(updates) == demoBatch {
			again := updates[half]
			again.UpdateID = ids[0]
			_, err = senders[2].Enqueue(ctx, again)
		}
		if err != nil {
			break // ctx ended, which ends Close, too
		}
	}
	var errs []error
	for _, sender := range senders {
		if _, err := sender.Close(ctx); err != nil {
			errs = append(errs, err, sender.State().Err)
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// api returns a client that keeps idle connections for concurrent requests.
func (s *Stack) api(requests int) *sdk.Client {
	return sdk.NewClient(s.Info.APIURL, s.Info.APIKey, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: requests, IdleConnTimeout: time.Minute}})
}

func (d *Demo) report(r sdk.Report) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := r.Update.UpdateID
	switch {
	case r.Stage == sdk.Refused:
		d.refused[id] = true
	case d.accepted[id].IsZero():
		d.accepted[id] = time.Now()
	default:
		d.repeated++
	}
}

func (d *Demo) summary() *Summary {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := &Summary{planned: d.planned, accepted: len(d.accepted), duplicates: d.repeated, refused: len(d.refused)}
	for id, accepted := range d.accepted {
		if f, ok := d.applied[id]; ok {
			r.applied++
			r.finality = append(r.finality, f.arrived.Sub(accepted))
		} else if _, ok := d.rejected[id]; ok {
			r.rejected++
		}
	}
	slices.Sort(r.finality)
	return r
}

func (d *Demo) Progress() string { return d.summary().progress() }

// notUsed counts updates with a 200 and an id that the contract has not used at the block, independent of the API.
func (d *Demo) notUsed(ctx context.Context, s *Stack, block common.Hash) (missing int, err error) {
	for ids := range slices.Chunk(slices.Collect(maps.Keys(d.accepted)), usedPerCall) {
		used, err := registry.ReadUsed(s.Project, ids).Do(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
			return s.Auditor.Chain.Call(ctx, evidence.Call{To: s.Auditor.Deployment.Contract, Data: data}, block)
		})
		if err == nil && len(used) != len(ids) {
			err = fmt.Errorf("it reports %d ids, asked for %d", len(used), len(ids))
		}
		if err != nil {
			return 0, fmt.Errorf("couldn't ask the contract for used ids: %w", err)
		}
		for _, is := range used {
			if !is {
				missing++
			}
		}
	}
	return missing, nil
}
