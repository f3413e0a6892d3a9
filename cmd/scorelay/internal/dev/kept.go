package dev

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/keyfile"
)

type kept struct {
	Port     int      `json:"port"` // as requested; 0 requests any free one
	RPCPort  int      `json:"rpcPort"`
	NATSPort int      `json:"natsPort"`
	Ports    ports    `json:"ports"`
	Lanes    int      `json:"lanes"`
	Servers  int      `json:"natsServers,omitempty"` // more than one: a cluster
	ChainRPC []string `json:"chainRpc,omitempty"`    // of the outside chain; empty: our own

	// Ready is set by the first complete start, with the fields below. While it is false, the next start discards the
	// data.
	Ready     bool        `json:"ready"`
	APIKey    string      `json:"apiKey,omitempty"`
	APIKeyID  string      `json:"apiKeyId,omitempty"`
	ProjectID common.Hash `json:"projectId"`
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
	if err := json.Unmarshal(raw, k); err != nil {
		return nil, fmt.Errorf("couldn't read %s (`scorelay dev --fresh` begins again): %w", d.settings(), err)
	}
	return k, nil
}

func (d *dataDir) writeKept(k *kept) error { return writeJSON(d.settings(), k) }

func writeJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = keyfile.Replace(path, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("couldn't write %s: %w", path, err)
	}
	return nil
}

// merge returns the settings to keep: the command line's, else before's, else the defaults. before may be nil. A
// change that existing data forbids is an error.
func (o *Options) merge(before *kept) (*kept, error) {
	now := &kept{Port: DefaultPort, RPCPort: DefaultRPCPort, Lanes: DefaultLanes, ChainRPC: o.ChainRPC}
	if before != nil {
		*now = *before
	}
	rpcPort := o.RPCPort
	if o.Port != nil && *o.Port == 0 && rpcPort == nil {
		rpcPort = o.Port // --port 0 requests a free port for the chain, too
	}
	if o.Port != nil && *o.Port != now.Port {
		now.Port, now.Ports.API = *o.Port, nil
	}
	if rpcPort != nil && *rpcPort != now.RPCPort {
		now.RPCPort, now.Ports.RPC = *rpcPort, 0
	}
	if o.NATSPort != nil && *o.NATSPort != now.NATSPort {
		now.NATSPort, now.Ports.NATS = *o.NATSPort, 0
	}
	const begin = "; begin again with --fresh, or choose another folder with --data-dir"
	if o.Lanes != nil && *o.Lanes != now.Lanes {
		if now.Ready {
			return nil, fmt.Errorf("--lanes is %d, but this data directory has %d lanes, and their number is fixed"+begin, *o.Lanes, now.Lanes)
		}
		now.Lanes = *o.Lanes
	}
	if o.NATSServers != nil && *o.NATSServers != max(now.Servers, 1) {
		if now.Ready {
			return nil, fmt.Errorf("--nats-servers is %d, but this data directory has %d, and their number is fixed"+begin, *o.NATSServers, max(now.Servers, 1))
		}
		now.Servers = *o.NATSServers
	}
	if now.Servers > 1 && !o.Separate {
		return nil, fmt.Errorf("this data directory has %d NATS servers: start it with --separate"+begin, now.Servers)
	}
	if len(o.ChainRPC) > 0 && !slices.Equal(o.ChainRPC, now.ChainRPC) {
		if now.Ready && len(now.ChainRPC) == 0 {
			return nil, errors.New("--chain-rpc asks for an outside chain, but this data directory has a chain of its own" + begin)
		}
		now.ChainRPC = o.ChainRPC
	}
	return now, nil
}

func (k *kept) forget() { k.Ready, k.APIKey, k.APIKeyID, k.ProjectID = false, "", "", common.Hash{} }
