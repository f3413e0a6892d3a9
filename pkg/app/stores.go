package app

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/scorelay/scorelay/pkg/lease"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// How often the stores are looked at, and how long one may take to answer.
const (
	storesLook    = 10 * time.Second
	storesTimeout = 3 * time.Second
)

// stores is an API's look at what the deployment stands on: how full the stores are, how many copies they have, and whether the lanes
// are driven. APIs tell it, since one runs where all relayers are dead. It only tells. Who does not answer is left as it was.
type stores struct {
	js       jetstream.JetStream
	monitors []string // of the NATS servers
	redis    *redisdb.Client
	lanes    *roster.Live

	used, bound, missing *prometheus.GaugeVec
	driven               *prometheus.GaugeVec
	known                map[score.Lane]bool // those that driven tells of
}

func newStores(reg prometheus.Registerer) *stores {
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return promauto.With(reg).NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	return &stores{
		known:   map[score.Lane]bool{},
		used:    gauge("scorelay_api_store_used_bytes", "What a store holds: a stream or KV bucket of JetStream by its name, nats:NAME (all that JetStream has on that server's disk), redis.", "store"),
		bound:   gauge("scorelay_api_store_bound_bytes", "What a store may hold, where that is bounded: max_bytes, max_file_store, maxmemory. Of a Redis Cluster as it is spread now.", "store"),
		missing: gauge("scorelay_api_store_copies_missing", "Copies of a stream or KV bucket that are away, or behind.", "store"),
		driven:  gauge("scorelay_api_lane_driven_timestamp_seconds", "When a relayer was last seen to hold the lease of a lane that is to be driven; when the API first knew of the lane, where none was.", "lane", "signer"),
	}
}

// run looks until its context ends.
func (s *stores) run(ctx context.Context) error {
	for {
		s.look(ctx)
		if err := retry.Sleep(ctx, storesLook); err != nil {
			return err
		}
	}
}

// look looks once: at the lanes first, since a page waits for them.
func (s *stores) look(ctx context.Context) {
	s.lookAtLanes(ctx)
	s.lookAtStreams(ctx)
	for _, disk := range stream.Disks(ctx, s.monitors) {
		s.tell("nats:"+disk.Server, disk.Used, disk.Allowed)
	}
	ctx, cancel := context.WithTimeout(ctx, storesTimeout)
	defer cancel()
	if bytes, part, err := s.redis.Memory(ctx); err == nil && bytes > 0 {
		bound := uint64(0)
		if part > 0 {
			bound = uint64(float64(bytes) / part)
		}
		s.tell("redis", bytes, bound)
	}
}

func (s *stores) lookAtLanes(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storesTimeout)
	defer cancel()
	drivers, err := lease.Drivers(ctx, s.js)
	now, _ := s.lanes.Current()
	for _, l := range now.Lanes {
		labels := []string{strconv.Itoa(int(l.ID)), l.Signer.Hex()}
		switch {
		case !l.Driven():
			s.driven.DeleteLabelValues(labels...)
			delete(s.known, l.ID)
		case err == nil && drivers[l.ID] != "", !s.known[l.ID]:
			s.driven.WithLabelValues(labels...).SetToCurrentTime()
			s.known[l.ID] = true
		}
	}
}

func (s *stores) lookAtStreams(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storesTimeout)
	defer cancel()
	ours, all := stream.Names(), s.js.ListStreams(ctx) // others may share the account; a stream that no server leads is not told of
	for info := range all.Info() {
		if !slices.Contains(ours, info.Config.Name) {
			continue
		}
		missing := info.Config.Replicas - 1 // the leader tells
		if info.Cluster != nil {
			for _, peer := range info.Cluster.Replicas {
				if peer.Current && !peer.Offline {
					missing--
				}
			}
		}
		s.missing.WithLabelValues(info.Config.Name).Set(float64(max(0, missing)))
		s.tell(info.Config.Name, info.State.Bytes, uint64(max(0, info.Config.MaxBytes)))
	}
}

// tell says how full a store is; its bound is 0 where there is none.
func (s *stores) tell(store string, used, bound uint64) {
	s.used.WithLabelValues(store).Set(float64(used))
	if bound > 0 {
		s.bound.WithLabelValues(store).Set(float64(bound))
	} else {
		s.bound.DeleteLabelValues(store)
	}
}
