package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	soakWarmUp = 30 * time.Second // of load, before the first reading
	soakSettle = 10 * time.Second // after the backlog's last update
	soakStep   = time.Minute      // of load, before each further reading
	soakConns  = 32               // of each kind of load: few enough that the API closes none as idle
)

// memory is the resident memory of processes, MB.
type memory struct {
	API     float64 `json:"api_mb"`
	Relayer float64 `json:"relayer_mb"` // of the larger relayer
	NATS    float64 `json:"nats_mb"`
}

type soakReport struct {
	Start   memory   `json:"start"`
	Waiting memory   `json:"waiting"`
	End     memory   `json:"end"`
	Minutes []memory `json:"minutes"`
	Updates int      `json:"waiting_updates"`
}

type soak struct {
	*acceptance
	waiting int
	minutes int
	rate    int
	singles int
}

// runSoak measures resident memory on a deployment as in accept, with two relayers and blocks of 30 M gas per second.
//
//   - start: after half a minute of load.
//   - waiting: after --waiting updates were accepted in groups, while the chain makes no blocks.
//   - minutes, end: blocks resume. For --minutes, an open loop sends --rate updates per second in groups and
//     --singles one by one.
func runSoak(ctx context.Context, args []string) error {
	d := &slowDisk{bench: &bench{begun: time.Now()}, lanes: acceptLanes, relayers: 2}
	s := &soak{}
	flags := newFlags("soak")
	flags.IntVar(&s.waiting, "waiting", 1_000_000, "how many updates wait, while no block is made")
	flags.IntVar(&s.minutes, "minutes", 10, "how long the load is sent after that")
	flags.IntVar(&s.rate, "rate", 4000, "updates per second of the load in signed groups of 256")
	flags.IntVar(&s.singles, "singles", 200, "updates per second of the load one by one")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, below the text")
	keep := flags.Bool("keep", false, "keep data and logs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if s.waiting < score.MaxSigned || s.minutes < 1 || s.rate < score.MaxSigned || s.singles < 1 || flags.NArg() > 0 {
		return fmt.Errorf("--waiting and --rate must be at least %d, --minutes and --singles at least 1, and nothing may follow the flags", score.MaxSigned)
	}
	report, err := inDir(d.bench, *keep, func() (*soakReport, error) {
		if err := d.buildAll(ctx); err != nil {
			return nil, err
		}
		var err error
		s.acceptance, err = d.newAcceptance(ctx)
		defer s.close()
		if err != nil {
			return nil, err
		}
		return s.run(ctx)
	})
	if err != nil {
		return err
	}
	fmt.Printf("Memory of the API, the larger relayer and NATS at the start: %s\nwhile %d updates wait: %s\nafter %d minutes: %s\n",
		report.Start, report.Updates, report.Waiting.beside(report.Start), s.minutes, report.End.beside(report.Start))
	if !*asJSON {
		return nil
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func (m memory) String() string {
	return fmt.Sprintf("%.0f, %.0f, %.0f MB", m.API, m.Relayer, m.NATS)
}

// beside adds the difference from other in percent.
func (m memory) beside(other memory) string {
	return fmt.Sprintf("%s (%+.0f %%, %+.0f %%, %+.0f %%)", m, 100*(m.API/other.API-1), 100*(m.Relayer/other.Relayer-1), 100*(m.NATS/other.NATS-1))
}

func (s *soak) run(ctx context.Context) (r *soakReport, err error) {
	r = &soakReport{Updates: s.waiting}
	if err := s.load(ctx, soakWarmUp); err != nil {
		return nil, err
	}
	if r.Start, err = s.memory(); err != nil {
		return nil, err
	}
	progress("at the start: " + r.Start.String())
	if err := s.anvil.Interval(ctx, 0); err != nil {
		return nil, err
	}
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	if r.Waiting, err = s.memory(); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("while %d updates wait: %s", s.waiting, r.Waiting.beside(r.Start)))
	if err := s.anvil.Interval(ctx, time.Second); err != nil {
		return nil, err
	}
	for i := range s.minutes {
		if err := s.load(ctx, soakStep); err != nil {
			return nil, fmt.Errorf("in minute %d: %w", i+1, err)
		}
		if r.End, err = s.memory(); err != nil {
			return nil, err
		}
		r.Minutes = append(r.Minutes, r.End)
		progress(fmt.Sprintf("minute %d of %d: %s", i+1, s.minutes, r.End.beside(r.Start)))
	}
	return r, nil
}

func (s *soak) wait(ctx context.Context) error {
	const each = 1000 // groups made at a time
	for left := (s.waiting + score.MaxSigned - 1) / score.MaxSigned; left > 0; left -= each {
		l := load{to: s.apiServer, conns: groupConns, accepted: true}
		if _, _, err := l.closed(ctx, time.Hour, once(s.groups(min(left, each)))); err != nil {
			return fmt.Errorf("couldn't have updates wait: %w", err)
		}
	}
	select {
	case <-time.After(soakSettle):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *soak) load(ctx context.Context, seconds time.Duration) error {
	groups, singles := float64(s.rate)/score.MaxSigned, float64(s.singles)
	several, alone := once(s.groups(int(groups*seconds.Seconds())+1)), once(s.acceptance.singles(int(singles*seconds.Seconds())+1, false))
	l := load{to: s.apiServer, accepted: true}
	var all errgroup.Group
	all.Go(func() error {
		_, err := l.open(ctx, soakConns, groups, seconds, several)
		return err
	})
	all.Go(func() error {
		_, err := l.open(ctx, soakConns, singles, seconds, alone)
		return err
	})
	return all.Wait()
}

func (s *soak) memory() (m memory, err error) {
	for _, c := range s.children {
		stat, failed := statOf(c)
		held := float64(stat.ResidentMemory()) / 1e6
		switch {
		case c == s.apiServer.child:
			m.API = held
		case strings.HasPrefix(c.name, "relayer"):
			m.Relayer = max(m.Relayer, held)
		case c.name == "nats":
			m.NATS = held
		}
		err = errors.Join(err, failed)
	}
	return m, err
}
