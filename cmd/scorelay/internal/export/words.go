package export

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// errContradiction reports that the events that were read cannot be all events of the project.
var errContradiction = errors.New("the contract's events contradict each other; is the deployment's block right?")

// words are what an update's indexes mean in the project. Lists only grow.
type words struct {
	Created    uint64 `json:"created"` // block
	Actions    []word `json:"actions"`
	ScoreTypes []word `json:"scoreTypes"`
}

// word is the name of an action or a score type, and from which block on the project has it.
type word struct {
	Name   string `json:"name"`
	Points int64  `json:"points,omitempty"` // signed, of an action
	Since  uint64 `json:"since"`
}

// with is what an event of the project makes of the words, which are nil before its creation; changes reports whether
// it says anything of the project.
func (w *words) with(
	event registry.Event, project score.ProjectID, block uint64,
) (now *words, changes bool, err error) {
	switch e := event.(type) {
	case registry.ProjectCreated:
		if e.Project.ID != project {
			return w, false, nil
		}
		if w != nil {
			return w, false, fmt.Errorf("%w: the project was created twice", errContradiction)
		}
		w = &words{Created: block}
		for _, a := range e.Project.Actions {
			w.Actions = append(w.Actions, word{a.Name, a.Delta(), block})
		}
		for _, name := range e.Project.ScoreTypes {
			w.ScoreTypes = append(w.ScoreTypes, word{Name: name, Since: block})
		}
		return w, true, nil
	case registry.ActionAdded:
		if e.Project != project {
			return w, false, nil
		}
		if w == nil || int(e.Index) != len(w.Actions) {
			return w, false, fmt.Errorf("%w: action %d does not follow the others", errContradiction, e.Index)
		}
		w.Actions = append(w.Actions, word{e.Action.Name, e.Action.Delta(), block})
		return w, true, nil
	case registry.ScoreTypeAdded:
		if e.Project != project {
			return w, false, nil
		}
		if w == nil || int(e.Index) != len(w.ScoreTypes) {
			return w, false, fmt.Errorf("%w: score type %d does not follow the others", errContradiction, e.Index)
		}
		w.ScoreTypes = append(w.ScoreTypes, word{Name: e.Name, Since: block})
		return w, true, nil
	}
	return w, false, nil
}

// until leaves out what came in blocks above one; nil if the project's creation did.
func (w *words) until(block uint64) *words {
	if w == nil || w.Created > block {
		return nil
	}
	above := func(is word) bool { return is.Since > block }
	return &words{w.Created, slices.DeleteFunc(w.Actions, above), slices.DeleteFunc(w.ScoreTypes, above)}
}

// name tells what the contract did with an update in the project's words, as of then.
func (w *words) name(e *score.Execution) (action, scoreType string, err error) {
	if w == nil {
		return "", "", fmt.Errorf("%w: update %s is of a project that was not created", errContradiction, e.ID)
	}
	known := 0
	if i := int(e.Action); i < len(w.Actions) {
		action, e.Points = w.Actions[i].Name, w.Actions[i].Points
		known++
	}
	if i := int(e.ScoreType); i < len(w.ScoreTypes) {
		scoreType = w.ScoreTypes[i].Name
		known++
	}
	if e.Outcome != score.Applied {
		e.Points = 0
	} else if known < 2 {
		return "", "", fmt.Errorf("%w: update %s was applied, of an action or score type that is not there",
			errContradiction, e.ID)
	}
	return action, scoreType, nil
}
