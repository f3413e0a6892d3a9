package gas

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"

	"github.com/ethereum/go-ethereum/version"

	"github.com/scorelay/scorelay/pkg/batch"
)

// Report contains figures by the key of a row or call. A row's are per update, a call's per its own unit.
type Report struct {
	Geth   string                       `json:"geth"`
	EIPs   map[string][]string          `json:"eips"`   // by Rules.Name
	Gas    map[string]uint64            `json:"-"`      // under osaka
	Rules  map[string]map[string]uint64 `json:"rules"`  // gas, by Rules.Name
	Bounds map[string]uint64            `json:"bounds"` // promised upper bounds of Gas
	Floors map[string]uint64            `json:"lower_bounds"`
	Most   Most                         `json:"most_updates"`
	Model  Model                        `json:"model"`
	Next   Next                         `json:"next"`
}

// Next describes a relayer's batches under amsterdam.
type Next struct {
	PlannedConsecutive int   `json:"planned_consecutive"` // updates in a transaction, as in Most
	PlannedRandom      int   `json:"planned_random"`
	Model              Model `json:"model"`
}

// Model compares the relayer's gas model with the gas used, in percent of the latter.
type Model struct {
	Batches int `json:"batches"`

	// Excess of the model's upper bound over the gas used. BoundLeast is negative if a batch would run out of gas.
	// BoundFresh is the most among batches with only fresh slots, the worst case.
	BoundLeast float64 `json:"bound_least_percent"`
	BoundFresh float64 `json:"bound_most_percent_when_fresh"`

	// Absolute error of the estimate.
	EstimateMost float64 `json:"estimate_most_percent"`
	EstimateMean float64 `json:"estimate_mean_percent"`
}

// MarshalJSON adds the entries of Gas as members of the report, for scripts.
func (r *Report) MarshalJSON() ([]byte, error) {
	type others Report
	raw, err := json.Marshal((*others)(r))
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	for name, gas := range r.Gas {
		members[name] = strconv.AppendUint(nil, gas, 10)
	}
	return json.Marshal(members)
}

// Measure measures all rows and calls under the rules of mainnet and its next fork.
func Measure() (*Report, error) {
	r := &Report{
		Geth: fmt.Sprintf("%d.%d.%d", version.Major, version.Minor, version.Patch),
		EIPs: map[string][]string{}, Rules: map[string]map[string]uint64{}, Bounds: map[string]uint64{}, Floors: map[string]uint64{},
	}
	for _, rules := range []Rules{osaka(), amsterdam()} {
		if err := r.measure(rules); err != nil {
			return nil, fmt.Errorf("%s: %w", rules.Name, err)
		}
	}
	r.Model.round()
	r.Next.Model.round()
	r.Gas = maps.Clone(r.Rules[nameOsaka])
	for _, row := range rows() {
		if row.promise > 0 {
			r.Bounds[row.key] = row.promise
		}
	}
	return r, nil
}

// Broken returns the keys of rows above their promised bound, in table order.
func (r *Report) Broken() (keys []string) {
	for _, row := range rows() {
		if bound, promised := r.Bounds[row.key]; promised && r.Gas[row.key] > bound {
			keys = append(keys, row.key)
		}
	}
	return keys
}

func round(x, parts float64) float64 { return math.Round(x*parts) / parts }

func (r *Report) measure(rules Rules) error {
	base, err := newMachine(rules)
	if err != nil {
		return err
	}
	out := map[string]uint64{}
	r.Rules[rules.Name], r.EIPs[rules.Name] = out, rules.EIPs
	for _, row := range rows() {
		batches, err := row.measure(base)
		if err != nil {
			return fmt.Errorf("%s: %w", row.key, err)
		}
		updates, gas, floor := 0, uint64(0), uint64(0)
		for _, sent := range batches {
			updates, gas, floor = updates+sent.batch.Len(), gas+sent.gas, floor+sent.floor
		}
		out[row.key] = perUpdate(gas, updates)
		if rules.Live {
			r.Floors[row.key] = floor / uint64(updates)
			r.Model.add(rules.model.Batch, batches)
		} else {
			r.Next.Model.add(rules.model.Batch, batches)
		}
	}
	for _, call := range calls() {
		if out[call.key], err = call.measure(base); err != nil {
			return fmt.Errorf("%s: %w", call.key, err)
		}
	}
	if rules.Live {
		r.Most, err = capacity(base)
		return err
	}
	var errs [2]error
	r.Next.PlannedConsecutive, errs[0] = planned(rules, consecutive)
	r.Next.PlannedRandom, errs[1] = planned(rules, random)
	return errors.Join(errs[:]...)
}

func (m *Model) add(model batch.Model, batches []sentBatch) {
	for _, sent := range batches {
		spare := percent(model.Gas(sent.batch), sent.gas)
		if m.Batches == 0 || spare < m.BoundLeast {
			m.BoundLeast = spare
		}
		if sent.fresh == sent.batch.StorageSlots() {
			m.BoundFresh = max(m.BoundFresh, spare)
		}
		off := math.Abs(percent(model.Estimate(sent.batch, sent.fresh), sent.gas))
		m.EstimateMost = max(m.EstimateMost, off)
		m.EstimateMean += (off - m.EstimateMean) / float64(m.Batches+1)
		m.Batches++
	}
}

// round rounds to 0.01 %, and BoundLeast down, since its sign matters.
func (m *Model) round() {
	m.BoundLeast = math.Floor(m.BoundLeast*100) / 100
	for _, x := range []*float64{&m.BoundFresh, &m.EstimateMost, &m.EstimateMean} {
		*x = round(*x, 100)
	}
}

func percent(guess, used uint64) float64 { return 100 * (float64(guess)/float64(used) - 1) }
