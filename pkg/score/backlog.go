package score

// Backlog is how much of a project waits to be bound, as the lane says that carries it.
type Backlog struct {
	Waiting   uint64  `json:"waiting"`   // updates, about
	PerSecond float64 `json:"perSecond"` // updates that were bound lately, about; 0 where nearly none were
	Read      uint64  `json:"read"`      // sequence in the stream before which all were counted
}
