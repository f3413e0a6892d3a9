package model

import (
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
)

// Emit makes a block with more MemberChanged events than the contract could emit. Each transaction has up to two,
// after a log of another contract. Senders are missing, and the contract's state is unchanged.
func (c *Chain) Emit(parent *Block, project score.ProjectID, events int) *Block {
	var txs []*Tx
	var receipts evidence.Receipts
	used, other := uint64(0), &types.Log{Address: common.Address{0xee}, Topics: []common.Hash{topicMemberChanged}}
	for i := 0; i < events; i += 2 {
		logs := []*types.Log{{Address: other.Address, Topics: other.Topics}}
		for n := i; n < min(i+2, events); n++ {
			logs = append(logs, &types.Log{
				Address: c.Contract, Topics: []common.Hash{topicMemberChanged, common.Hash(project), common.BigToHash(big.NewInt(int64(n))), {31: 1}},
				Data: common.Hash{31: 1}.Bytes(),
			})
		}
		const gas = 50_000
		used += gas
		tx := &Tx{Transaction: types.NewTx(&types.LegacyTx{Nonce: uint64(i), Gas: c.made})}
		txs = append(txs, tx)
		receipts = append(receipts, receiptOf(tx, result{ok: true, gas: gas}, used, big.NewInt(1), logs))
	}
	return c.seal(parent, parent.state.clone(), txs, receipts, used)
}

func (b *Block) Logs(contract common.Address) (logs []types.Log) {
	for _, r := range b.Receipts {
		for _, l := range r.Logs {
			if l.Address == contract {
				logs = append(logs, *l)
			}
		}
	}
	return slices.Clip(logs)
}
