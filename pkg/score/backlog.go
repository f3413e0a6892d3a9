package score

// Backlog is a project's unassigned updates, as its lane published them.
type Backlog struct {
	Waiting   uint64  `json:"waiting"`   // approximate
	PerSecond float64 `json:"perSecond"` // recent assignments, approximate; 0: nearly none
	Read      uint64  `json:"read"`      // stream sequence before which all were counted
}
