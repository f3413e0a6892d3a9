package webhook

import (
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/event"
)

// Bounds of what is kept of attempts.
const (
	keptOfEach  = 20  // attempts that were answered 2xx, and as many that were not: successes do not push out why something failed
	answerBytes = 200 // of an answer's beginning
)

// State is how far an endpoint was sent events. The relayer that delivers writes it.
type State struct {
	Cursor   event.Cursor `json:"cursor"`            // everything up to here was answered 2xx, or not asked for
	Moved    uint64       `json:"moved"`             // the newest Move that was done
	Tested   uint64       `json:"tested,omitempty"`  // the newest test that was done
	Resent   uint64       `json:"resent,omitempty"`  // the newest Resend that was done
	Failing  *time.Time   `json:"failing,omitempty"` // since when what comes next is not answered 2xx
	Waiting  *Waiting     `json:"waiting,omitempty"` // nil: as far as is known, what comes next can be read, or the endpoint is disabled
	Attempts []Attempt    `json:"attempts"`          // the newest, in order
}

// Waiting says since when an endpoint is sent nothing, since the relayer cannot continue, and why: what to send cannot be read, for one.
type Waiting struct {
	Since time.Time `json:"since"`
	Why   string    `json:"why"` // the first reason; the log has later ones
}

// Attempt is one POST.
type Attempt struct {
	Time    time.Time     `json:"time"`
	Message string        `json:"message"`          // its webhook-id
	Events  int           `json:"events"`           // in it
	After   event.Cursor  `json:"after"`            // the events are those that come after it; of a Resend, how far the endpoint was
	Status  int           `json:"status,omitempty"` // 0: there was no answer
	Millis  int64         `json:"ms"`               // until the answer was there
	Answer  string        `json:"answer,omitempty"` // its beginning, or why there was none
	Test    uint64        `json:"test,omitempty"`   // which test it was; 0: none
	Resend  uint64        `json:"resend,omitempty"` // which Resend it was; 0: none
	retry   time.Duration // that the answer asks to wait
}

// Delivered tells whether the endpoint took it.
func (a *Attempt) Delivered() bool { return a.Status/100 == 2 }

// add keeps an attempt, and forgets the oldest of its kind.
func (s *State) add(a Attempt) {
	s.Attempts = append(s.Attempts, a)
	kind := 0
	for i := range s.Attempts {
		if s.Attempts[i].Delivered() == a.Delivered() {
			kind++
		}
	}
	if kind > keptOfEach {
		oldest := slices.IndexFunc(s.Attempts, func(old Attempt) bool { return old.Delivered() == a.Delivered() })
		s.Attempts = slices.Delete(s.Attempts, oldest, oldest+1)
	}
}
