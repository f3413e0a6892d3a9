package dev

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// awaitReady waits until the process with this admin listener says that it should get work.
func awaitReady(ctx context.Context, url string) error {
	client := &http.Client{Timeout: 5 * time.Second}
	var last string
	for {
		answer, err := readyz(ctx, client, url)
		switch {
		case err != nil:
			last = err.Error()
		case answer == "ok":
			return nil
		default:
			last = answer
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the process at %s did not become ready in time: %s", url, last)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func readyz(ctx context.Context, client *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	return strings.TrimSpace(string(raw)), err
}
