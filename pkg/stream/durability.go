package stream

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
)

// VerifySyncAlways asks a NATS server's monitoring endpoint (http://host:8222) whether it syncs every write before it
// acknowledges it. ErrUnsafe if it does not: an acknowledged update could be lost with the machine's power.
func VerifySyncAlways(ctx context.Context, monitorURL string) error {
	url := strings.TrimSuffix(monitorURL, "/") + "/jsz?config=1"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("couldn't ask %s for the server's settings: %w", monitorURL, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("couldn't ask %s for the server's settings: %w", monitorURL, err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Config struct {
			SyncAlways bool `json:"sync_always"`
		} `json:"config"`
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("couldn't ask %s for the server's settings: it answered %s", monitorURL, resp.Status)
	}
	if err := json.UnmarshalRead(io.LimitReader(resp.Body, 1<<20), &answer); err != nil {
		return fmt.Errorf("couldn't read the settings %s answered: %w", monitorURL, err)
	}
	if !answer.Config.SyncAlways {
		return fmt.Errorf("the NATS server at %s is %w: set sync_interval: always in its jetstream block", monitorURL, ErrUnsafe)
	}
	return nil
}
