package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Options of a load. Errors of Validate name the fields as flags of the benchmarks' command.
type Options struct {
	URLs        []string // of APIs
	Key         string
	Rate        float64 // updates per second
	Duration    time.Duration
	Projects    int
	Signers     int     // wallets per project that sign, up to 99
	Wallets     int     // wallets per project with changing scores
	IDs         string  // random, consecutive or mixed
	Signed      float64 // percent of the updates in signed groups
	Group       int     // updates of a signed group
	MaxInFlight int     // concurrent requests
}

func DefaultOptions() Options {
	return Options{
		Rate: 500, Duration: 30 * time.Second, Projects: 1, Signers: 3, Wallets: 1000, IDs: "mixed", Group: 50, MaxInFlight: 2000,
	}
}

func (o *Options) Validate() error {
	var errs []error
	for _, bad := range []struct {
		is   bool
		says string
	}{
		{len(o.URLs) == 0, "set --url"},
		{o.Key == "", "set SCORELAY_API_KEY or SCORELAY_API_KEY_FILE"},
		{o.Rate <= 0, "--rate must be more than 0"},
		{o.Duration <= 0, "--duration must be more than 0"},
		{o.Projects < 1 || o.Signers < 1 || o.Wallets < 1, "--projects, --signers and --wallets must be at least 1"},
		{o.Signers > 99, "--signers must be at most 99"},
		{o.IDs != "random" && o.IDs != "consecutive" && o.IDs != "mixed", "--ids must be random, consecutive or mixed"},
		{o.MaxInFlight < 1, "--max-in-flight must be at least 1"},
		{o.Signed < 0 || o.Signed > 100, "--signed must be from 0 to 100"},
		{o.Group < 1 || o.Group > score.MaxSigned, fmt.Sprintf("--group must be from 1 to %d", score.MaxSigned)},
	} {
		if bad.is {
			errs = append(errs, errors.New(bad.says))
		}
	}
	return errors.Join(errs...)
}

type Summary struct {
	Counts
	Missed      int         `json:"missed"` // due, but MaxInFlight was reached
	Offered     float64     `json:"offered_per_second"`
	PerSecond   float64     `json:"accepted_per_second"`
	Latency     Percentiles `json:"latency_ms"`
	DurationMS  int64       `json:"duration_ms"`
	Interrupted bool        `json:"interrupted"` // the run ended early, so unanswered updates are in Failed
}

// String shows an interrupted run's unanswered updates as such, since they may be stored.
func (s *Summary) String() string {
	unanswered := fmt.Sprintf("failed %d", s.Failed)
	if s.Interrupted {
		unanswered = fmt.Sprintf("interrupted with %d unanswered (each may be stored or not)", s.Failed)
	}
	return fmt.Sprintf("sent %d, accepted %d, duplicate %d, rejected %d %v, %s, missed %d, retries %d, %.0f accepted/s of %.0f offered/s, "+
		"latency p50 %.1f ms p90 %.1f ms p99 %.1f ms max %.0f ms",
		s.Sent, s.Accepted, s.Duplicate, s.Rejected, s.Refusals, unanswered, s.Missed, s.Retries,
		s.PerSecond, s.Offered, s.Latency.P50, s.Latency.P90, s.Latency.P99, s.Latency.Max)
}

func (s *Summary) Bad() bool { return s.Wrong > 0 || s.Failed > 0 && !s.Interrupted }

// Generate creates projects of its own and sends updates in an open loop. It prints a line per second to progress.
// It returns an error if it could not begin; the summary reports what went wrong later.
func Generate(ctx context.Context, o Options, progress io.Writer) (*Summary, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	client, places, err := o.begin(ctx, o.Signed > 0)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	tally := NewTally()
	printing, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); tally.print(printing, progress) }()
	began := time.Now()
	missed := Open(ctx, client, Pace{Rate: o.Rate, Duration: o.Duration, MaxInFlight: o.MaxInFlight}, o.source(places), tally.Add)
	took := time.Since(began)
	stop()
	<-done
	s := &Summary{
		Counts: tally.Counts(), Missed: missed, Offered: o.Rate, Latency: tally.Latency(), DurationMS: took.Milliseconds(),
		Interrupted: ctx.Err() != nil,
	}
	s.PerSecond = float64(s.Accepted) / took.Seconds()
	return s, nil
}

