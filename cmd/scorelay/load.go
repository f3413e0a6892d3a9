package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/load"
	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

type loadCommand struct {
	devDir      `embed:""`
	domainFlags `embed:""`

	API         []string      `name:"api" env:"SCORELAY_API" placeholder:"URL" help:"Addresses of the APIs, separated by commas; by default those of a running 'scorelay dev'."`
	Key         app.Secret    `name:"api-key" env:"SCORELAY_API_KEY" placeholder:"KEY" help:"API key."`
	Rate        float64       `name:"rate" default:"500" help:"Updates per second (${default})."`
	Duration    time.Duration `name:"duration" default:"30s" help:"How long to send (${default}). What has no answer 90s later is given up, and failed."`
	Projects    int           `name:"projects" default:"1" help:"Number of projects, made for this run (${default})."`
	Signers     int           `name:"signers" default:"3" help:"Wallets of each project that sign (${default})."`
	Wallets     int           `name:"wallets" default:"1000" help:"Wallets of each project whose scores change (${default})."`
	IDs         string        `name:"ids" enum:"random,consecutive,mixed" default:"mixed" help:"How updateIds are minted: random, consecutive or mixed (${default})."`
	Signed      float64       `name:"signed" default:"0" placeholder:"PERCENT" help:"Share of the updates that goes in signed groups (${default})."`
	Group       int           `name:"group" default:"50" help:"Updates of a signed group (${default})."`
	MaxInFlight int           `name:"max-in-flight" default:"2000" help:"Requests in progress at once; an update that would be one more counts as missed (${default})."`
	JSON        bool          `name:"json" help:"Print the summary as JSON on standard output, and nothing else."`
}

type loadSummary struct {
	load.Counts
	Missed      int              `json:"missed"` // due, but --max-in-flight was reached
	Offered     float64          `json:"offered_per_second"`
	PerSecond   float64          `json:"accepted_per_second"`
	Latency     load.Percentiles `json:"latency_ms"`
	DurationMS  int64            `json:"duration_ms"`
	Interrupted bool             `json:"interrupted"` // the run ended early, so unanswered updates are in Failed
}

// String shows an interrupted run's unanswered updates as such, since they may be stored.
func (s loadSummary) String() string {
	unanswered := fmt.Sprintf("failed %d", s.Failed)
	if s.Interrupted {
		unanswered = fmt.Sprintf("interrupted with %d unanswered (each may be stored or not)", s.Failed)
	}
	return fmt.Sprintf("sent %d, accepted %d, duplicate %d, rejected %d %v, %s, missed %d, retries %d, %.0f accepted/s of %.0f offered/s, "+
		"latency p50 %.1f ms p90 %.1f ms p99 %.1f ms max %.0f ms",
		s.Sent, s.Accepted, s.Duplicate, s.Rejected, s.Refusals, unanswered, s.Missed, s.Retries,
		s.PerSecond, s.Offered, s.Latency.P50, s.Latency.P90, s.Latency.P99, s.Latency.Max)
}

func (s loadSummary) failed() bool { return s.Wrong > 0 || s.Failed > 0 && !s.Interrupted }

func (c *loadCommand) Run(s signals) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	defer client.Close()
	places, err := c.places(s.drain, client)
	if err != nil {
		return err
	}
	tally := load.NewTally()
	progress, stop := context.WithCancel(s.drain)
	done := make(chan struct{})
	go func() { defer close(done); c.progress(progress, tally) }()
	began := time.Now()
	missed := load.Open(s.drain, client, load.Pace{Rate: c.Rate, Duration: c.Duration, MaxInFlight: c.MaxInFlight},
		c.source(places), tally.Add)
	took := time.Since(began)
	stop()
	<-done
	summary := loadSummary{
		Counts: tally.Counts(), Missed: missed, Offered: c.Rate, Latency: tally.Latency(), DurationMS: took.Milliseconds(),
		Interrupted: s.drain.Err() != nil,
	}
	summary.PerSecond = float64(summary.Accepted) / took.Seconds()
	if c.JSON {
		err = json.NewEncoder(os.Stdout).Encode(summary)
	} else {
		_, err = fmt.Println(summary)
	}
	if err == nil && summary.failed() {
		err = errFailed
	}
	return err
}

