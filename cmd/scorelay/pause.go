package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

type pausable struct {
	Lane    *score.Lane      `name:"lane" xor:"what" required:"" placeholder:"N" help:"This lane."`
	Project *score.ProjectID `name:"project" xor:"what" required:"" placeholder:"0x…" help:"This project; all others continue."`
	All     bool             `name:"all" xor:"what" required:"" help:"Every lane."`
}

func (p pausable) what() kv.Scope { return kv.Scope{Lane: p.Lane, Project: p.Project} }

type pauseCommand struct {
	natsFlags `embed:""`
	pausable  `embed:""`
	Accepting bool   `name:"accepting" default:"true" negatable:"" help:"Accept what comes, which waits then. With --no-accepting, of --all or a --project, callers get 503 paused, with the reason."`
	Reason    string `name:"reason" placeholder:"TEXT" help:"Why, for those who look; callers are told it."`
}

// Run replaces an earlier pause of the same lane or project, or of all.
func (c *pauseCommand) Run(s signals) error {
	if !c.Accepting && c.Lane != nil {
		return errors.New("--no-accepting needs --all or --project: an update is accepted before it is known which lane will carry it")
	}
	one := kv.Pause{At: time.Now().UTC().Truncate(time.Second), Reason: c.Reason, Refuses: !c.Accepting}
	if err := one.Check(); err != nil {
		return fmt.Errorf("--reason: %w", err)
	}
	err := c.change(s.drain, &c.natsFlags, func(ctx context.Context, pauses *kv.PauseStore) error {
		_, err := pauses.Update(ctx, func(p kv.Pauses) kv.Pauses { return p.With(c.what(), one) })
		return err
	})
	if err != nil {
		return err
	}
	what := "accepting continues"
	switch {
	case c.Project != nil && one.Refuses:
		what = "nothing of it is accepted"
	case one.Refuses:
		what = "nothing is accepted"
	}
	fmt.Printf("Paused %s: relayers bind nothing new%s, and see to what is bound; %s. It stays so over restarts, until scorelay resume.\n",
		c.pausable, map[bool]string{true: " of it"}[c.Project != nil], what)
	return nil
}

type resumeCommand struct {
	natsFlags `embed:""`
	pausable  `embed:""`
}

// Run resumes a lane or project; with --all, everything, also lanes and projects paused by themselves.
func (c *resumeCommand) Run(s signals) error {
	after, was := kv.Pauses{}, c.All
	err := c.change(s.drain, &c.natsFlags, func(ctx context.Context, pauses *kv.PauseStore) (err error) {
		if c.All {
			return pauses.Clear(ctx)
		}
		after, err = pauses.Update(ctx, func(p kv.Pauses) kv.Pauses {
			was = was || p.Has(c.what())
			return p.Without(c.what())
		})
		return err
	})
	if err != nil {
		return err
	}
	said := fmt.Sprintf("Resumed %s", c.pausable)
	if !was {
		said = fmt.Sprintf("Nothing to resume: %s was not paused by itself", c.pausable)
	}
	if after.All != nil {
		said += ", but everything is paused still: scorelay resume --all"
	}
	fmt.Println(said + ".")
	return nil
}

func (p pausable) String() string {
	switch {
	case p.Lane != nil:
		return fmt.Sprintf("lane %d", *p.Lane)
	case p.Project != nil:
		return "project " + p.Project.String()
	}
	return "all lanes"
}

// change calls the function change with the stored pauses. An unknown lane is an error; an unknown project logs a
// warning.
func (p pausable) change(ctx context.Context, at *natsFlags, change func(context.Context, *kv.PauseStore) error) error {
	log := commandLog()
	js, _, closeNATS, err := at.open(ctx, log)
	if err != nil {
		return err
	}
	defer closeNATS()
	if p.Lane != nil {
		lanes, err := kv.OpenRoster(ctx, js)
		if err != nil {
			return err
		}
		known, err := lanes.Get(ctx)
		if err != nil {
			return err
		}
		if _, found := known.Lane(*p.Lane); !found {
			return fmt.Errorf("lane %d: %w; the deployment's are 0 to %d", *p.Lane, roster.ErrNoLane, len(known.Lanes)-1)
		}
	}
	if p.Project != nil {
		if err := lookForProject(ctx, js, *p.Project, log); err != nil {
			return err
		}
	}
	pauses, err := kv.OpenPauses(ctx, js)
	if err != nil {
		return err
	}
	return change(ctx, pauses)
}

func lookForProject(ctx context.Context, js jetstream.JetStream, id score.ProjectID, log *slog.Logger) error {
	projects, err := kv.OpenProjects(ctx, js)
	if err != nil {
		return err
	}
	if found, err := projects.Project(ctx, id); err == nil && found == nil {
		log.Warn("no project that is final has this id: look at it again, unless the project's creation is on its way", "project", id)
	}
	return nil
}
