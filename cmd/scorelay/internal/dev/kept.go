package dev

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
)

type kept struct {
	Port     int      `json:"port"`
	RPCPort  int      `json:"rpcPort"`
	Lanes    int      `json:"lanes"`
	ChainRPC []string `json:"chainRpc,omitempty"` // of the outside chain; empty: our own

	// Ready is set by the first complete start, with the fields below. While it is false, the next start discards the
	// data.
	Ready     bool            `json:"ready"`
	APIKey    string          `json:"apiKey,omitempty"`
	APIKeyID  string          `json:"apiKeyId,omitempty"`
	ProjectID score.ProjectID `json:"projectId"`
}

// readKept returns nil if kept.json is missing.
func (d *dataDir) readKept() (*kept, error) {
	raw, err := os.ReadFile(d.settings())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't read what the data directory keeps: %w", err)
	}
	k := &kept{}
	if err = json.Unmarshal(raw, k); err == nil && k.Lanes < 1 {
		err = errors.New("it names no lanes")
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't read %s (`scorelay dev --fresh` begins again): %w", d.settings(), err)
	}
	return k, nil
}

func (d *dataDir) writeKept(k *kept) error { return devnet.WriteJSON(d.settings(), k) }
