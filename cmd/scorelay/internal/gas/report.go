package gas

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"

	"github.com/ethereum/go-ethereum/version"
)

// Prices turn gas into money.
type Prices struct {
	Gas   float64 `json:"gas_gwei"`
	Ether float64 `json:"ether_usd"`
}

// Cost of a million updates.
type Cost struct {
	Ether float64 `json:"eth"`
	USD   float64 `json:"usd"`
}

// Report is what was measured. Gas per update unless the key names a call.
type Report struct {
	Geth    string                       `json:"geth"`
	EIPs    map[string][]string          `json:"eips"`   // by rules
	Gas     map[string]uint64            `json:"-"`      // under osaka; each row is a member of the object itself
	Rules   map[string]map[string]uint64 `json:"rules"`  // gas by rules
	Bounds  map[string]uint64            `json:"bounds"` // what Gas is promised not to exceed
	Floors  map[string]uint64            `json:"lower_bounds"`
	Prices  Prices                       `json:"prices"`
	Most    Most                         `json:"most_updates"`
	Million map[string]Cost              `json:"million"` // updates, under osaka
	Model   Model                        `json:"model"`
	Parts   map[string]map[string]uint64 `json:"parts"` // where Gas goes, of some rows
}

// MarshalJSON puts the rows of Gas beside the other members, where a script finds them by their names.
func (r *Report) MarshalJSON() ([]byte, error) {
	type others Report
	data, err := json.Marshal((*others)(r))
	if err != nil {
		return nil, err
	}
	members := map[string]any{}
	for name, gas := range r.Gas {
		members[name] = gas
	}
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(data, &rest); err != nil {
		return nil, err
	}
	for name, value := range rest {
		members[name] = value
	}
	return json.Marshal(members)
}

// profiled are the rows whose gas is split.
var profiled = map[string]bool{
	"existing_consecutive_100": true, "existing_random_100": true, "hot_consecutive_100": true, "signed_existing_100": true,
	"groups25_existing_100": true,
}

// Measure plays everything, under the rules of mainnet and of its next fork. The same prices give the same report.
func Measure(prices Prices) (*Report, error) {
	r := &Report{
		Geth: fmt.Sprintf("%d.%d.%d", version.Major, version.Minor, version.Patch), EIPs: map[string][]string{}, Rules: map[string]map[string]uint64{}, Bounds: map[string]uint64{},
		Floors: map[string]uint64{}, Prices: prices, Million: map[string]Cost{}, Parts: map[string]map[string]uint64{},
	}
	for _, rules := range []Rules{osaka(), amsterdam()} {
		if err := r.measure(rules); err != nil {
			return nil, fmt.Errorf("%s: %w", rules.Name, err)
		}
	}
	r.Model = r.Model.rounded()
	r.Gas = maps.Clone(r.Rules[nameOsaka])
	for _, row := range rows() {
		gas := r.Gas[row.key]
		r.Million[row.key] = prices.million(gas)
		if row.promise > 0 {
			r.Bounds[row.key] = row.promise
		}
	}
	return r, nil
}

// Broken lists the promises that Gas does not keep.
func (r *Report) Broken() (keys []string) {
	for _, row := range rows() {
		if row.promise > 0 && r.Gas[row.key] > row.promise {
			keys = append(keys, row.key)
		}
	}
	return keys
}

func (p Prices) million(gas uint64) Cost {
	ether := float64(gas) * p.Gas / 1000 // a million of them, 10^9 gwei to one ether
	return Cost{Ether: round(ether, 1000), USD: round(ether*p.Ether, 100)}
}

// round keeps one of a number of parts, so that reports do not end in the noise of floating point.
func round(x, parts float64) float64 { return math.Round(x*parts) / parts }

func (r *Report) measure(rules Rules) error {
	base, err := newMachine(rules)
	if err != nil {
		return err
	}
	out := map[string]uint64{}
	r.Rules[rules.Name], r.EIPs[rules.Name] = out, rules.EIPs
	for _, row := range rows() {
		var profile *profiler
		if rules.Live && profiled[row.key] {
			profile = new(profiler)
		}
		bill, err := row.measure(base, profile)
		if err != nil {
			return fmt.Errorf("%s: %w", row.key, err)
		}
		out[row.key] = perUpdate(bill.gas, bill.updates)
		if rules.Live {
			r.Floors[row.key] = bill.floor / uint64(bill.updates)
			r.Model.add(bill)
		}
		if profile != nil {
			r.Parts[row.key] = profile.split(bill.updates)
		}
	}
	for _, call := range calls() {
		if out[call.key], err = call.measure(base); err != nil {
			return fmt.Errorf("%s: %w", call.key, err)
		}
	}
	if rules.Live {
		r.Most, err = capacity(base)
	}
	return err
}
