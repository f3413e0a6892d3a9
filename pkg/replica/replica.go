// Package replica keeps what each replica of the API and of the relayer says of itself: what no journal, lease or block tells, such as
// its version, and how the chain's endpoints do for it. People read it, nothing is decided by it.
//
// It is kept in the KV bucket of the leases, which every deployment has and in which keys can expire: what a replica said goes some
// seconds after the replica. Leases pass over its keys.
package replica

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// Bucket is the KV bucket's name; package stream creates it with everything else a deployment keeps.
const Bucket = "LEASES"

// Every is how often a replica tells, Lifetime how long it is believed: whole seconds.
const (
	Every    = 2 * time.Second
	Lifetime = 10 * time.Second
)

const prefix = "report."

// Report is what a replica says of itself.
type Report struct {
	Role      string              `json:"role"` // api or relayer
	Name      string              `json:"name"` // unique among those of its role; letters, digits, dash and underscore
	Version   string              `json:"version"`
	Began     time.Time           `json:"began"`
	At        time.Time           `json:"at"` // when NATS stored it; Reports sets it
	Endpoints []Endpoint          `json:"endpoints"`
	Lanes     map[score.Lane]Lane `json:"lanes,omitempty"` // that it drives
	Lately    *Lately             `json:"lately,omitempty"`
	TopUp     *TopUp              `json:"topUp,omitempty"` // nil: it tops no signer up
	Redis     string              `json:"redis,omitempty"` // what Redis answered, in its own words, to the newest call of the last minute that it refused
}

// TopUp is what a relayer knows of the account that tops lanes' signers up.
type TopUp struct {
	Account    common.Address `json:"account"`
	BalanceWei *big.Int       `json:"balanceWei,omitempty"` // nil: not known
	SpentWei   *big.Int       `json:"spentWei"`             // on this UTC day
	PerDayWei  *big.Int       `json:"perDayWei"`            // the ceiling of a day
	Lane       *score.Lane    `json:"lane,omitempty"`       // whose signer is being paid
	Wait       string         `json:"wait,omitempty"`       // why none is paid, as a topup.Wait
	Since      time.Time      `json:"since"`                // from when on
	Stopped    string         `json:"stopped,omitempty"`    // why a person has to look; a sentence
}

// Endpoint is how an endpoint of the chain does for a replica.
type Endpoint struct {
	Name   string `json:"name"` // never its URL, which may hold a key
	Up     bool   `json:"up"`
	Why    string `json:"why,omitempty"` // it is not up
	Newest uint64 `json:"newest"`        // number of its newest block seen; 0: none
	TookMS int64  `json:"tookMs"`        // its last answer, in milliseconds
}

// Lane is what a relayer knows of a lane that it drives.
type Lane struct {
	Wait    string    `json:"wait,omitempty"`  // why it binds nothing new, as a lane.Wait
	Since   time.Time `json:"since"`           // from when on
	Waiting uint64    `json:"waiting"`         // updates
	Lasts   *float64  `json:"lasts,omitempty"` // seconds that its signer's balance lasts, as the relayer saw it fall; nil: not known
	Lacks   *big.Int  `json:"lacks,omitempty"` // wei, at least, that its signer's balance lacks for another transaction; nil: none, or not known
}

// Tell replaces what the replica said before. After an error it may or may not have.
func Tell(ctx context.Context, js jetstream.JetStream, r Report) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("couldn't encode what %s says of itself: %w", r.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, Every)
	defer cancel()
	msg := &nats.Msg{Subject: "$KV." + Bucket + "." + prefix + r.Role + "." + r.Name, Data: data}
	if _, err := js.PublishMsg(ctx, msg, jetstream.WithMsgTTL(Lifetime), jetstream.WithRetryAttempts(0)); err != nil {
		return fmt.Errorf("couldn't tell what %s says of itself: %w", r.Name, err)
	}
	return nil
}

// Reports are what the replicas said last that told something in the last seconds, by the clock of NATS, which forgets nothing while it
// cannot write. What a newer version says and cannot be read is left out.
func Reports(ctx context.Context, js jetstream.JetStream) (reports []Report, err error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	bucket, err := js.Stream(ctx, "KV_"+Bucket)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the bucket %s: %w", Bucket, err)
	}
	now := bucket.CachedInfo().TimeStamp
	err = watched.All(ctx, js.Conn(), kv, func(e jetstream.KeyValueEntry) error {
		var r Report
		if strings.HasPrefix(e.Key(), prefix) && now.Sub(e.Created()) < 2*Lifetime && json.Unmarshal(e.Value(), &r) == nil {
			r.At = e.Created()
			reports = append(reports, r)
		}
		return nil
	})
	return reports, err
}
