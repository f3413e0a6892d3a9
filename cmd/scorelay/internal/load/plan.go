package load

import (
	"fmt"
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Place is where a plan's updates go.
type Place struct {
	Project   score.ProjectID
	Actions   []string
	ScoreType string
	Updaters  []*Wallet // members of the project, who sign
	Stranger  *Wallet   // not a member
	Targets   []common.Address
}

// RandomTargets makes n addresses whose scores may change.
func RandomTargets(n int) []common.Address {
	targets := make([]common.Address, n)
	for i := range targets {
		for j := range targets[i] {
			targets[i][j] = byte(rand.Uint32())
		}
	}
	return targets
}

// Plan is n updates in the order to send them. Half of the ids are random, half consecutive. In each hundred, one
// update is sent again (1 %) and one is invalid (1 %): an unknown action, an unknown score type or a stranger's
// signature in turn.
func Plan(place *Place, n int) []Update {
	random, consecutive := NewIDs(false), NewIDs(true)
	updates := make([]Update, n)
	for i := range updates {
		u := &updates[i]
		*u = Update{
			Project: place.Project, Action: place.Actions[i%len(place.Actions)], ScoreType: place.ScoreType,
			Target: place.Targets[i%len(place.Targets)], Wallet: place.Updaters[i%len(place.Updaters)],
		}
		switch {
		case i%100 == 50:
			*u = updates[i-40]
			u.Again = true
			continue
		case i%100 == 99:
			u.ID, u.Invalid = random.Next(), true
			switch i / 100 % 3 {
			case 0:
				u.Action = fmt.Sprintf("no such action %d", i)
			case 1:
				u.ScoreType = fmt.Sprintf("no such score type %d", i)
			case 2:
				u.Wallet = place.Stranger
			}
			continue
		case i%2 == 0:
			u.ID = random.Next()
		default:
			u.ID = consecutive.Next()
		}
	}
	return updates
}
