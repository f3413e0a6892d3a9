package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

type lanesCommand struct {
	List    lanesListCommand    `cmd:"" help:"List the lanes: what they shall do, and what their journals say."`
	Add     lanesAddCommand     `cmd:"" help:"Add a lane for a signer and give it its share of the projects."`
	Remove  lanesRemoveCommand  `cmd:"" help:"Have a lane give its projects to the others, settle what it sent, and leave."`
	Replace lanesReplaceCommand `cmd:"" help:"Add a lane for a signer in place of another, which gives it all of its projects and leaves."`
	Cut     lanesCutCommand     `cmd:"" help:"Remove a lane whose key is lost: nothing is signed for it any more."`
	Resume  lanesResumeCommand  `cmd:"" help:"Let a lane continue that halts because of transactions its journal does not know."`
}

type lanes struct {
	js       jetstream.JetStream
	store    *kv.RosterStore
	journals *stream.Journal
	close    func()
}

// lanes opens the deployment's lanes, which the caller closes.
func (f *natsFlags) lanes(ctx context.Context) (*lanes, error) {
	js, _, closeNATS, err := f.open(ctx, commandLog())
	if err != nil {
		return nil, err
	}
	l, err := openLanes(ctx, js)
	if err != nil {
		closeNATS()
		return nil, err
	}
	l.close = closeNATS
	return l, nil
}

func openLanes(ctx context.Context, js jetstream.JetStream) (l *lanes, err error) {
	l = &lanes{js: js}
	if l.store, err = kv.OpenRoster(ctx, js); err != nil {
		return nil, err
	}
	l.journals, err = stream.OpenJournal(ctx, js)
	return l, err
}

// laneDocument is an element of `scorelay lanes list`.
type laneDocument struct {
	Lane      score.Lane     `json:"lane"`
	Signer    common.Address `json:"signer"`
	State     roster.State   `json:"state"`
	Dead      bool           `json:"dead,omitempty"`
	Buckets   int            `json:"buckets"` // actually owned, by the journal
	Wanted    int            `json:"bucketsWanted"`
	OpenSlots int            `json:"openSlots"`
	Queue     int            `json:"queue"`     // work to be assigned again
	Handovers int            `json:"handovers"` // offers with unknown acceptance
	Epoch     uint64         `json:"epoch"`     // newest lease term; 0: never driven
	NextNonce uint64         `json:"nextNonce"`
	ReadFrom  uint64         `json:"readFrom"`         // stream sequence; 0 without buckets
	Driver    string         `json:"driver,omitempty"` // relayer
}

// documents returns all lanes, and the number of buckets still to move to their desired owners.
func (l *lanes) documents(ctx context.Context) (documents []laneDocument, misplaced int, err error) {
	known, err := l.store.Get(ctx)
	if err != nil {
		return nil, 0, err
	}
	drivers, err := kv.Drivers(ctx, l.js)
	if err != nil {
		return nil, 0, err
	}
	misplaced = score.Buckets
	for _, of := range known.Lanes {
		state, _, err := l.journals.State(ctx, of.ID)
		if err != nil {
			return nil, 0, err
		}
		documents = append(documents, documentOfLane(of, len(known.Wanted(of.ID)), state, drivers[of.ID]))
		for b := range state.Buckets {
			if known.Owners[b] == of.ID {
				misplaced--
			}
		}
	}
	return documents, misplaced, nil
}

func documentOfLane(of roster.Lane, wanted int, state *lane.State, driver string) laneDocument {
	d := laneDocument{
		Lane: of.ID, Signer: of.Signer, State: of.State, Dead: of.Dead, Buckets: len(state.Buckets), Wanted: wanted,
		OpenSlots: len(state.Slots), Queue: len(state.Queue), Epoch: state.Epoch, NextNonce: state.Next, Driver: driver,
	}
	for _, given := range state.Given {
		d.Handovers += len(given.Open)
	}
	if d.Buckets > 0 {
		d.ReadFrom = state.ReadFrom().Seq
	}
	return d
}

type lanesListCommand struct {
	natsFlags `embed:""`
	JSON      bool `name:"json" help:"Print one JSON document per line."`
}

func (c *lanesListCommand) Run(s signals) error {
	l, err := c.lanes(s.drain)
	if err != nil {
		return err
	}
	defer l.close()
	return c.list(s.drain, l, os.Stdout)
}

func (c *lanesListCommand) list(ctx context.Context, l *lanes, out io.Writer) error {
	documents, _, err := l.documents(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		lines := json.NewEncoder(out)
		for i := range documents {
			if err := lines.Encode(documents[i]); err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "LANE\tSIGNER\tSTATE\tBUCKETS\tWANTED\tOPEN SLOTS\tQUEUE\tNEXT NONCE\tDRIVER")
	for _, d := range documents {
		state := string(d.State)
		if d.Dead {
			state += ", dead"
		}
		if d.Driver == "" {
			d.Driver = "-"
		}
		_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n",
			d.Lane, d.Signer, state, d.Buckets, d.Wanted, d.OpenSlots, d.Queue, d.NextNonce, d.Driver)
	}
	return table.Flush()
}