// Burst creates a project and sends a Plan of n updates to it, MaxInFlight requests at a time, as fast as responses
// arrive. Rate, Duration and what Plan decides have no effect.
func Burst(ctx context.Context, o Options, n int) (*Summary, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	client, places, err := o.begin(ctx, true)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if places[0].Stranger, err = RandomWallet(); err != nil {
		return nil, err
	}
	posts, tally, began := Plan(places[0], n), NewTally(), time.Now()
	Run(ctx, client, posts, o.MaxInFlight, tally.Add)
	took := time.Since(began)
	return &Summary{
		Counts: tally.Counts(), Latency: tally.Latency(), DurationMS: took.Milliseconds(), Interrupted: ctx.Err() != nil,
		PerSecond: float64(tally.Verdict().Promised) / took.Seconds(),
	}, nil
}

// begin creates the projects and, if groups will be signed, reads the domain.
func (o *Options) begin(ctx context.Context, signed bool) (*Client, []*Place, error) {
	client, err := NewClient(o.Key, o.MaxInFlight, o.URLs...)
	if err != nil {
		return nil, nil, err
	}
	places, err := o.places(ctx, client)
	if err == nil && signed {
		client.Domain, err = domainOf(ctx, client, places[0].Project)
	}
	if err != nil {
		client.Close()
	}
	return client, places, err
}

// places creates the projects. It waits only until the API accepted each, since that is enough to send updates.
func (o *Options) places(ctx context.Context, client *Client) ([]*Place, error) {
	places := make([]*Place, o.Projects)
	for i := range places {
		owner, err := RandomWallet()
		if err != nil {
			return nil, err
		}
		place := &Place{
			Project: score.ProjectID(RandomID()), ScoreType: "reputation", Actions: []string{"plus", "minus"},
			Targets: RandomTargets(o.Wallets),
		}
		project := &score.Project{
			ID: place.Project, Name: fmt.Sprintf("Scorelay load %d", i), ScoreTypes: []string{place.ScoreType},
			Actions: []score.Action{{Name: "plus", Points: 7}, {Name: "minus", Points: 3, Direction: score.Subtract}},
			Owners:  []common.Address{owner.Address},
		}
		for range o.Signers {
			signer, err := RandomWallet()
			if err != nil {
				return nil, err
			}
			place.Updaters = append(place.Updaters, signer)
			project.Updaters = append(project.Updaters, signer.Address)
		}
		limited, cancel := context.WithTimeout(ctx, Patience)
		err = client.CreateProject(limited, project)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("couldn't create project %d of %d: %w", i+1, o.Projects, err)
		}
		places[i] = place
	}
	return places, nil
}

// domainOf returns the domain that the API reports, for a deployment that the load has no other knowledge of.
func domainOf(ctx context.Context, client *Client, project score.ProjectID) (domain wallet.Domain, err error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	err = sdk.Retry(ctx, func() error {
		state, err := client.Project(ctx, project)
		if err == nil {
			domain = state.Domain
		}
		return err
	})
	if err == nil && domain == (wallet.Domain{}) {
		err = sdk.ErrDomain
	}
	if err != nil {
		return domain, fmt.Errorf("couldn't read the domain to sign groups for: %w", err)
	}
	return domain, nil
}

// source generates posts, with projects, signers and wallets in turn. Each signer has its own consecutive ids, as in
// backends that share a project.
func (o *Options) source(places []*Place) func() *Post {
	minters := make([]*sdk.Minter, o.Projects*o.Signers)
	for i := range minters {
		minters[i] = sdk.NewMinter()
	}
	made, posts, signed := 0, 0, 0
	return func() *Post {
		at := posts % len(places)
		place := places[at]
		signer := posts / len(places) % o.Signers
		minter := minters[at*o.Signers+signer]
		random := o.IDs == "random" || o.IDs == "mixed" && posts%2 == 0
		n := 1
		group := o.Signed > 0 && float64(signed) <= o.Signed/100*float64(made)
		if group {
			n = o.Group
			signed += n
		}
		updates := make([]Update, n)
		for i := range updates {
			updates[i] = place.Update(made / len(places))
			made++
		}
		posts++
		Assign(updates, place.Updaters[signer], minter, random)
		return &Post{Updates: updates, Signed: group}
	}
}

func (t *Tally) print(ctx context.Context, out io.Writer) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	before := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			counts, latency := t.Counts(), t.Latency()
			_, _ = fmt.Fprintf(out, "accepted %d (%d/s), rejected %d, failed %d, retries %d, p50 %.1f ms p99 %.1f ms\n",
				counts.Accepted, counts.Accepted-before, counts.Rejected, counts.Failed, counts.Retries, latency.P50, latency.P99)
			before = counts.Accepted
		}
	}
}
