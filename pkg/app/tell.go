package app

import (
	"context"
	"time"

	"github.com/scorelay/scorelay/pkg/lifecycle"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// tellPart publishes the process's report every kv.ReportEvery, for `scorelay status`. counts returns its totals since
// the start. add completes the report; nil for an API.
func (p *process) tellPart(role, name string, counts func() kv.Counts, add func(*kv.Report)) lifecycle.Part {
	began := time.Now().UTC()
	return loop("what the process says of itself", func(ctx context.Context) error {
		silent, lately := false, kv.Window{}
		for {
			report := kv.Report{Role: role, Name: name, Version: Version(), Began: began, Endpoints: []kv.EndpointReport{}, Redis: p.redis.Refused()}
			for _, h := range p.chain.Health() {
				report.Endpoints = append(report.Endpoints, kv.EndpointReport{Name: h.Endpoint, Up: h.Up, Why: h.Why, Newest: h.Newest, TookMS: h.Took.Milliseconds()})
			}
			if add != nil {
				add(&report)
			}
			report.Lately = lately.Add(time.Now(), counts())
			err := kv.PutReport(ctx, p.js, report)
			if err != nil && ctx.Err() == nil && !silent {
				p.log.Warn("the process couldn't tell its status; it tries again", "err", err)
			}
			silent = err != nil
			if err := retry.Sleep(ctx, kv.ReportEvery); err != nil {
				return err
			}
		}
	})
}
