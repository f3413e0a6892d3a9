// Command bindgen writes internal/bindings/bindings.go of pkg/registry from the contract's committed artifact. go
// generate ./pkg/registry runs it; its test fails when the bindings are stale.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi/abigen"
)

// Paths from pkg/registry, where go generate runs.
const (
	artifact = "../../contracts/artifacts/ScoreRegistry.json"
	output   = "internal/bindings/bindings.go"
)

func main() {
	source, err := generate()
	if err == nil {
		err = os.WriteFile(output, source, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bindgen:", err)
		os.Exit(1)
	}
}

func generate() ([]byte, error) {
	raw, err := os.ReadFile(artifact)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the contract's artifact: %w", err)
	}
	var contract struct {
		ContractName     string
		ABI              json.RawMessage
		Bytecode         string
		DeployedBytecode string
	}
	if err := json.Unmarshal(raw, &contract); err != nil {
		return nil, fmt.Errorf("couldn't decode the contract's artifact: %w", err)
	}
	source, err := abigen.BindV2(
		[]string{contract.ContractName}, []string{string(contract.ABI)}, []string{contract.Bytecode}, "bindings", nil, nil,
	)
	if err != nil {
		return nil, fmt.Errorf("couldn't generate bindings: %w", err)
	}
	var out strings.Builder
	out.WriteString(source)
	fmt.Fprintf(&out, "\n// %sDeployedBin is the code at the address of a deployed contract.\nconst %sDeployedBin = %q\n",
		contract.ContractName, contract.ContractName, contract.DeployedBytecode)
	return []byte(out.String()), nil
}
