package sdk

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const (
	firstPause = 100 * time.Millisecond
	maxPause   = 30 * time.Second
	maxAsked   = time.Hour // limit for a delay that the API asks for

	projectAge = time.Minute // until the names are read again, since an owner may edit the project
)

// pace is the backoff of requests. After a failure, one request at a time is sent until one succeeds.
type pace struct {
	requests int // in progress
	failures int // consecutive
	resume   time.Time
	err      error
}

func (p *pace) failed(err error) {
	p.err = err
	now := time.Now()
	if now.Before(p.resume) { // of several requests in progress when the API failed, only the first counts
		return
	}
	pause := min(firstPause<<min(p.failures, 10), maxPause)
	p.failures++
	var asked *Error
	if errors.As(err, &asked) && asked.Status != 0 { // there was a response
		pause = max(pause, min(asked.RetryAfter, maxAsked))
	}
	p.resume = now.Add(pause + rand.N(pause/2)) // jitter
}

func (p *pace) succeeded() { p.failures, p.resume, p.err = 0, time.Time{}, nil }

func (s *Sender) work() {
	for {
		part := s.take()
		if part == nil {
			return
		}
		s.send(part)
		s.mu.Lock()
		s.pace.requests--
		s.change()
		s.mu.Unlock()
	}
}

// take waits for the next request's updates; nil when the sender ends.
func (s *Sender) take() []*held {
	for {
		s.mu.Lock()
		n, wait := s.due()
		if n > 0 && s.life.Err() == nil {
			part := slices.Clone(s.queue[:n])
			s.queue = s.queue[n:]
			s.pace.requests++
			s.mu.Unlock()
			return part
		}
		changed := s.changed
		s.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-s.life.Done():
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
		if s.life.Err() != nil {
			return nil
		}
	}
}

// due returns the size of the next request. If it is 0, check again after wait, or once s changes.
func (s *Sender) due() (n int, wait time.Duration) {
	pause := time.Until(s.pace.resume)
	switch {
	case len(s.queue) == 0, s.pace.failures > 0 && s.pace.requests > 0:
		return 0, time.Hour
	case pause > 0:
		return 0, pause
	case s.o.Groups == wallet.Domain{}:
		return 1, 0
	}
	lingers := time.Until(s.queue[0].since.Add(s.o.Linger))
	if len(s.queue) < score.MaxSigned && s.flushes == 0 && lingers > 0 {
		return 0, lingers
	}
	return min(len(s.queue), score.MaxSigned), 0
}

func (s *Sender) send(part []*held) {
	if s.o.Groups != (wallet.Domain{}) {
		s.sendGroups(part)
		return
	}
	_, err := s.client.UpdateScore(s.life, part[0].update, s.o.Sign, s.o.Scheme)
	s.answered(part, err)
}

// answered settles updates after a request that returned err. Unless they were accepted or refused, they go to the
// end of the queue, so that others overtake one that always fails.
func (s *Sender) answered(part []*held, err error) {
	switch {
	case err == nil:
		s.told(true, nil)
		s.settle(part, Report{Status: Status{Stage: Accepted}})
	case refuses(err):
		s.told(true, nil)
		s.settle(part, Report{Status: Status{Stage: Refused}, Err: err})
	default:
		s.told(false, err)
		s.mu.Lock()
		s.queue = append(s.queue, part...)
		s.mu.Unlock()
	}
}

func (s *Sender) told(well bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if well {
		s.pace.succeeded()
	} else {
		s.pace.failed(err)
	}
}

// refuses reports whether the API refused an update permanently. An error without a code came from a proxy. The
// listed codes concern the sender: its key, URL, clock or proxy.
func refuses(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.RetryAfter > 0 || e.Code == "" || e.Status < 400 || e.Status == http.StatusUnauthorized {
		return false
	}
	return !slices.Contains([]string{"key_lacks_right", "key_other_projects", "message_too_old", "message_in_future", "not_found", "method_not_allowed", "headers_too_large", "unsupported_media_type", "unsupported_encoding"}, e.Code)
}

// sendGroups bisects a group that the API refuses for its content, to find the bad update.
func (s *Sender) sendGroups(part []*held) {
	updates, byID, err := s.resolve(part)
	if err != nil {
		s.answered(part, err)
		return
	}
	groups, err := BuildGroups(s.o.Project, updates)
	if err != nil { // unexpected: Enqueue checked the updates
		s.answered(slices.Collect(maps.Values(byID)), err)
		return
	}
	for i := range groups {
		group := make([]*held, len(groups[i].Updates))
		for j, u := range groups[i].Updates {
			group[j] = byID[u.UpdateID]
		}
		err := s.sendGroup(&groups[i])
		if len(group) > 1 && refuses(err) && refusesContent(err) {
			s.sendGroups(group[:len(group)/2])
			s.sendGroups(group[len(group)/2:])
			continue
		}
		s.answered(group, err)
	}
}

// refusesContent is false for a refusal of the group's signer or project.
func refusesContent(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusBadRequest || e.Status == http.StatusRequestEntityTooLarge)
}

func (s *Sender) sendGroup(g *Group) error {
	signed, err := g.Sign(s.life, s.o.Groups, s.o.Sign)
	if err == nil {
		var stored int
		var duplicates []score.UpdateID
		stored, duplicates, err = s.client.UpdateScores(s.life, signed)
		if told := stored + len(duplicates); err == nil && told != len(g.Updates) {
			err = fmt.Errorf("%w: it tells of %d updates, not of %d", ErrAnswer, told, len(g.Updates))
		}
	}
	return err
}

// resolve replaces names by indexes. It settles updates with unknown names as refused, with the API's error codes.
func (s *Sender) resolve(part []*held) ([]Update, map[score.UpdateID]*held, error) {
	s.mu.Lock()
	project, old := s.project, time.Since(s.projectSeen) > projectAge
	s.mu.Unlock()
	updates, byID, unknown := indexes(project, part)
	if old || len(unknown) > 0 {
		var err error
		if project, err = s.client.Project(s.life, s.o.Project); err != nil {
			return nil, nil, err
		}
		s.mu.Lock()
		s.project, s.projectSeen = project, time.Now()
		s.mu.Unlock()
		updates, byID, unknown = indexes(project, part)
	}
	for code, refused := range unknown {
		s.answered(refused, &Error{Status: http.StatusBadRequest, Code: code, Detail: "GET /projects tells of none of the name"})
	}
	return updates, byID, nil
}

// indexes replaces names by indexes. Updates with unknown names are in unknown, by error code.
func indexes(project *ProjectState, part []*held) (updates []Update, byID map[score.UpdateID]*held, unknown map[string][]*held) {
	byID, unknown = map[score.UpdateID]*held{}, map[string][]*held{}
	if project == nil {
		project = &ProjectState{}
	}
	for _, h := range part {
		u := &h.update
		action, known := project.ActionIndex(u.ActionName)
		if !known {
			unknown["unknown_action"] = append(unknown["unknown_action"], h)
			continue
		}
		scoreType, known := project.ScoreTypeIndex(u.ScoreType)
		if !known {
			unknown["unknown_score_type"] = append(unknown["unknown_score_type"], h)
			continue
		}
		updates = append(updates, Update{UpdateID: u.UpdateID, TargetWallet: u.TargetWallet, Action: action, ScoreType: scoreType})
		byID[u.UpdateID] = h
	}
	return updates, byID, unknown
}
