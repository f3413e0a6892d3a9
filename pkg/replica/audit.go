package replica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/watched"
)

const auditKey = "audit"

// Audit is the result of the last `scorelay audit`.
type Audit struct {
	At     time.Time `json:"at"`     // NATS's time of storage, set by LastAudit
	Status int       `json:"status"` // the command's exit status
}

// After an error of TellAudit the result may have been replaced.
func TellAudit(ctx context.Context, js jetstream.JetStream, a Audit) error {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return err
	}
	data, err := json.Marshal(a)
	if err == nil {
		_, err = kv.Put(ctx, auditKey, data)
	}
	if err != nil {
		return fmt.Errorf("couldn't store the result of the audit: %w", err)
	}
	return nil
}

// LastAudit returns nil if there was none.
func LastAudit(ctx context.Context, js jetstream.JetStream) (*Audit, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	entry, err := kv.Get(ctx, auditKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil //nolint:nilnil // there was none, which is an answer
	}
	a := &Audit{}
	if err == nil {
		err = json.Unmarshal(entry.Value(), a)
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't read the result of the last audit: %w", err)
	}
	a.At = entry.Created()
	return a, nil
}