func (c *loadCommand) client() (*load.Client, error) {
	var errs []error
	for _, bad := range []struct {
		is   bool
		says string
	}{
		{c.Rate <= 0, "--rate must be more than 0"},
		{c.Duration <= 0, "--duration must be more than 0"},
		{c.Projects < 1 || c.Signers < 1 || c.Wallets < 1, "--projects, --signers and --wallets must be at least 1"},
		{c.Signers > 99, "--signers must be at most 99"},
		{c.MaxInFlight < 1, "--max-in-flight must be at least 1"},
		{c.Signed < 0 || c.Signed > 100, "--signed must be from 0 to 100"},
		{c.Group < 1 || c.Group > score.MaxSigned, fmt.Sprintf("--group must be from 1 to %d", score.MaxSigned)},
	} {
		if bad.is {
			errs = append(errs, errors.New(bad.says))
		}
	}
	urls, key := c.API, c.Key.Reveal()
	if len(urls) == 0 {
		info, err := c.running("--api")
		if err != nil {
			return nil, errors.Join(append(errs, err)...)
		}
		urls = info.APIURLs
		if key == "" {
			key = info.APIKey
		}
	}
	if key == "" {
		errs = append(errs, errors.New("set --api-key, SCORELAY_API_KEY or SCORELAY_API_KEY_FILE"))
	}
	client, err := load.NewClient(key, c.MaxInFlight, urls...)
	errs = append(errs, err)
	if err == nil && c.Signed > 0 {
		client.Domain, err = c.domain(&c.devDir)
		errs = append(errs, err)
	}
	return client, errors.Join(errs...)
}

// places creates the projects. It waits only until the API accepted each, since that is enough to send updates.
func (c *loadCommand) places(ctx context.Context, client *load.Client) ([]*load.Place, error) {
	places := make([]*load.Place, c.Projects)
	for i := range places {
		owner, err := load.RandomWallet()
		if err != nil {
			return nil, err
		}
		place := &load.Place{
			Project: score.ProjectID(load.RandomID()), ScoreType: "reputation", Actions: []string{"plus", "minus"},
			Targets: load.RandomTargets(c.Wallets),
		}
		project := &score.Project{
			ID: place.Project, Name: fmt.Sprintf("Scorelay load %d", i), ScoreTypes: []string{place.ScoreType},
			Actions: []score.Action{{Name: "plus", Points: 7}, {Name: "minus", Points: 3, Direction: score.Subtract}},
			Owners:  []common.Address{owner.Address},
		}
		for range c.Signers {
			signer, err := load.RandomWallet()
			if err != nil {
				return nil, err
			}
			place.Updaters = append(place.Updaters, signer)
			project.Updaters = append(project.Updaters, signer.Address)
		}
		limited, cancel := context.WithTimeout(ctx, load.Patience)
		err = client.CreateProject(limited, project)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("couldn't create project %d of %d: %w", i+1, c.Projects, err)
		}
		places[i] = place
	}
	return places, nil
}

// source generates posts, with projects, signers and wallets in turn. Each signer has its own consecutive ids, as in
// backends that share a project.
func (c *loadCommand) source(places []*load.Place) func() *load.Post {
	minters := make([]*sdk.Minter, c.Projects*c.Signers)
	for i := range minters {
		minters[i] = sdk.NewMinter()
	}
	made, posts, signed := 0, 0, 0
	return func() *load.Post {
		at := posts % len(places)
		place := places[at]
		signer := posts / len(places) % c.Signers
		minter := minters[at*c.Signers+signer]
		random := c.IDs == "random" || c.IDs == "mixed" && posts%2 == 0
		n := 1
		group := c.Signed > 0 && float64(signed) <= c.Signed/100*float64(made)
		if group {
			n = c.Group
			signed += n
		}
		updates := make([]load.Update, n)
		for i := range updates {
			updates[i] = place.Update(made / len(places))
			made++
		}
		posts++
		load.Assign(updates, place.Updaters[signer], minter, random)
		return &load.Post{Updates: updates, Signed: group}
	}
}

func (c *loadCommand) progress(ctx context.Context, tally *load.Tally) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	before := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			counts, latency := tally.Counts(), tally.Latency()
			fmt.Fprintf(os.Stderr, "accepted %d (%d/s), rejected %d, failed %d, retries %d, p50 %.1f ms p99 %.1f ms\n",
				counts.Accepted, counts.Accepted-before, counts.Rejected, counts.Failed, counts.Retries, latency.P50, latency.P99)
			before = counts.Accepted
		}
	}
}
