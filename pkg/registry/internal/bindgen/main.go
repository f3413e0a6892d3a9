// Command bindgen writes ../bindings/bindings.go from the committed artifact of the contract; go generate ./pkg/registry
// runs it, and its test fails when the bindings are stale.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi/abigen"
)

func main() {
	source, err := generate()
	if err == nil {
		err = os.WriteFile(outputPath(), source, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bindgen:", err)
		os.Exit(1)
	}
}

// generate returns the source of the bindings: what abigen makes of the artifact, and the deployed code.
func generate() ([]byte, error) {
	raw, err := os.ReadFile(artifactPath())
	if err != nil {
		return nil, fmt.Errorf("couldn't read the contract's artifact: %w", err)
	}
	var artifact struct {
		ContractName     string
		ABI              json.RawMessage
		Bytecode         string
		DeployedBytecode string
	}
	if err := json.Unmarshal(raw, &artifact); err != nil {
		return nil, fmt.Errorf("couldn't decode the contract's artifact: %w", err)
	}
	source, err := abigen.BindV2(
		[]string{artifact.ContractName}, []string{string(artifact.ABI)}, []string{artifact.Bytecode}, "bindings", nil, nil,
	)
	if err != nil {
		return nil, fmt.Errorf("couldn't generate bindings: %w", err)
	}
	var out strings.Builder
	out.WriteString(source)
	fmt.Fprintf(&out, "\n// %sDeployedBin is the code at the address of a deployed contract.\nconst %sDeployedBin = %q\n",
		artifact.ContractName, artifact.ContractName, artifact.DeployedBytecode)
	return []byte(out.String()), nil
}

func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

func outputPath() string { return filepath.Join(here(), "..", "bindings", "bindings.go") }

func artifactPath() string {
	return filepath.Join(here(), "..", "..", "..", "..", "contracts", "artifacts", "ScoreRegistry.json")
}
