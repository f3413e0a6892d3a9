package main

import (
	"fmt"
	"time"

	"github.com/scorelay/scorelay/pkg/backup"
	"github.com/scorelay/scorelay/pkg/stream"
)

var kept = backup.Kept{Streams: stream.BackedUp(), Steady: stream.Lanes, Subjects: stream.Steady(), CreatedKey: stream.CreatedKey}

type backupCommand struct {
	natsFlags `embed:""`
	Dir       string `arg:"" placeholder:"DIR" help:"A new or empty directory."`
}

// Run writes a backup, which is incomplete after an error.
func (c *backupCommand) Run(s signals) error {
	js, _, closeNATS, err := c.open(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	m, err := kept.Write(s.drain, js.Conn(), c.Dir)
	if err != nil {
		return err
	}
	accepted := m.Streams[len(m.Streams)-1]
	fmt.Printf("backed %d streams up in %s\n", len(m.Streams), m.Ended.Sub(m.Began).Round(time.Millisecond))
	fmt.Printf("it holds what was accepted before %s, up to sequence %d\n", m.Began.Format(time.RFC3339), accepted.Last)
	return nil
}

type restoreCommand struct {
	natsFlags `embed:""`
	Dir       string `arg:"" placeholder:"DIR" help:"The directory of a backup."`
	Replicas  int    `name:"replicas" placeholder:"N" help:"Servers that keep each stream: 1 where there is one server. By default as many as when the backup was made."`
}

// Run can be repeated after an error.
func (c *restoreCommand) Run(s signals) error {
	js, closeNATS, err := c.connect(s.drain, commandLog())
	if err != nil {
		return err
	}
	defer closeNATS()
	m, err := kept.Restore(s.drain, js.Conn(), c.Dir, c.Replicas, func(s backup.Stream) {
		fmt.Printf("restored %s, %d messages up to sequence %d\n", s.Name, s.Messages, s.Last)
	})
	if err != nil {
		return err
	}
	fmt.Printf("NATS holds what was accepted before %s; `scorelay halt show` tells whether more is known\n", m.Began.Format(time.RFC3339))
	return nil
}
