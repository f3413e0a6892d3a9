package gas

import (
	"github.com/ethereum/go-ethereum/params"

	"github.com/scorelay/scorelay/pkg/registry"
)

type Rules struct {
	Name string   // osaka or amsterdam
	Live bool     // in force on mainnet, by the geth in use
	EIPs []string // that price the contract's transactions, as in geth

	model  registry.GasRules
	config *params.ChainConfig
	time   uint64 // timestamp of blocks, s since 1970
	txGas  uint64 // gas limit of a transaction
}

const (
	nameOsaka     = "osaka"
	nameAmsterdam = "amsterdam"
)

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

// amsterdam returns the rules of mainnet's next fork, Glamsterdam, as in this geth; parameters may still change. The
// gas limit leaves room for state gas, which EIP-8037 exempts from EIP-7825's cap.
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
