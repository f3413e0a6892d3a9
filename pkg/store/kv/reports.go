package kv

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// ReportEvery is the interval of reports, and reportLifetime is how long one is valid; both in whole seconds.
const (
	ReportEvery    = 2 * time.Second
	reportLifetime = 10 * time.Second
)

// Report is what a replica of the API or relayer publishes about itself: facts that journals, leases and blocks lack,
// such as the version. Reports are for display only. They are in the bucket of the leases, in which keys can expire:
// a report expires some seconds after its replica ends.
type Report struct {
	Role      string                    `json:"role"` // api or relayer
	Name      string                    `json:"name"` // unique within the role; letters, digits, dash and underscore
	Version   string                    `json:"version"`
	Began     time.Time                 `json:"began"`
	At        time.Time                 `json:"at"` // NATS's time of storage, set by Reports
	Endpoints []EndpointReport          `json:"endpoints"`
	Lanes     map[score.Lane]LaneReport `json:"lanes,omitempty"` // driven
	Lately    *Lately                   `json:"lately,omitempty"`
	TopUp     *TopUpReport              `json:"topUp,omitempty"` // nil: top-ups are off
	// Redis's text for the newest call that it refused in the last minute
	Redis string `json:"redis,omitempty"`
}

// TopUpReport is the state of the account that funds signers.
type TopUpReport struct {
	Account    common.Address `json:"account"`
	BalanceWei *big.Int       `json:"balanceWei,omitempty"` // nil: unknown
	SpentWei   *big.Int       `json:"spentWei"`             // on this UTC day
	PerDayWei  *big.Int       `json:"perDayWei"`            // daily limit
	Lane       *score.Lane    `json:"lane,omitempty"`       // being paid
	Wait       string         `json:"wait,omitempty"`       // why payments wait, as a topup.Wait
	Since      time.Time      `json:"since"`                // start of Wait
	Stopped    string         `json:"stopped,omitempty"`    // why an operator must look
}

type EndpointReport struct {
	Name   string `json:"name"` // its URL may contain a key
	Up     bool   `json:"up"`
	Why    string `json:"why,omitempty"` // why it is down
	Newest uint64 `json:"newest"`        // number of its newest block; 0: none
	TookMS int64  `json:"tookMs"`        // of the last reply, in milliseconds
}

type LaneReport struct {
	Wait    string    `json:"wait,omitempty"` // as a lane.Wait
	Since   time.Time `json:"since"`          // start of Wait
	Waiting uint64    `json:"waiting"`        // backlog, in updates
	// seconds until the signer's balance is used up, at the observed rate; nil: unknown
	Lasts *float64 `json:"lasts,omitempty"`
	// minimum in wei that the signer's balance lacks for another transaction; nil: 0 or unknown
	Lacks *big.Int `json:"lacks,omitempty"`
}

const reportKeys, aReport = "report.*.*", "a report"

// PutReport stores a replica's report. After an error it may be stored.
func PutReport(ctx context.Context, js jetstream.JetStream, r Report) error {
	ctx, cancel := context.WithTimeout(ctx, ReportEvery)
	defer cancel()
	all := Map[Report]{bucket{name: leasesBucket, js: js}, reportKeys, aReport} // Put needs no open bucket
	return all.Put(ctx, "report."+r.Role+"."+r.Name, r, reportLifetime)
}

// Reports returns the reports younger than twice their lifetime by NATS's clock, since NATS expires keys only while
// it can write. Invalid reports are left out.
func Reports(ctx context.Context, js jetstream.JetStream) (reports []Report, err error) {
	all, err := OpenMap[Report](ctx, js, leasesBucket, reportKeys, aReport)
	if err != nil {
		return nil, err
	}
	s, err := js.Stream(ctx, all.bucket.stream())
	if err != nil {
		return nil, fmt.Errorf("couldn't read the bucket %s: %w", leasesBucket, err)
	}
	now := s.CachedInfo().TimeStamp
	err = all.Each(ctx, func(e Entry[Report], err error) error {
		if err == nil && now.Sub(e.Stored) < 2*reportLifetime {
			e.Document.At = e.Stored
			reports = append(reports, e.Document)
		}
		return nil
	})
	return reports, err
}

// Audit is the result of the last `scorelay audit`.
type Audit struct {
	At     time.Time `json:"at"`     // NATS's time of storage, set by LastAudit
	Status int       `json:"status"` // the command's exit status
}

const auditKey = "audit"

func openAudit(ctx context.Context, js jetstream.JetStream) (Map[Audit], error) {
	return OpenMap[Audit](ctx, js, leasesBucket, auditKey, "the result of the last audit")
}

// PutAudit replaces the result of the last audit. After an error it may have been replaced.
func PutAudit(ctx context.Context, js jetstream.JetStream, a Audit) error {
	audits, err := openAudit(ctx, js)
	if err != nil {
		return err
	}
	return audits.Put(ctx, auditKey, a, 0)
}

// LastAudit returns nil before the first audit.
func LastAudit(ctx context.Context, js jetstream.JetStream) (*Audit, error) {
	audits, err := openAudit(ctx, js)
	if err != nil {
		return nil, err
	}
	e, err := audits.Get(ctx, auditKey)
	if err != nil || e.Revision == 0 {
		return nil, err
	}
	e.Document.At = e.Stored
	return &e.Document, nil
}
