package gas

import (
	"github.com/ethereum/go-ethereum/params"

	"github.com/scorelay/scorelay/pkg/registry"
)

// Rules are what a chain charges.
type Rules struct {
	Name string   // of the fork: osaka or amsterdam
	Live bool     // on mainnet, as the geth in use knows it
	EIPs []string // those that price the contract's transactions, as far as geth implements them

	model  registry.GasRules // as relayers know them
	config *params.ChainConfig
	time   uint64 // of the blocks, s since 1970
	txGas  uint64 // gas limit of a transaction
}

// Names of the rules.
const (
	nameOsaka     = "osaka"
	nameAmsterdam = "amsterdam"
)

// osaka is what mainnet charges now.
func osaka() Rules {
	config := *params.MainnetChainConfig
	config.AmsterdamTime, config.BogotaTime = nil, nil
	return Rules{
		Name: nameOsaka, Live: true,
		EIPs: []string{
			"EIP-2028 (calldata 16/4)", "EIP-2929 (cold 2,100)", "EIP-2200 and EIP-3529 (fresh slot 20,000, change 2,900)",
			"EIP-7623 (calldata at least 40/10)", "EIP-7825 (16,777,216 gas a transaction)",
		},
		model: registry.Osaka(), config: &config, time: *config.BPO2Time, txGas: params.MaxTxGas,
	}
}

// amsterdam is what mainnet may charge after the next fork, Glamsterdam, as this geth has it. Parameters may still move.
// The limit of a transaction leaves room for its state gas, which EIP-8037 takes out of the cap of EIP-7825.
func amsterdam() Rules {
	rules := osaka()
	config := *rules.config
	config.AmsterdamTime = &rules.time
	rules.Name, rules.Live, rules.model, rules.config, rules.txGas = nameAmsterdam, false, registry.Amsterdam(), &config, 1<<30
	rules.EIPs = []string{
		"EIP-2780 (a transaction 12,000, its recipient 3,000)", "EIP-7976 (calldata at least 64)",
		"EIP-8037 (a fresh slot 97,920 of state gas)", "EIP-8038 (a changed slot 10,000)",
	}
	return rules
}
