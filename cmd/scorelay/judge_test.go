package main

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// judge reads the contract's events from the node itself, past every proxy and past everything of Scorelay that speaks to
// chains. It reads the whole chain each time, so a reorg is nothing to it.
type judge struct {
	node     *ethclient.Client
	contract common.Address
	signers  map[common.Address]bool // of the lanes
	foreign  map[common.Hash]bool    // transactions of those signers that a test sent itself
}

// newJudge reads from the node at url. The signers of lanes are accounts of devnet, from devnet.AccountSigner on.
func newJudge(ctx context.Context, url string, contract common.Address, signers int) (*judge, error) {
	node, err := ethclient.DialContext(ctx, url)
	if err != nil {
		return nil, err
	}
	j := &judge{node: node, contract: contract, signers: map[common.Address]bool{}, foreign: map[common.Hash]bool{}}
	for i := range signers {
		j.signers[devnet.Address(devnet.AccountSigner+i)] = true
	}
	return j, nil
}

// events are what the contract's final events say.
type events struct {
	through    uint64 // the last final block
	applied    map[load.Key]int
	duplicates int
	created    map[score.ProjectID]int
	useful     map[common.Hash]bool // transactions that applied an update, created a project or changed one
}

// final reads the events of all blocks that are final.
func (j *judge) final(ctx context.Context) (*events, error) {
	head, err := j.node.BlockNumber(ctx)
	if err != nil {
		return nil, err
	}
	e := &events{applied: map[load.Key]int{}, created: map[score.ProjectID]int{}, useful: map[common.Hash]bool{}}
	if head < confirmations {
		return e, nil
	}
	e.through = head + 1 - confirmations
	logs, err := j.node.FilterLogs(ctx, ethereum.FilterQuery{
		FromBlock: new(big.Int), ToBlock: new(big.Int).SetUint64(e.through), Addresses: []common.Address{j.contract},
	})
	if err != nil {
		return nil, err
	}
	ours := map[common.Hash]bool{}
	for _, topic := range append(registry.ProjectTopics(), registry.UpdateTopics()...) {
		ours[topic] = true
	}
	for i := range logs {
		if !ours[logs[i].Topics[0]] {
			continue
		}
		if err := e.add(&logs[i]); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (e *events) add(log *types.Log) error {
	event, err := registry.ParseLog(log)
	if err != nil {
		return err
	}
	batch, ok := event.(registry.BatchApplied)
	if !ok {
		e.useful[log.TxHash] = true
		if created, ok := event.(registry.ProjectCreated); ok {
			e.created[created.Project.ID]++
		}
		return nil
	}
	for i, u := range batch.Batch.Updates() {
		switch batch.Outcomes[i] {
		case score.Applied:
			e.applied[load.Key{Project: u.Project, ID: u.ID}]++
			e.useful[log.TxHash] = true
		case score.Duplicate:
			e.duplicates++
		default:
		}
	}
	return nil
}

// missing is how many of the promised updates are not applied.
func (e *events) missing(promised map[load.Key]time.Time) (n int) {
	for key := range promised {
		if e.applied[key] == 0 {
			n++
		}
	}
	return n
}

// doubled is how many updates are applied more than once.
func (e *events) doubled() (n int) {
	for _, times := range e.applied {
		if times > 1 {
			n++
		}
	}
	return n
}

// mined is a transaction of a lane's signer in a block.
type mined struct {
	hash   common.Hash
	block  uint64
	at     time.Time
	signer common.Address
	nonce  uint64
	tip    *big.Int // per gas, wei, as paid
}

// transactions are those of the lanes' signers in blocks from one to another, in their order.
func (j *judge) transactions(ctx context.Context, from, to uint64) (out []mined, err error) {
	signer := types.LatestSignerForChainID(big.NewInt(devnet.ChainID))
	for n := from; n <= to; n++ {
		block, err := j.node.BlockByNumber(ctx, new(big.Int).SetUint64(n))
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", n, err)
		}
		for _, tx := range block.Transactions() {
			sender, err := types.Sender(signer, tx)
			if err != nil || !j.signers[sender] || j.foreign[tx.Hash()] {
				continue
			}
			tip, err := tx.EffectiveGasTip(block.BaseFee())
			if err != nil {
				return nil, fmt.Errorf("block %d has a transaction below its base fee: %w", n, err)
			}
			out = append(out, mined{tx.Hash(), n, time.Unix(int64(block.Time()), 0), sender, tx.Nonce(), tip})
		}
	}
	return out, nil
}
