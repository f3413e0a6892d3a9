package kv

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

func (s *share) situation() situation {
	driven, able := s.lanes()
	now := situation{able: map[string][]score.Lane{s.config.Replica: able}, holder: map[score.Lane]string{}}
	at, known := time.Now(), map[score.Lane]bool{}
	for _, id := range driven {
		known[id] = true
	}
	for key, e := range s.board.keys {
		if name, is := strings.CutPrefix(key, replicaPrefix); is && key != s.self.key && s.board.alive(key, at) {
			now.able[name] = slices.DeleteFunc(ableOf(e.value), func(id score.Lane) bool { return !known[id] })
		}
	}
	for _, id := range driven {
		if key := laneKey(id); s.held[id] != nil {
			now.holder[id] = s.config.Replica
		} else if s.board.alive(key, at) {
			now.holder[id] = holderOf(s.board.keys[key].value)
		}
	}
	return now
}

func (s *share) plan() map[score.Lane]string {
	if now := s.situation(); s.planned == nil || !now.equal(s.seen) {
		s.seen, s.planned = now, now.placeLanes()
	}
	return s.planned
}

// giveOneBack releases one lane per round that the plan gives to another replica, since a lane assigns no updates
// during its move.
func (s *share) giveOneBack() {
	if !s.board.whole {
		return
	}
	plan := s.plan()
	for _, lane := range slices.Sorted(maps.Keys(s.held)) {
		if h := s.held[lane]; !h.ending && plan[lane] != s.config.Replica {
			s.log.Info("the replica gives a lane back", "lane", lane, "to", plan[lane])
			s.end(h)
			return
		}
	}
}

func (s *share) say() {
	if !s.board.whole {
		return
	}
	plan := s.plan()
	idle := len(s.held) == 0 && !slices.Contains(slices.Collect(maps.Values(plan)), s.config.Replica)
	if idle && !s.idle {
		s.log.Info("the replica stands by: the others drive all lanes that it has keys for, and it takes over when one ends")
	}
	driven, _ := s.lanes()
	orphans := ""
	for _, id := range driven {
		if _, someone := plan[id]; !someone {
			orphans += " " + strconv.Itoa(int(id))
		}
	}
	if orphans != s.orphans && orphans != "" {
		s.log.Warn("no replica has the keys of these lanes, so they are not driven; give a relayer the keys, or cut the lanes if they are lost",
			"lanes", orphans[1:])
	}
	s.idle, s.orphans = idle, orphans
}
