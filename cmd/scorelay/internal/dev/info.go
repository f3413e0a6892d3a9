package dev

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/wallet"
)

// Info is the content of dev.json.
type Info struct {
	APIURL     string           `json:"apiUrl"`
	APIURLs    []string         `json:"apiUrls"` // of all APIs; the first is APIURL
	APIKey     string           `json:"apiKey"`
	RPCURL     string           `json:"rpcUrl"` // the first endpoint
	ChainID    uint64           `json:"chainId"`
	Contract   string           `json:"contract"`
	NATSURL    string           `json:"natsUrl"` // of all servers, comma-separated; MonitorURL likewise
	MonitorURL string           `json:"natsMonitorUrl"`
	RedisURL   string           `json:"redisUrl"`
	OwnerKey   string           `json:"ownerKey"`
	UpdaterKey string           `json:"updaterKey"`
	ProjectID  string           `json:"projectId"`
	Actions    []string         `json:"actions"`
	ScoreType  string           `json:"scoreType"`
	AdminURLs  []string         `json:"adminUrls"` // of every API and relayer: /livez /readyz /metrics
	PIDs       map[string][]int `json:"pids"`      // by role: dev, chain, nats, redis, api, relayer; kept current

	Confirmations uint64 `json:"confirmations"` // that make a block final, itself included; 0: by the finalized tag
}

// ReadInfo reads a data directory's dev.json; fs.ErrNotExist if no stack is running there.
func ReadInfo(dataDir string) (*Info, error) {
	raw, err := os.ReadFile(infoPath(dataDir))
	if err != nil {
		return nil, fmt.Errorf("couldn't read what `scorelay dev` wrote: %w", err)
	}
	var info Info
	if err := json.Unmarshal(raw, &info); err != nil {
		return nil, fmt.Errorf("couldn't read %s: %w", infoPath(dataDir), err)
	}
	return &info, nil
}

func (i *Info) Domain() wallet.Domain {
	return wallet.NewDomain(i.ChainID, common.HexToAddress(i.Contract))
}

func infoPath(dataDir string) string { return filepath.Join(dataDir, "dev.json") }

// infoFile is the content of dev.json. From publish on, each change is written.
type infoFile struct {
	dataDir string

	mu        sync.Mutex
	info      Info
	published bool
}

func (f *infoFile) publish(fill func(*Info)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	fill(&f.info)
	f.published = true
	return f.write()
}

// setPID sets a role's i-th process id; 0: not running.
func (f *infoFile) setPID(role string, i, pid int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.info.PIDs == nil {
		f.info.PIDs = map[string][]int{}
	}
	for len(f.info.PIDs[role]) <= i {
		f.info.PIDs[role] = append(f.info.PIDs[role], 0)
	}
	f.info.PIDs[role][i] = pid
	if !f.published {
		return nil
	}
	return f.write()
}

func (f *infoFile) write() error {
	return writeJSON(infoPath(f.dataDir), f.info.living())
}

func (i Info) living() Info {
	living := make(map[string][]int, len(i.PIDs))
	for role, pids := range i.PIDs {
		living[role] = []int{}
		for _, pid := range pids {
			if pid != 0 {
				living[role] = append(living[role], pid)
			}
		}
	}
	i.PIDs = living
	return i
}

func (f *infoFile) remove() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.published = false
	if err := os.Remove(infoPath(f.dataDir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("couldn't remove dev.json: %w", err)
	}
	return nil
}
