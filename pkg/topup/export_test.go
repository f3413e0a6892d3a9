package topup

import "context"

// Round reads the record and does the next thing, as Run does now and then.
func (t *TopUp) Round(ctx context.Context) { t.round(ctx) }
