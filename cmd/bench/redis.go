package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/limit"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

const (
	redisWave     = 4096 // updates claimed before any is assigned
	redisEnvelope = 256  // updates accepted together
	redisSlot     = 512  // updates per transaction
	redisTimeout  = 10 * time.Second
)

type redisFigures struct {
	Workload string  `json:"workload"`
	Updates  int     `json:"updates"`
	CPU      float64 `json:"cpu_us"`
	Bytes    float64 `json:"bytes"`
}

type redisReport struct {
	Version   string         `json:"redis"`
	Workloads []redisFigures `json:"workloads"`
}

type redisWorkload struct {
	name  string
	group int
	next  func() score.UpdateID
}

// runRedis measures the resources of Redis per update. Each workload has a redis-server with an append-only file.
// Rewrites of the file are off, because their copies would count as memory.
//
// --callers concurrent callers claim updates, one per call or in groups of 256. Updates are accepted in envelopes of
// 256; then assigned, submitted, included and final in transactions of 512. cpu_us is used_cpu_user plus used_cpu_sys
// of INFO, bytes the growth of used_memory, per update. Other work of the machine raises cpu_us, because of its
// caches.
func runRedis(ctx context.Context, args []string) error {
	b := &bench{begun: time.Now()}
	flags := newFlags("redis")
	updates := flags.Int("updates", 1_000_000, "how many updates each workload has")
	callers := flags.Int("callers", 256, "how many requests are in progress at the same time")
	asJSON := flags.Bool("json", false, "print the figures as JSON on the last line, below the table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *updates < redisWave || *callers < 1 || flags.NArg() > 0 {
		return fmt.Errorf("--updates must be at least %d, --callers at least 1, and nothing may follow the flags", redisWave)
	}
	report, err := inDir(b, false, func() (*redisReport, error) { return b.loadRedis(ctx, *updates, *callers) })
	if err != nil {
		return err
	}
	if err := report.writeTable(os.Stdout); err != nil || !*asJSON {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func (r *redisReport) writeTable(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "Redis %s\tµs of its CPU\tbytes\n", r.Version)
	for _, w := range r.Workloads {
		fmt.Fprintf(table, "%s\t%.2f\t%.1f\n", w.Workload, w.CPU, w.Bytes)
	}
	return table.Flush()
}

func (b *bench) loadRedis(ctx context.Context, updates, callers int) (*redisReport, error) {
	var report redisReport
	for _, w := range []redisWorkload{
		{"one by one, random ids", 1, randomIDs},
		{"one by one, consecutive ids", 1, consecutiveIDs()},
		{"signed groups of 256, consecutive ids", score.MaxSigned, consecutiveIDs()},
		{"signed groups of 256, random ids", score.MaxSigned, randomIDs},
	} {
		progress(w.name)
		f, version, err := b.loadOne(ctx, w, updates, callers)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		report.Version = version
		report.Workloads = append(report.Workloads, f)
	}
	progress(limits)
	f, err := b.loadLimits(ctx, updates, callers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", limits, err)
	}
	report.Workloads = append(report.Workloads, f)
	return &report, nil
}

func randomIDs() (id score.UpdateID) {
	_, _ = rand.Read(id[:])
	return id
}

func consecutiveIDs() func() score.UpdateID {
	n := uint32(0)
	return func() (id score.UpdateID) {
		binary.BigEndian.PutUint32(id[28:], n)
		n++
		return id
	}
}

var errDuplicate = errors.New("a new update was answered as a duplicate")

func (b *bench) loadOne(ctx context.Context, w redisWorkload, updates, callers int) (f redisFigures, version string, err error) {
	client, done, err := b.aRedis()
	if err != nil {
		return f, "", err
	}
	defer done()
	l := &redisLoad{redisWorkload: w, callers: callers, statuses: status.New(client, status.Config{})}
	before, version, err := infoOf(ctx, client)
	if err != nil {
		return f, "", err
	}
	for l.done < updates {
		if err := l.wave(ctx, min(redisWave, updates-l.done)); err != nil {
			return f, "", err
		}
	}
	after, _, err := infoOf(ctx, client)
	if err != nil {
		return f, "", err
	}
	n := float64(l.done)
	return redisFigures{w.name, l.done, (after.cpu - before.cpu) * 1e6 / n, (after.memory - before.memory) / n}, version, nil
}

const limits = "beside each request, its key's rate"

func (b *bench) loadLimits(ctx context.Context, requests, callers int) (f redisFigures, err error) {
	client, done, err := b.aRedis()
	if err != nil {
		return f, err
	}
	defer done()
	limiter := limit.New(client, "", slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	before, _, err := infoOf(ctx, client)
	if err != nil {
		return f, err
	}
	var all errgroup.Group
	for i := range callers {
		all.Go(func() error {
			for n := i; n < requests; n += callers {
				limiter.Take(ctx, "key", score.QuotaOf(1<<30, 1), score.Cost{Units: 1})
			}
			return nil
		})
	}
	_ = all.Wait() // none returns an error
	after, _, err := infoOf(ctx, client)
	return redisFigures{limits, requests, (after.cpu - before.cpu) * 1e6 / float64(requests), 0}, err
}

func (b *bench) aRedis() (client *redisdb.Client, done func(), err error) {
	server, err := devnet.StartRedis(filepath.Join(b.dir, strconv.FormatInt(time.Now().UnixNano(), 36)), devnet.RedisOptions{
		Args: []string{"--auto-aof-rewrite-percentage", "0"},
	})
	if err != nil {
		return nil, nil, err
	}
	if client, err = redisdb.Open(server.URL); err != nil {
		server.Close()
		return nil, nil, err
	}
	client.Timeout = redisTimeout
	return client, func() {
		_ = client.Close()
		server.Close()
	}, nil
}

type redisLoad struct {
	redisWorkload
	callers  int
	statuses *status.Store
	done     int
	nonce    uint64
}

func (l *redisLoad) wave(ctx context.Context, n int) error {
	refs, tokens := make([]score.Ref, n), make([]string, n)
	for i := range refs {
		refs[i] = score.UpdateRef(score.ProjectID{7}, l.next())
	}
	var claims errgroup.Group
	claims.SetLimit(l.callers)
	for from := 0; from < n; from += l.group {
		claims.Go(func() error {
			token, part := status.NewToken(), refs[from:min(from+l.group, n)]
			answers, err := l.statuses.Claim(ctx, part, token)
			for i, a := range answers {
				tokens[from+i] = token
				if a != score.ClaimWon {
					return errDuplicate
				}
			}
			return err
		})
	}
	if err := claims.Wait(); err != nil {
		return err
	}
	for from := 0; from < n; from += redisEnvelope {
		to := min(from+redisEnvelope, n)
		if err := l.statuses.Accepted(ctx, refs[from:to], tokens[from:to]); err != nil {
			return err
		}
	}
	for from := 0; from < n; from += redisSlot {
		if err := l.slot(ctx, refs[from:min(from+redisSlot, n)]); err != nil {
			return err
		}
	}
	l.done += n
	return nil
}

// slot writes the statuses of one transaction's updates, from assigned to final.
func (l *redisLoad) slot(ctx context.Context, refs []score.Ref) error {
	l.nonce++
	var tx common.Hash
	_, _ = rand.Read(tx[:])
	if err := l.statuses.Bound(ctx, 0, l.nonce, refs, 0, []common.Hash{tx}); err != nil {
		return err
	}
	if err := l.statuses.Slot(ctx, 0, 1, l.nonce, score.Submitted, tx, 0); err != nil {
		return err
	}
	if err := l.statuses.Slot(ctx, 0, 1, l.nonce, score.Included, tx, l.nonce); err != nil {
		return err
	}
	return l.statuses.Final(ctx, tx, l.nonce, refs, make([]score.Outcome, len(refs)))
}

type redisInfo struct {
	cpu    float64 // seconds, user and system
	memory float64
}

var infoLine = regexp.MustCompile(`(?m)^(used_cpu_user|used_cpu_sys|used_memory|redis_version):(\S+)`)

func infoOf(ctx context.Context, client *redisdb.Client) (i redisInfo, version string, err error) {
	var text string
	for _, section := range []string{"server", "cpu", "memory"} {
		part, err := client.Info(ctx, section).Result()
		if err != nil {
			return i, "", fmt.Errorf("couldn't ask Redis about itself: %w", err)
		}
		text += part
	}
	for _, m := range infoLine.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseFloat(m[2], 64)
		switch m[1] {
		case "redis_version":
			version = m[2]
		case "used_memory":
			i.memory = n
		default:
			i.cpu += n
		}
	}
	return i, version, nil
}
