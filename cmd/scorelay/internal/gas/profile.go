package gas

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// Where a transaction's gas goes.
const (
	partBase     = "transaction"
	partCalldata = "calldata"
	partRead     = "storage_read"
	partWrite    = "storage_write"
	partEvent    = "event"
	partHash     = "hash"
	partRecover  = "recover"
	partRest     = "rest"
)

// parts in the order of a table.
var parts = []string{partBase, partCalldata, partRead, partWrite, partEvent, partHash, partRecover, partRest}

// profiler adds up where gas goes, by opcode.
type profiler struct {
	opcodes map[vm.OpCode]uint64
	op      vm.OpCode // of the transaction's own code, that runs now
	left    uint64    // gas when it began
	running bool

	calls    int
	calldata uint64 // gas
}

// hooks see every opcode. What is left before the next one tells what one cost, calls of precompiles included.
func (p *profiler) hooks() *tracing.Hooks {
	p.opcodes = map[vm.OpCode]uint64{}
	return &tracing.Hooks{
		OnOpcode: func(_ uint64, op byte, gas, cost uint64, _ tracing.OpContext, _ []byte, depth int, _ error) {
			if depth != 1 {
				return
			}
			if p.running {
				p.opcodes[p.op] += p.left - gas
			}
			p.op, p.left, p.running = vm.OpCode(op), gas, true
			if p.op == vm.RETURN || p.op == vm.STOP {
				p.opcodes[p.op] += cost
				p.running = false
			}
		},
	}
}

// add counts what a call with that calldata paid before its first opcode.
func (p *profiler) add(rules Rules, calldata []byte) error {
	from, to := addressOf(relayerKey), addressOf(adminKey) // any two accounts
	intrinsic, err := core.IntrinsicGas(calldata, nil, nil, from, &to, new(uint256.Int), rules.forks())
	if err != nil {
		return fmt.Errorf("couldn't price calldata: %w", err)
	}
	p.calldata += intrinsic - params.TxGas
	p.calls++
	return nil
}

// split is where the gas went, by update.
func (p *profiler) split(updates int) map[string]uint64 {
	sum := map[string]uint64{partBase: uint64(p.calls) * params.TxGas, partCalldata: p.calldata}
	for op, gas := range p.opcodes {
		sum[part(op)] += gas
	}
	for name, gas := range sum {
		sum[name] = (gas + uint64(updates)/2) / uint64(updates)
	}
	return sum
}

func part(op vm.OpCode) string {
	switch op {
	case vm.SLOAD:
		return partRead
	case vm.SSTORE:
		return partWrite
	case vm.LOG0, vm.LOG1, vm.LOG2, vm.LOG3, vm.LOG4:
		return partEvent
	case vm.KECCAK256:
		return partHash
	case vm.STATICCALL:
		return partRecover
	default:
		return partRest
	}
}
