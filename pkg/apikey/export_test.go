package apikey

import (
	"time"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
)

// NoteEvery has the view note so often which keys were used; before it runs.
func (v *View) NoteEvery(every time.Duration) { v.uses.every = every }

// Follow has the store's writes follow a plan.
func (s *Store) Follow(plan *fault.Plan) { s.kv = fault.KeyValue{KeyValue: s.kv, Plan: plan} }
