package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	generator "github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// publishers is their number. Each has one envelope in flight, as an API does.
const publishers = 4

// replicasFigures are those of Servers NATS servers on one disk, each with a copy of the streams.
type replicasFigures struct {
	Servers         int     `json:"servers"`
	DurablePerS     float64 `json:"durable_updates_per_s"`   // in full envelopes, synced and acknowledged
	EnvelopesPerS   float64 `json:"durable_envelopes_per_s"` // of one update each
	EnvelopeP50Ms   float64 `json:"envelope_p50_ms"`         // of one update each, with one in flight
	AcceptedPerS    float64 `json:"accepted_per_s"`          // by the API, over HTTP
	AcceptedOffered int     `json:"accepted_updates"`
}

// runReplicas compares one NATS server with a cluster of three: the stream alone, and accepts of a whole deployment.
func runReplicas(ctx context.Context, args []string) error {
	b := &bench{begun: time.Now()}
	flags := newFlags("replicas")
	flags.DurationVar(&b.seconds, "seconds", 5*time.Second, "how long the stream is measured, for each figure")
	updates := flags.Int("updates", 20_000, "how many updates the API is sent")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, below the text")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if b.seconds < time.Second || *updates < 100 || flags.NArg() > 0 {
		return errors.New("--seconds must be at least 1s, --updates at least 100, and nothing may follow the flags")
	}
	measured, err := inDir(b, false, func() (out []replicasFigures, err error) {
		if err := buildStack(ctx, filepath.Join(b.dir, "bin")); err != nil {
			return nil, err
		}
		for _, servers := range []int{1, 3} {
			f := replicasFigures{Servers: servers, AcceptedOffered: *updates}
			progress(fmt.Sprintf("the stream on %d servers", servers))
			if err := b.durable(ctx, &f); err != nil {
				return nil, err
			}
			progress(fmt.Sprintf("the API on %d servers", servers))
			if err := b.accepted(ctx, &f); err != nil {
				return nil, err
			}
			out = append(out, f)
		}
		return out, nil
	})
	if err != nil {
		return err
	}
	for _, f := range measured {
		fmt.Printf("R%d: %.0f updates/s durable in full envelopes, %.0f envelopes/s of one update (p50 %.2f ms alone), %.0f updates/s accepted.\n",
			f.Servers, f.DurablePerS, f.EnvelopesPerS, f.EnvelopeP50Ms, f.AcceptedPerS)
	}
	if !*asJSON {
		return nil
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"replicas": measured, "seconds": time.Since(b.begun).Seconds()})
}

func (b *bench) durable(ctx context.Context, f *replicasFigures) error {
	url, stop, err := b.startServers(f.Servers)
	if err != nil {
		return err
	}
	defer stop()
	conn, err := nats.Connect(url)
	if err != nil {
		return fmt.Errorf("couldn't reach NATS: %w", err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return fmt.Errorf("couldn't reach JetStream: %w", err)
	}
	d := score.Deployment{ChainID: devnet.ChainID, Contract: common.Address{1}, Lanes: 1, DeployBlock: 1}
	// the servers of a cluster must find each other first
	err = retry.Do(ctx, 100, 250*time.Millisecond, func() error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		return stream.Setup(ctx, js, stream.Config{Deployment: d, Replicas: f.Servers, MaxBytes: 4 << 30})
	})
	if err != nil {
		return err
	}
	s, err := stream.Open(ctx, js)
	if err != nil {
		return err
	}
	alone, err := b.publishing(ctx, s, 1, 1)
	if err != nil {
		return err
	}
	f.EnvelopeP50Ms = median(alone) * 1000
	small, err := b.publishing(ctx, s, publishers, 1)
	if err != nil {
		return err
	}
	full, err := b.publishing(ctx, s, publishers, stream.MaxEnvelope)
	if err != nil {
		return err
	}
	f.EnvelopesPerS = float64(len(small)) / b.seconds.Seconds()
	f.DurablePerS = float64(len(full)*stream.MaxEnvelope) / b.seconds.Seconds()
	return nil
}

func (b *bench) startServers(n int) (url string, stop func(), err error) {
	dir := filepath.Join(b.dir, "nats"+strconv.Itoa(n))
	if n == 1 {
		server, err := devnet.StartNATS(dir, devnet.NATSOptions{})
		if err != nil {
			return "", nil, err
		}
		return server.URL, server.Close, nil
	}
	mesh, err := fresh.StartMesh(n)
	if err != nil {
		return "", nil, err
	}
	servers := make([]*devnet.NATSServer, n)
	var starting errgroup.Group
	for i := range servers {
		starting.Go(func() (err error) {
			servers[i], err = devnet.StartNATS(filepath.Join(dir, strconv.Itoa(i)), devnet.NATSOptions{Cluster: mesh.Cluster(i)})
			return err
		})
	}
	stop = func() {
		for _, s := range servers {
			if s != nil {
				s.Close()
			}
		}
		mesh.Close()
	}
	if err := starting.Wait(); err != nil {
		stop()
		return "", nil, err
	}
	return servers[0].URL, stop, nil
}

var enveloped atomic.Int64

// publishing publishes for b.seconds, and returns the seconds that each acknowledged envelope took.
func (b *bench) publishing(ctx context.Context, s *stream.Stream, publishers, updates int) ([]float64, error) {
	took := make([][]float64, publishers)
	end := time.Now().Add(b.seconds)
	group, ctx := errgroup.WithContext(ctx)
	for i := range took {
		envelope := make([]score.Update, updates)
		group.Go(func() error {
			for {
				for n := range envelope {
					envelope[n] = score.Update{ID: score.UpdateID{31: byte(n), 30: byte(n >> 8)}}
				}
				began := time.Now()
				if err := s.PublishEnvelope(ctx, "bench-"+strconv.FormatInt(enveloped.Add(1), 10), envelope, nil); err != nil {
					return fmt.Errorf("couldn't publish updates: %w", err)
				}
				if time.Now().After(end) {
					return nil
				}
				took[i] = append(took[i], time.Since(began).Seconds())
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var all []float64
	for _, of := range took {
		all = append(all, of...)
	}
	if len(all) == 0 {
		return []float64{math.NaN()}, errors.New("no envelope was acknowledged in time")
	}
	return all, nil
}

// accepted sends a burst to a stack of processes.
func (b *bench) accepted(ctx context.Context, f *replicasFigures) error {
	dir, programs := filepath.Join(b.dir, "stack"+strconv.Itoa(f.Servers)), filepath.Join(b.dir, "bin")
	stack, err := start(b.dir, "stack", exec.Command(filepath.Join(programs, "stack"), "--programs", programs,
		"--nats-servers", strconv.Itoa(f.Servers), "--data-dir", dir))
	if err != nil {
		return err
	}
	defer stack.stop()
	o := generator.DefaultOptions()
	o.MaxInFlight = 512
	if err := stack.await(2*startTimeout, func() error { return running(dir, &o) }); err != nil {
		return err
	}
	summary, err := generator.Burst(ctx, o, f.AcceptedOffered)
	if err != nil {
		return fmt.Errorf("couldn't measure the API: %w", err)
	}
	if summary.Bad() || summary.Interrupted {
		return fmt.Errorf("couldn't measure the API: %s", summary)
	}
	f.AcceptedPerS = summary.PerSecond
	return nil
}
