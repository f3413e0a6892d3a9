// Package replica keeps the status reports of the API and relayer replicas. A report contains facts that journals,
// leases and blocks lack, such as the version. Reports are for display only.
//
// They are in the KV bucket of the leases, in which keys can expire: a report expires some seconds after its replica
// ends. Package lease ignores these keys.
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

// Bucket is the KV bucket; package stream creates it.
const Bucket = "LEASES"

// Every is the interval of reports, and Lifetime is how long one is valid; both in whole seconds.
const (
	Every    = 2 * time.Second
	Lifetime = 10 * time.Second
)

const prefix = "report."

type Report struct {
	Role      string              `json:"role"` // api or relayer
	Name      string              `json:"name"` // unique within the role; letters, digits, dash and underscore
	Version   string              `json:"version"`
	Began     time.Time           `json:"began"`
	At        time.Time           `json:"at"` // NATS's time of storage, set by Reports
	Endpoints []Endpoint          `json:"endpoints"`
	Lanes     map[score.Lane]Lane `json:"lanes,omitempty"` // driven
	Lately    *Lately             `json:"lately,omitempty"`
	TopUp     *TopUp              `json:"topUp,omitempty"` // nil: top-ups are off
	// Redis's text for the newest call that it refused in the last minute
	Redis string `json:"redis,omitempty"`
}

// TopUp is the state of the account that funds signers.
type TopUp struct {
	Account    common.Address `json:"account"`
	BalanceWei *big.Int       `json:"balanceWei,omitempty"` // nil: unknown
	SpentWei   *big.Int       `json:"spentWei"`             // on this UTC day
	PerDayWei  *big.Int       `json:"perDayWei"`            // daily limit
	Lane       *score.Lane    `json:"lane,omitempty"`       // being paid
	Wait       string         `json:"wait,omitempty"`       // why payments wait, as a topup.Wait
	Since      time.Time      `json:"since"`                // start of Wait
	Stopped    string         `json:"stopped,omitempty"`    // why an operator must look
}

type Endpoint struct {
	Name   string `json:"name"` // its URL may contain a key
	Up     bool   `json:"up"`
	Why    string `json:"why,omitempty"` // why it is down
	Newest uint64 `json:"newest"`        // number of its newest block; 0: none
	TookMS int64  `json:"tookMs"`        // of the last reply, in milliseconds
}

type Lane struct {
	Wait    string    `json:"wait,omitempty"` // as a lane.Wait
	Since   time.Time `json:"since"`          // start of Wait
	Waiting uint64    `json:"waiting"`        // backlog, in updates
	// seconds until the signer's balance is used up, at the observed rate; nil: unknown
	Lasts *float64 `json:"lasts,omitempty"`
	// minimum in wei that the signer's balance lacks for another transaction; nil: 0 or unknown
	Lacks *big.Int `json:"lacks,omitempty"`
}

// After an error the report may have been replaced.
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

// Reports returns the reports younger than 2 × Lifetime by NATS's clock, since NATS expires keys only while it can
// write. Reports that fail to decode are left out.
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
