package fresh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// AnvilProgram is the environment variable with an anvil to use instead of the pinned one.
const AnvilProgram = "SCORELAY_ANVIL"

const installTimeout = 5 * time.Minute

// anvilPath returns the path of AnvilProgram or of the pinned anvil. If AnvilProgram is unset and
// contracts/node_modules lacks the pinned version, npm installs it once into the user's cache directory.
func anvilPath() (string, error) {
	if program := os.Getenv(AnvilProgram); program != "" {
		path, err := exec.LookPath(program)
		if err != nil {
			return "", fmt.Errorf("couldn't find the anvil that %s names: %w", AnvilProgram, err)
		}
		return path, nil
	}
	contracts, err := contractsDir()
	if err != nil {
		return "", err
	}
	pin, err := readPin(filepath.Join(contracts, "package-lock.json"))
	if err != nil {
		return "", err
	}
	if path := pin.program(contracts); path != "" {
		return path, nil
	}
	return pin.install()
}

func contractsDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("couldn't find the contracts' package-lock.json: %w", err)
	}
	for {
		contracts := filepath.Join(dir, "contracts")
		if _, err := os.Stat(filepath.Join(contracts, "package-lock.json")); err == nil {
			return contracts, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("couldn't find contracts/package-lock.json, which pins anvil, above the working directory; "+
				"run from Scorelay's source, or set %s", AnvilProgram)
		}
		dir = filepath.Dir(dir)
	}
}

type anvilPin struct {
	name    string
	version string
	entry   json.RawMessage
}

type lockfile struct {
	Name     string                     `json:"name"`
	Version  int                        `json:"lockfileVersion"`
	Packages map[string]json.RawMessage `json:"packages"`
}

func readPin(path string) (*anvilPin, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("couldn't read which anvil is pinned: %w", err)
	}
	var lock lockfile
	if err := json.Unmarshal(raw, &lock); err != nil {
		return nil, fmt.Errorf("couldn't read which anvil is pinned in %s: %w", path, err)
	}
	pin := &anvilPin{name: "@foundry-rs/anvil-" + runtime.GOOS + "-" + runtime.GOARCH}
	pin.entry = lock.Packages["node_modules/"+pin.name]
	if pin.entry == nil {
		return nil, fmt.Errorf("contracts/package-lock.json pins no anvil for this platform (%s): install the version it pins and "+
			"name the program with %s", pin.name, AnvilProgram)
	}
	if pin.version, err = version(pin.entry); err != nil {
		return nil, fmt.Errorf("couldn't read which anvil is pinned in %s: %w", path, err)
	}
	return pin, nil
}

func version(raw []byte) (string, error) {
	var pack struct {
		Version string `json:"version"`
	}
	err := json.Unmarshal(raw, &pack)
	return pack.Version, err
}

// program returns the path of anvil in dir, or "" if dir lacks the pinned version.
func (p *anvilPin) program(dir string) string {
	at := filepath.Join(dir, "node_modules", filepath.FromSlash(p.name))
	raw, err := os.ReadFile(filepath.Join(at, "package.json"))
	if err != nil {
		return ""
	}
	path := filepath.Join(at, "bin", "anvil")
	info, err := os.Stat(path)
	if installed, bad := version(raw); errors.Join(err, bad) != nil || installed != p.version || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// install lets npm install this package alone, checked against the lock file's hash, unless it is cached.
func (p *anvilPin) install() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "scorelay", "anvil-"+p.version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("couldn't make the directory of anvil: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if err := lock.Lock(); err != nil { // since test binaries run side by side
		return "", fmt.Errorf("couldn't lock the directory of anvil: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if path := p.program(dir); path != "" {
		return path, nil
	}
	if err := p.npm(dir); err != nil {
		return "", fmt.Errorf("couldn't install %s %s, which the tests need (or name an anvil with %s): %w", p.name, p.version, AnvilProgram, err)
	}
	path := p.program(dir)
	if path == "" {
		return "", fmt.Errorf("npm installed %s but its program is not in %s", p.name, dir)
	}
	return path, nil
}

func (p *anvilPin) npm(dir string) error {
	wants := map[string]string{p.name: p.version}
	root, err := json.Marshal(map[string]any{"name": "scorelay-anvil", "dependencies": wants})
	if err != nil {
		return err
	}
	lock, err := json.Marshal(lockfile{Name: "scorelay-anvil", Version: 3, Packages: map[string]json.RawMessage{
		"": root, "node_modules/" + p.name: p.entry,
	}})
	if err != nil {
		return err
	}
	err = errors.Join(os.WriteFile(filepath.Join(dir, "package.json"), root, 0o600),
		os.WriteFile(filepath.Join(dir, "package-lock.json"), lock, 0o600))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), installTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w: %s", err, out)
	}
	return nil
}
