package sdk

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	roundLookUps = 16          // maximum per second, so that other callers of the key keep some of its quota
	lostAfter    = time.Minute // until an accepted update that the API does not know is sent again
)

// settle reports the updates of part with the result in as, and then marks them in the spool, so each is reported at
// least once. Before its last report it removes an update from held, so that the callback may queue it again.
func (s *Sender) settle(part []*held, as Report) {
	ends := as.Stage != Accepted || !s.o.Follow
	s.mu.Lock()
	for _, h := range part {
		if h.accepted = as.Stage != Refused; ends {
			delete(s.held, h.update.UpdateID)
		}
	}
	s.change()
	s.mu.Unlock()
	if s.o.Report != nil {
		s.report.Lock()
		for _, h := range part {
			as.Update = h.update
			s.o.Report(as)
		}
		s.report.Unlock()
	}
	if s.spool != nil {
		for _, h := range part {
			s.spool.mark(h.n, ends)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if as.Stage == Final {
		s.open -= len(part)
	} else {
		s.unsent -= len(part)
	}
	if !ends {
		s.open += len(part)
		for _, h := range part {
			h.since = time.Now()
		}
		s.followed = append(s.followed, part...)
	}
	s.change()
}

func (s *Sender) follow() {
	for retry.Sleep(s.life, defaultWait) == nil {
		s.mu.Lock()
		open := len(s.followed)
		s.mu.Unlock()
		for range min((open+MaxLookUp-1)/MaxLookUp, roundLookUps) {
			if err := s.lookUp(); err != nil {
				var asked *Error
				errors.As(err, &asked)
				_ = retry.Sleep(s.life, min(cmp.Or(asked, &Error{}).RetryAfter, maxAsked))
				break
			}
		}
	}
}

// lookUp polls the least recently polled updates and settles the final ones. If the API has not known an accepted
// update for a minute, NATS lost the update, so lookUp queues it again under the same id.
func (s *Sender) lookUp() error {
	s.mu.Lock()
	some := slices.Clone(s.followed[:min(len(s.followed), MaxLookUp)])
	s.followed = s.followed[len(some):]
	s.mu.Unlock()
	ids := make([]score.UpdateID, len(some))
	for i, h := range some {
		ids[i] = h.update.UpdateID
	}
	statuses, err := s.client.Updates(s.life, s.o.Project, ids)
	var open, lost []*held
	for i, h := range some {
		switch {
		case err != nil, statuses[i].Stage == Unknown && time.Since(h.since) < lostAfter:
			open = append(open, h)
		case statuses[i].Stage == Unknown:
			lost = append(lost, h)
		case !statuses[i].Final():
			h.since = time.Now()
			open = append(open, h)
		default:
			s.settle(some[i:i+1], Report{Status: statuses[i]})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range lost {
		h.accepted, h.since = false, time.Now()
	}
	s.followed, s.queue = append(s.followed, open...), append(s.queue, lost...)
	s.open, s.unsent, s.followErr = s.open-len(lost), s.unsent+len(lost), err
	s.change()
	return err
}
