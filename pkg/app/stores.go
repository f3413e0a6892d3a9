package app

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

const storesLook = 10 * time.Second

// stores exports the stores' usage, their missing copies, and when lanes were last driven. It runs in APIs, so that
// it works while all relayers are dead. If a store does not respond, its last values stay.
type stores struct {
	js       jetstream.JetStream
	monitors []string
	redis    *redisdb.Client
	lanes    *roster.Live

	used, bound, missing, driven *prometheus.GaugeVec
	audited, audit               prometheus.Gauge
}

func newStores(reg prometheus.Registerer) *stores {
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return promauto.With(reg).NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	single := func(name, help string) prometheus.Gauge {
		return promauto.With(reg).NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	audited := single("scorelay_api_audit_timestamp_seconds", "When the last scorelay audit ended, or this API started if none did yet.")
	audited.SetToCurrentTime()
	return &stores{
		audited: audited,
		audit:   single("scorelay_api_audit_status", "Exit status of the last scorelay audit: 0 all is right, 1 something is lost, doubled or unequal, 2 it could not look, 3 something is pending."),
		used:    gauge("scorelay_api_store_used_bytes", "What a store holds: a stream or KV bucket of JetStream by its name, nats:NAME (all that JetStream has on that server's disk), redis.", "store"),
		bound:   gauge("scorelay_api_store_bound_bytes", "What a store may hold, where that is bounded: max_bytes, max_file_store, maxmemory. Of a Redis Cluster as it is spread now.", "store"),
		missing: gauge("scorelay_api_store_copies_missing", "Copies of a stream or KV bucket that are away, or behind.", "store"),
		driven:  gauge("scorelay_api_lane_driven_timestamp_seconds", "When the API last saw a relayer hold the lease of a lane that is to be driven; 0: never.", "lane", "signer"),
	}
}

// look samples once, lanes first, since a paging alert depends on them.
func (s *stores) look(ctx context.Context) {
	s.lookAtLanes(ctx)
	s.lookAtStreams(ctx)
	if last, err := kv.LastAudit(ctx, s.js); err == nil && last != nil {
		s.audited.Set(float64(last.At.Unix()))
		s.audit.Set(float64(last.Status))
	}
	for _, disk := range stream.Disks(ctx, s.monitors) {
		s.show("nats:"+disk.Server, disk.Used, disk.Allowed)
	}
	if bytes, part, err := s.redis.Memory(ctx); err == nil && bytes > 0 {
		bound := 0.0
		if part > 0 {
			bound = float64(bytes) / part
		}
		s.show("redis", float64(bytes), bound)
	}
}

func (s *stores) lookAtLanes(ctx context.Context) {
	drivers, err := kv.Drivers(ctx, s.js)
	if err != nil {
		return
	}
	now, _ := s.lanes.Current()
	for _, l := range now.Lanes {
		labels := []string{strconv.Itoa(int(l.ID)), l.Signer.Hex()}
		if !l.Driven() {
			s.driven.DeleteLabelValues(labels...)
		} else if is := s.driven.WithLabelValues(labels...); drivers[l.ID] != "" {
			is.SetToCurrentTime()
		}
	}
}

func (s *stores) lookAtStreams(ctx context.Context) {
	// other programs may share the account; all lacks streams that have no leader
	ours, all := stream.Names(), s.js.ListStreams(ctx)
	for info := range all.Info() {
		if !slices.Contains(ours, info.Config.Name) {
			continue
		}
		s.missing.WithLabelValues(info.Config.Name).Set(float64(len(stream.Behind(info))))
		s.show(info.Config.Name, float64(info.State.Bytes), float64(info.Config.MaxBytes))
	}
}

// show exports a store's usage; bound ≤ 0: unlimited.
func (s *stores) show(store string, used, bound float64) {
	s.used.WithLabelValues(store).Set(used)
	if bound > 0 {
		s.bound.WithLabelValues(store).Set(bound)
	} else {
		s.bound.DeleteLabelValues(store)
	}
}
