package webhook

import (
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/event"
)

const (
	keptOfEach  = 20  // delivered attempts, and as many others: successes do not evict the cause of a failure
	answerBytes = 200 // start of a response
)

// State is an endpoint's progress.
type State struct {
	Cursor  event.Cursor `json:"cursor"`            // everything before it was answered 2xx or not asked for
	Moved   uint64       `json:"moved"`             // last Move done
	Tested  uint64       `json:"tested,omitempty"`  // last test done
	Resent  uint64       `json:"resent,omitempty"`  // last Resend done
	Failing *time.Time   `json:"failing,omitempty"` // first failure since the last 2xx, if any
	// Waiting is nil while events are readable, as far as known, or the endpoint is disabled.
	Waiting  *Waiting  `json:"waiting,omitempty"`
	Attempts []Attempt `json:"attempts"` // newest ones, in order
}

// Waiting describes why delivery is blocked, for example by an unreadable ledger.
type Waiting struct {
	Since time.Time `json:"since"`
	Why   string    `json:"why"` // first reason; the log has later ones
}

// Attempt is one POST, or a Resend that failed to find its event.
type Attempt struct {
	Time    time.Time     `json:"time"`
	Message string        `json:"message"`          // its webhook-id, or the id of a missing event
	Events  int           `json:"events"`           // in it
	After   event.Cursor  `json:"after"`            // cursor before its events; of a Resend, the endpoint's cursor
	Status  int           `json:"status,omitempty"` // 0: unanswered
	Millis  int64         `json:"ms"`               // until the response or error
	Answer  string        `json:"answer,omitempty"` // start of the response, or the error
	Test    uint64        `json:"test,omitempty"`   // number, if a test
	Resend  uint64        `json:"resend,omitempty"` // number, if a Resend
	retry   time.Duration // from Retry-After
}

func (a *Attempt) Delivered() bool { return a.Status/100 == 2 }

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
