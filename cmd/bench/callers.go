package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"golang.org/x/sync/errgroup"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

const (
	callerWallets = 50                    // per project
	callerPoll    = 50 * time.Millisecond // and thus the precision of times
	settleTimeout = time.Minute           // from the last 200 until all are final
)

// callers send single updates over HTTP in an open loop, and follow each from its 200 until it is final.
type callers struct {
	*followed
	client   *sdk.Client
	projects []*project
	poll     time.Duration // 0: callerPoll

	mu      sync.Mutex
	answers []answer
	finals  []final // owned by the loop of settle until it has ended
}

type answer struct {
	at     time.Time
	status int // 0: none, or an invalid one
}

// newCallers creates the projects and waits until they are final.
func newCallers(ctx context.Context, following *followed, url, key string, projects int) (*callers, error) {
	c := &callers{followed: following, client: sdk.NewClient(url, key, nil)}
	for i := range projects {
		id := score.ProjectID(crypto.Keccak256Hash([]byte("scorelay bench caller"), binary.BigEndian.AppendUint32(nil, uint32(i))))
		p := newProject(id, worldOptions{wallets: callerWallets})
		if err := sdk.Retry(ctx, func() error { return c.client.CreateProject(ctx, &p.Project) }); err != nil {
			return nil, fmt.Errorf("couldn't create a project: %w", err)
		}
		c.add(score.CreationRef(id))
		c.projects = append(c.projects, p)
	}
	created := make(chan struct{})
	close(created)
	err := c.settle(ctx, created)
	c.finals = nil
	return c, err
}

// run sends an update per interval, of each project in turn, until stop is closed. It returns when all accepted
// updates are final.
func (c *callers) run(ctx context.Context, every time.Duration, stop <-chan struct{}) error {
	sent := make(chan struct{})
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(sent)
		c.send(ctx, every, stop)
		return nil
	})
	group.Go(func() error { return c.settle(ctx, sent) })
	return group.Wait()
}

func (c *callers) send(ctx context.Context, every time.Duration, stop <-chan struct{}) {
	var requests sync.WaitGroup
	defer requests.Wait()
	sign := sdk.KeySigner(devnet.Key(accountUpdater))
	due := time.Now()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-ctx.Done():
			return
		case <-time.After(time.Until(due)): // if this loop is late, it catches up
		}
		due = due.Add(every)
		u := c.projects[i%len(c.projects)].next(1)[0]
		requests.Go(func() {
			_, err := c.client.UpdateScore(ctx, sdk.NamedUpdate{
				UpdateID: u.ID, ProjectID: u.Project, ActionName: "purchase", ScoreType: "reputation", TargetWallet: u.Target,
			}, sign)
			if err == nil {
				c.add(u.Ref())
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.answers = append(c.answers, answer{time.Now(), statusOf(err)})
		})
	}
}

// statusOf returns 0 for an error without an HTTP status.
func statusOf(err error) int {
	var bad *sdk.Error
	switch {
	case err == nil:
		return http.StatusOK
	case errors.As(err, &bad):
		return bad.Status
	}
	return 0
}

// settle reads statuses until sent is closed and all followed updates are final. It fails settleTimeout after sent is
// closed.
func (c *callers) settle(ctx context.Context, sent <-chan struct{}) error {
	poll := time.NewTicker(cmp.Or(c.poll, callerPoll))
	defer poll.Stop()
	var late <-chan time.Time
	for late == nil || c.left() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			return fmt.Errorf("%d updates that were accepted are not final after %s", c.left(), settleTimeout)
		case <-sent:
			sent, late = nil, time.After(settleTimeout)
		case <-poll.C:
		}
		finals, err := c.look(ctx)
		if err != nil {
			return err
		}
		for _, f := range finals {
			if f.outcome != score.Applied {
				return fmt.Errorf("update %s is final with outcome %s", f.ref.Update, f.outcome)
			}
		}
		c.finals = append(c.finals, finals...)
	}
	return nil
}
