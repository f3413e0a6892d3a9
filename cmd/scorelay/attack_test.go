package main

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestStackUnderAttack kills each process in turn while clients send, and flushes Redis. What clients got a 200 for is
// counted against the contract's own events, not against anything the stack says of itself.
func TestStackUnderAttack(t *testing.T) {
	long.Test(t)
	s := startProcesses(t, programs(t), "--relayers", "2", "--lanes", "2")
	info := s.info(t)
	judge, err := newJudge(t.Context(), info.RPCURL, common.HexToAddress(info.Contract), 2)
	require.NoError(t, err)
	defer judge.node.Close()
	client := dial(t, info, info.APIKey, 32)
	places := []*load.Place{place(t, info), signedOnly(t, client, place(t, info))}
	for _, attack := range []struct {
		name string
		do   func()
	}{
		{"kill -9 of the relayers", func() { s.kill(t, "relayer") }},
		{"kill -9 of the API", func() { s.kill(t, "api") }},
		{"kill -9 of NATS", func() { s.kill(t, "nats") }},
		{"FLUSHALL of Redis", func() { require.NoError(t, s.redis(t).FlushAll(t.Context()).Err()) }},
		{"kill -9 of Redis", func() { s.kill(t, "redis") }},
	} {
		held(t, judge, client, places, attack.name, attack.do)
	}
	s.audited(t)
}

// held attacks under load and holds what clients got a 200 for against the contract's events, and what the API tells against both.
func held(t *testing.T, judge *judge, client *load.Client, places []*load.Place, name string, attack func()) {
	t.Helper()
	began := time.Now()
	tally := attacked(t, client, places, attack)
	final, err := judge.final(t.Context())
	require.NoError(t, err)
	counts, verdict, promised := tally.Counts(), tally.Verdict(), tally.Promised()
	require.Zero(t, final.missing(promised), "%s: promised and not applied", name)
	require.Zero(t, final.doubled(), name)
	require.Equal(t, verdict.Promised, verdict.Applied, "%s: what the API tells", name)
	require.Zero(t, counts.Wrong, "%s: %v", name, counts.Refusals)
	require.Zero(t, counts.Failed, name)
	t.Logf("%s: promised %d, retries %d, in %s", name, len(promised), counts.Retries, time.Since(began))
}

// signedOnly makes a project like the one at a place, which takes signed groups only.
func signedOnly(t *testing.T, client *load.Client, at *load.Place) *load.Place {
	t.Helper()
	at.Project, at.SignedOnly = score.ProjectID(load.RandomID()), true
	project := &score.Project{
		ID: at.Project, Name: "signed groups only", ScoreTypes: []string{at.ScoreType}, SignedOnly: true,
		Owners: []common.Address{at.Updaters[1].Address}, Updaters: []common.Address{at.Updaters[0].Address},
	}
	for _, name := range at.Actions {
		project.Actions = append(project.Actions, score.Action{Name: name, Points: 3})
	}
	require.NoError(t, client.CreateProject(t.Context(), project))
	return at
}

// attacked sends updates, alone and in signed groups, attacks when a third has been answered, and follows all that were
// promised until they are final: statuses come back by themselves, too.
func attacked(t *testing.T, client *load.Client, places []*load.Place, attack func()) *load.Tally {
	t.Helper()
	const updates = 600 // at each place
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	tally := load.NewTally()
	plan := interleave(testrand.New(t), load.Plan(places[0], updates), load.Plan(places[1], updates))
	var answered atomic.Int64
	third, sent := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sent)
		load.Run(ctx, client, plan, 16, func(r load.Result) {
			tally.Add(r)
			if answered.Add(1) == int64(len(plan)/3) {
				close(third)
			}
		})
	}()
	<-third
	attack()
	require.NoError(t, load.Follow(ctx, client, tally, sent, 3*time.Minute))
	return tally
}

// interleave has both plans go at once, each in its order.
func interleave(random *rand.Rand, a, b []*load.Post) (out []*load.Post) {
	for len(a) > 0 && len(b) > 0 {
		if random.IntN(len(a)+len(b)) < len(a) {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
