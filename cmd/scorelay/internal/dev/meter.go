package dev

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Meter adds up the metrics of all processes of a stack. Counters of a process that was started again go on from
// where they were.
type Meter struct {
	urls   []string // of the admin listeners
	client *http.Client

	mu    sync.Mutex
	seen  map[series]float64 // the counters' last values
	total Reading
}

// series names one counter of one process.
type series struct{ url, metric string }

// Reading is the state of a stack.
type Reading struct {
	At       time.Time
	Accepted float64 // updates answered 200 accepted since the stack began
	Final    float64 // updates with a final outcome since the stack began
	Applied  float64 // of those, applied
	Gas      float64 // used by final transactions since the first reading, gas: so without the demo project's creation
	Queued   float64 // updates accepted and not bound to a transaction yet, now
	InFlight float64 // transactions that are not final, now
}

// NewMeter reads the /metrics of the admin listeners at urls.
func NewMeter(urls []string) *Meter {
	return &Meter{urls: urls, client: &http.Client{Timeout: 2 * time.Second}, seen: map[series]float64{}}
}

// Read asks every process. One that does not answer counts with what it said last, and nothing queued or in flight.
func (m *Meter) Read(ctx context.Context) Reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total.Queued, m.total.InFlight = 0, 0
	for _, url := range m.urls {
		families, err := m.scrape(ctx, url)
		if err != nil {
			continue
		}
		m.add(url, families)
	}
	if m.total.At.IsZero() {
		m.total.Gas = 0
	}
	m.total.At = time.Now()
	return m.total
}

func (m *Meter) scrape(ctx context.Context, url string) (map[string]*dto.MetricFamily, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", nil)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the metrics of %s: %w", url, err)
	}
	resp, err := m.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the metrics of %s: %w", url, err)
	}
	defer func() { _ = resp.Body.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the metrics of %s: %w", url, err)
	}
	return families, nil
}

func (m *Meter) add(url string, families map[string]*dto.MetricFamily) {
	for _, metric := range families["scorelay_api_updates_total"].GetMetric() {
		if label(metric, "result") == "accepted" {
			m.total.Accepted += m.grown(url, "accepted", metric)
		}
	}
	for _, metric := range families["scorelay_relay_outcomes_total"].GetMetric() {
		outcome := label(metric, "outcome")
		grown := m.grown(url, "outcomes", metric)
		m.total.Final += grown
		if outcome == "applied" {
			m.total.Applied += grown
		}
	}
	for _, metric := range families["scorelay_relay_gas_used_total"].GetMetric() {
		m.total.Gas += m.grown(url, "gas", metric)
	}
	for _, metric := range families["scorelay_relay_backlog_updates"].GetMetric() {
		m.total.Queued += metric.GetGauge().GetValue()
	}
	for _, metric := range families["scorelay_relay_inflight_slots"].GetMetric() {
		m.total.InFlight += metric.GetGauge().GetValue()
	}
}

// grown is by how much a counter grew since it was last read; all of it when the process began anew.
func (m *Meter) grown(url, name string, metric *dto.Metric) float64 {
	for _, pair := range metric.GetLabel() {
		name += " " + pair.GetName() + "=" + pair.GetValue()
	}
	key, now := series{url, name}, metric.GetCounter().GetValue()
	before := m.seen[key]
	m.seen[key] = now
	if now < before {
		return now
	}
	return now - before
}

func label(metric *dto.Metric, name string) string {
	for _, pair := range metric.GetLabel() {
		if pair.GetName() == name {
			return pair.GetValue()
		}
	}
	return ""
}

// Line is the live line: rates since the earlier reading, and what is under way.
func (r Reading) Line(before Reading) string {
	seconds := r.At.Sub(before.At).Seconds()
	if seconds <= 0 {
		seconds = 1
	}
	gas := "-"
	if r.Applied > 0 {
		gas = fmt.Sprintf("%.0f", r.Gas/r.Applied)
	}
	return fmt.Sprintf("accepted %.0f/s · queued %.0f · in flight %.0f tx · final %.0f/s · %s gas/update · total accepted %.0f, final %.0f",
		(r.Accepted-before.Accepted)/seconds, r.Queued, r.InFlight, (r.Final-before.Final)/seconds, gas, r.Accepted, r.Final)
}
