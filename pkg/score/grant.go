package score

import (
	"strconv"
	"time"
)

// Rights are what an API key may be used for, a bit each.
type Rights uint8

// The rights.
const (
	MayCreate Rights = 1 << iota // create projects, and send their owners' edits
	MayUpdate                    // send updates, and reserve ids for them
	MayRead                      // look up

	AllRights = MayCreate | MayUpdate | MayRead
)

// Grant is what an API key allows its holder. It is shared, and never changes.
type Grant struct {
	Key    string // its id, which is no secret
	Name   string // whose it is
	Budget Budget
	Rights Rights

	Projects map[ProjectID]struct{} // to which it is bound; empty: to none
	Whole    bool                   // it takes no signature that covers only the time
	Expires  time.Time              // from when on it is refused; zero: never
}

// Covers tells whether the key may be used for a project.
func (g *Grant) Covers(project ProjectID) bool {
	if len(g.Projects) == 0 {
		return true
	}
	_, covered := g.Projects[project]
	return covered
}

// Expired tells whether the key is refused for its age.
func (g *Grant) Expired(now time.Time) bool { return !g.Expires.IsZero() && !now.Before(g.Expires) }

// Budget is how much a key may use; zero of anything is the API's default.
type Budget struct {
	Updates int    // a second; a creation, an edit or a reservation of ids counts as one
	LookUps int    // a second
	Gas     uint64 // a UTC day: what its accepted updates, creations and edits take at worst
	Gwei    uint64 // a UTC day: what they cost at worst, at the price when each was accepted; 0 is no bound
	Creates uint64 // gas a UTC day: what its creations and edits take at worst; 0 is no bound
	Words   uint64 // a UTC day: different words of its updates' ids, about; 0 is no bound
	Wallets uint64 // a UTC day: different wallets of its updates, four score types each, about; 0 is no bound
}

// Quota is what a key may take of one thing. A zero PerSecond, Gas or Gwei bounds nothing.
type Quota struct {
	PerSecond int    // units that come back
	Burst     int    // units that may be taken at once: those of whole seconds
	Gas       uint64 // a UTC day
	Gwei      uint64 // a UTC day
}

// QuotaOf is the quota of so many units a second, of which at least atOnce may come at once: of the least whole number of
// seconds that bring so many.
func QuotaOf(perSecond, atOnce int) Quota {
	if perSecond <= 0 {
		return Quota{}
	}
	seconds := max((atOnce+perSecond-1)/perSecond, 1)
	return Quota{PerSecond: perSecond, Burst: perSecond * seconds}
}

// Seconds is how long it takes until all of the burst is back.
func (q Quota) Seconds() int {
	if q.PerSecond == 0 {
		return 0
	}
	return q.Burst / q.PerSecond
}

// Cost is what a request takes of a Quota.
type Cost struct {
	Units int
	Gas   uint64
	Bytes uint64    // of transactions, that it takes at most
	Gwei  uint64    // what Gas and Bytes cost; 0 where the Quota bounds no Gwei
	At    time.Time // before it was taken: gas and gwei are given back on the same UTC day only
}

// Left is what a request leaves of a Quota.
type Left struct {
	Wait   time.Duration // 0: the request may pass; else until it may
	NoGas  bool          // it is for want of gas that it must wait
	NoGwei bool          // it is for want of gwei
	Units  int           // that may be taken now
	Full   time.Duration // until Burst may be taken
	Gas    uint64        // of the day
	Gwei   uint64        // of the day; only of a request that the rest of the quota lets pass
}

// Gwei is an amount of ether, and prints as ether.
type Gwei uint64

func (g Gwei) String() string { return strconv.FormatFloat(float64(g)/1e9, 'f', -1, 64) }
