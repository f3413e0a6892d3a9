package devnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Indexes of Key, of which anyone can compute the keys. Lanes' signers begin at AccountSigner.
const (
	AccountAdmin = iota
	AccountOwner
	AccountUpdater
	AccountUpdater2
	AccountUpdater3
	AccountSigner = 10
)

const DemoScoreType = "reputation"

// DemoActions returns the demo project's actions.
func DemoActions() []score.Action {
	return []score.Action{
		{Name: "purchase", Points: 50}, {Name: "review", Points: 10}, {Name: "refund", Points: 25, Direction: score.Subtract},
	}
}

// DemoProject returns the project of a stack's dev.json.
func DemoProject(id score.ProjectID) *score.Project {
	return &score.Project{
		ID: id, Name: "Scorelay demo", Actions: DemoActions(), ScoreTypes: []string{DemoScoreType},
		Owners:   []common.Address{Address(AccountOwner)},
		Updaters: []common.Address{Address(AccountUpdater), Address(AccountUpdater2), Address(AccountUpdater3)},
	}
}

// InfoVersion changes with the meaning of Info's fields.
const InfoVersion = 1

// Info is the content of dev.json, in the data directory of a running stack: `scorelay dev`, or separate processes.
type Info struct {
	Version    int              `json:"version"`
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
	AdminURLs  []string         `json:"adminUrls"` // of APIs, then of relayers: /livez /readyz /metrics
	PIDs       map[string][]int `json:"pids"`      // by role: dev, chain, nats, redis, api, relayer; kept current

	Confirmations uint64 `json:"confirmations"` // that make a block final, itself included; 0: by the finalized tag
}

// Demo fills in the demo project and its keys.
func (i *Info) Demo(project score.ProjectID) {
	i.Version, i.ProjectID, i.ScoreType, i.Actions = InfoVersion, project.String(), DemoScoreType, nil
	for _, action := range DemoActions() {
		i.Actions = append(i.Actions, action.Name)
	}
	i.OwnerKey, i.UpdaterKey = HexKey(AccountOwner), HexKey(AccountUpdater)
}

// HexKey returns the i-th key of Key in hex, with 0x.
func HexKey(i int) string { return hexutil.Encode(crypto.FromECDSA(Key(i))) }

func (i *Info) Domain() wallet.Domain {
	return wallet.NewDomain(i.ChainID, common.HexToAddress(i.Contract))
}

func infoPath(dir string) string { return filepath.Join(dir, "dev.json") }

// ReadInfo reads a data directory's dev.json; fs.ErrNotExist if no stack is running there.
func ReadInfo(dir string) (*Info, error) {
	raw, err := os.ReadFile(infoPath(dir))
	if err != nil {
		return nil, fmt.Errorf("couldn't read what the running stack wrote: %w", err)
	}
	var info Info
	if err := json.Unmarshal(raw, &info); err != nil {
		return nil, fmt.Errorf("couldn't read %s: %w", infoPath(dir), err)
	}
	if len(info.APIURLs) == 0 {
		return nil, fmt.Errorf("couldn't read %s: it names no API", infoPath(dir))
	}
	if info.Version > InfoVersion {
		return nil, fmt.Errorf("%s has version %d, and this program reads up to %d: use the program that wrote it", infoPath(dir), info.Version, InfoVersion)
	}
	return &info, nil
}

// Write atomically replaces the directory's dev.json.
func (i *Info) Write(dir string) error { return WriteJSON(infoPath(dir), i) }

// RemoveInfo removes dev.json, as at a stack's end.
func RemoveInfo(dir string) error {
	if err := os.Remove(infoPath(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("couldn't remove dev.json: %w", err)
	}
	return nil
}

// WriteJSON atomically replaces a file with one that only its owner may read, since it may contain keys. A symbolic
// link is replaced, not followed.
func WriteJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("couldn't write %s: %w", path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err == nil {
		_, err = file.Write(append(raw, '\n'))
		if err = errors.Join(err, file.Close()); err == nil {
			err = os.Rename(file.Name(), path)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("couldn't write %s: %w", path, err)
	}
	return nil
}
