package dev

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Meter adds up the metrics of a stack's processes, across restarts.
type Meter struct {
	urls   []string
	client *http.Client

	mu     sync.Mutex
	seen   map[string]counters // the last ones read, by url
	total  Reading
	before float64 // backlog when the counters began; see Read
	idle   int
}

type counters struct{ accepted, final, applied, gas float64 }

type Reading struct {
	At       time.Time
	Accepted float64 // updates answered with 200 since the start
	Final    float64 // updates that became final since the start
	Applied  float64 // applied part of Final
	Gas      float64 // of final transactions since the first reading, after the demo project's creation
	Waiting  float64
	Sent     float64 // pending transactions
}

const idleAfter = 10

// NewMeter reads urls' /metrics. waiting is the backlog from before these processes started.
func NewMeter(urls []string, waiting int) *Meter {
	return &Meter{urls: urls, client: &http.Client{Timeout: 2 * time.Second}, seen: map[string]counters{}, before: float64(waiting)}
}

// Read reads all processes' metrics. A process that does not respond counts with its last counters and 0 pending
// transactions.
//
// Waiting is accepted minus final updates, but at least the backlog that relayers report. A killed process takes its
// counts since the last reading with it. So Waiting is reset to 0 after idleAfter readings in which all processes
// respond and are idle.
func (m *Meter) Read(ctx context.Context) Reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	accepted, all := m.total.Accepted, true
	m.total.Sent = 0
	under := 0.0
	for _, url := range m.urls {
		families, err := m.scrape(ctx, url)
		if err != nil {
			all = false
			continue
		}
		m.add(url, families)
		under += total(families, "scorelay_relay_backlog_updates", "")
	}
	if m.total.At.IsZero() {
		m.total.Gas = 0
	}
	if m.idle++; !all || under > 0 || m.total.Sent > 0 || m.total.Accepted > accepted {
		m.idle = 0
	}
	if m.idle >= idleAfter {
		m.before = m.total.Final - m.total.Accepted
	}
	m.total.Waiting = max(m.before+m.total.Accepted-m.total.Final, under, 0)
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

// add adds the increase of a process's counters. If a counter fell, the process restarted and counts from 0.
func (m *Meter) add(url string, families map[string]*dto.MetricFamily) {
	now, before := counters{
		accepted: total(families, "scorelay_api_updates_total", "accepted"),
		final:    total(families, "scorelay_relay_outcomes_total", ""),
		applied:  total(families, "scorelay_relay_outcomes_total", "applied"),
		gas:      total(families, "scorelay_relay_gas_used_total", ""),
	}, m.seen[url]
	m.seen[url] = now
	if now.accepted < before.accepted || now.final < before.final || now.gas < before.gas {
		before = counters{}
	}
	m.total.Accepted += now.accepted - before.accepted
	m.total.Final += now.final - before.final
	m.total.Applied += now.applied - before.applied
	m.total.Gas += now.gas - before.gas
	m.total.Sent += total(families, "scorelay_relay_open_slots", "")
}

// total sums the series that have a label with this value, or all if value is empty.
func total(families map[string]*dto.MetricFamily, name, value string) (sum float64) {
	for _, metric := range families[name].GetMetric() {
		has := func(label *dto.LabelPair) bool { return label.GetValue() == value }
		if value == "" || slices.ContainsFunc(metric.GetLabel(), has) {
			sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
		}
	}
	return sum
}

// Line returns the live line, in at most 79 columns; rates are averages since before.
func (r Reading) Line(before Reading) string {
	seconds := r.At.Sub(before.At).Seconds()
	if seconds <= 0 {
		seconds = 1
	}
	return fmt.Sprintf("%s waiting, %s in flight · %s/s accepted, %s/s final",
		units(r.Waiting, "update"), units(r.Sent, "transaction"),
		short((r.Accepted-before.Accepted)/seconds), short((r.Final-before.Final)/seconds))
}

func units(n float64, name string) string {
	if n != 1 {
		name += "s"
	}
	return short(n) + " " + name
}

// short formats a number in at most six characters.
func short(n float64) string {
	switch {
	case n < 99_999.5:
		return Thousands(int(n + 0.5))
	case n < 999_500:
		return fmt.Sprintf("%.0fk", n/1000)
	default:
		return fmt.Sprintf("%.1fM", n/1_000_000)
	}
}

func Thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return Thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
