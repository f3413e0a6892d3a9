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
	maxAsked   = time.Hour // no API asks for more

	projectAge = time.Minute // after which a name may mean another index, since an owner edited the project
)

// pace says when the next request may begin. After a failure it is one at a time, until one succeeds.
type pace struct {
	requests int // in progress
	failures int // in a row
	resume   time.Time
	err      error
}

func (p *pace) failed(err error) {
	p.err = err
	now := time.Now()
	if now.Before(p.resume) { // one of several that were in progress when the API went away
		return
	}
	pause := min(firstPause<<min(p.failures, 10), maxPause)
	p.failures++
	var asked *Error
	if errors.As(err, &asked) && asked.Status != 0 { // by an answer
		pause = max(pause, min(asked.RetryAfter, maxAsked))
	}
	p.resume = now.Add(pause + rand.N(pause/2)) // not all senders at once
}

func (p *pace) succeeded() { p.failures, p.resume, p.err = 0, time.Time{}, nil }

// work sends what is queued, until the sender ends.
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

// take waits for what the next request shall carry; nil: the sender ends.
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

// due is how many of the queue's updates the next request carries, and if none how long that stays so, unless s changes.
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

// send sends updates once. Those that were neither accepted nor refused are queued again, behind the others: so none that
// always fails keeps others back.
func (s *Sender) send(part []*held) {
	if s.o.Groups != (wallet.Domain{}) {
		s.sendGroups(part)
		return
	}
	_, err := s.client.UpdateScore(s.life, part[0].update, s.o.Sign, s.o.Scheme)
	s.answered(part, err)
}

// answered notes what the API said to a request.
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

// told sets the pace after a request.
func (s *Sender) told(well bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if well {
		s.pace.succeeded()
	} else {
		s.pace.failed(err)
	}
}

// refuses tells whether the API refused an update for good. All else may pass: what has no code did not come from the API but
// from what is between, and the rest concerns the sender: its key, its address of the API, its clock, what is between.
func refuses(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.RetryAfter > 0 || e.Code == "" || e.Status < 400 || e.Status == http.StatusUnauthorized {
		return false
	}
	return !slices.Contains([]string{"key_lacks_right", "key_other_projects", "message_too_old", "message_in_future", "not_found", "method_not_allowed", "headers_too_large", "unsupported_media_type", "unsupported_encoding"}, e.Code)
}

// sendGroups sends updates in signed groups. A group that is refused for what is in it is halved, until what is wrong is alone.
func (s *Sender) sendGroups(part []*held) {
	updates, byID, err := s.resolve(part)
	if err != nil {
		s.answered(part, err)
		return
	}
	groups, err := BuildGroups(s.o.Project, updates)
	if err != nil { // Enqueue looked at all that could be wrong
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

// refusesContent tells a refusal of what a group holds from one of its signer or project.
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

// resolve finds the indexes of the updates' names. Updates with a name that the project does not have are refused, as the API
// refuses them.
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

// indexes resolves what the project has, and tells of the rest by which code the API refuses it.
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
