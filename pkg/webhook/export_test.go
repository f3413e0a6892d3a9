package webhook

import (
	"net/netip"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
)

// SavesBy has a plan decide which writes of states fail.
func (s *Store) SavesBy(plan *fault.Plan) { s.states = fault.KeyValue{KeyValue: s.states, Plan: plan} }

// Controls are asked before a connection is made: for https://, and for http://.
func Controls(allow []netip.Prefix) (secure, plain control) {
	return controls(allow)
}
