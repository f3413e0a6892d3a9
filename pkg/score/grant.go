package score

import (
	"strconv"
	"time"
)

// Rights are the permitted uses of an API key, as bits.
type Rights uint8

const (
	MayCreate Rights = 1 << iota // create projects, submit edits of their owners
	MayUpdate                    // send updates, reserve ids
	MayRead

	AllRights = MayCreate | MayUpdate | MayRead
)

// Grant is the permissions and limits of an API key. It is immutable.
type Grant struct {
	Key    string // the key's id, not secret
	Name   string // of the holder
	Budget Budget
	Rights Rights

	Projects map[ProjectID]struct{} // the permitted ones; empty: all
	Whole    bool                   // rejects signatures that cover only the time
	Expires  time.Time              // when it is first rejected; zero: never
}

func (g *Grant) Covers(project ProjectID) bool {
	if len(g.Projects) == 0 {
		return true
	}
	_, covered := g.Projects[project]
	return covered
}

func (g *Grant) Expired(now time.Time) bool { return !g.Expires.IsZero() && !now.Before(g.Expires) }

// Budget is the limits of a key: Updates and LookUps per second, all others per UTC day. Gas is the worst case of
// accepted updates, creations and edits; Gwei is its cost at the price of that time. Zero Updates, LookUps and Gas
// mean the API's defaults; any other zero means unlimited.
type Budget struct {
	Updates int // a creation, an edit or a reservation of ids counts as one
	LookUps int
	Gas     uint64
	Gwei    uint64
	Creates uint64 // worst-case gas of creations and edits
	Words   uint64 // different words of ids, by estimate
	Wallets uint64 // different wallets, each counted once for every four score types, by estimate
}

// Quota is the limits of one resource. Zero PerSecond, Gas or Gwei: unlimited.
type Quota struct {
	PerSecond int
	Burst     int    // units at once, a multiple of PerSecond
	Gas       uint64 // per UTC day
	Gwei      uint64 // per UTC day
}

// QuotaOf returns a quota, unlimited if perSecond is 0 or less. Its burst is the units of as many whole seconds as
// atOnce units need.
func QuotaOf(perSecond, atOnce int) Quota {
	if perSecond <= 0 {
		return Quota{}
	}
	seconds := max((atOnce+perSecond-1)/perSecond, 1)
	return Quota{PerSecond: perSecond, Burst: perSecond * seconds}
}

// Seconds returns the time in which an empty burst refills; 0 if unlimited.
func (q Quota) Seconds() int {
	if q.PerSecond == 0 {
		return 0
	}
	return q.Burst / q.PerSecond
}

// Cost is a request's use of a Quota.
type Cost struct {
	Units int
	Gas   uint64
	Bytes uint64 // of its transactions, at most
	Gwei  uint64 // price of Gas and Bytes; 0 without a Gwei limit
	// At is a time before the cost was taken. Gas and Gwei are refunded only on that UTC day.
	At time.Time
}

// Left is the remainder of a Quota after a request.
type Left struct {
	// Wait is the time until the request may pass; 0: now.
	Wait   time.Duration
	NoGas  bool // the request waits for gas; NoGwei likewise
	NoGwei bool
	Units  int           // available now
	Full   time.Duration // until Burst is available
	// Gas and Gwei are the rest for the UTC day. Gwei is set only if the rest of the quota permits the request.
	Gas  uint64
	Gwei uint64
}

// Gwei prints in ether.
type Gwei uint64

func (g Gwei) String() string { return strconv.FormatFloat(float64(g)/1e9, 'f', -1, 64) }
