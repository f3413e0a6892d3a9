package chain

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// word is an endpoint's unproved claim about an account.
type word struct {
	endpoint string
	account  evidence.Account
}

func (w word) String() string {
	return fmt.Sprintf("%s: nonce %d, %d wei", w.endpoint, w.account.Nonce, w.account.Balance)
}

func agree(words []word) bool {
	first := words[0].account
	return !slices.ContainsFunc(words, func(w word) bool { return w.account.Nonce != first.Nonce || w.account.Balance.Cmp(first.Balance) != 0 })
}

// askAccount requests eth_getProof if offered, else the unproved nonce and balance. It returns nil once both were
// asked, or if a claim would be ignored.
func (r *reading) askAccount(e *endpoint, account common.Address) []part {
	form := fmt.Sprint(e.plainHash.Load())
	// Some development chains begin with accounts and an empty state root: a proof would fail.
	provable := r.ask.At.StateRoot != types.EmptyRootHash
	if provable && e.proofs.offered(time.Now()) && r.once("proof "+account.Hex()+form) {
		return []part{{
			elems: []rpc.BatchElem{elem("eth_getProof", account, []string{}, e.at(r.ask.At.Hash))},
			take:  func(e *endpoint, elems []rpc.BatchElem) error { return r.takeProof(e, account, elems[0]) },
		}}
	}
	if r.strict || r.asked["absent"] || !r.once("word "+account.Hex()+form) {
		return nil
	}
	// the proof's response contained this claim
	if slices.ContainsFunc(r.words[account], func(w word) bool { return w.endpoint == e.name }) {
		return nil
	}
	at := e.at(r.ask.At.Hash)
	return []part{{
		elems: []rpc.BatchElem{elem("eth_getTransactionCount", account, at), elem("eth_getBalance", account, at)},
		take:  func(e *endpoint, elems []rpc.BatchElem) error { return r.takeWord(e, account, elems[0], elems[1]) },
	}}
}

func (r *reading) takeProof(e *endpoint, account common.Address, el rpc.BatchElem) error {
	var proof struct {
		Nodes []hexutil.Bytes `json:"accountProof"`
	}
	at := &r.ask.At
	switch err := answer(el, &proof); {
	case err == nil:
	case errors.Is(err, ethereum.NotFound) || unknownBlock(err):
		r.asked["absent"] = true
		return behind(err, at.Hash)
	default:
		return r.refused(e, err, &e.proofs)
	}
	nodes := make([][]byte, len(proof.Nodes))
	for i, node := range proof.Nodes {
		nodes[i] = node
	}
	learnt, err := evidence.CheckAccount(at, account, nodes)
	switch {
	case err == nil && learnt.Proved:
		e.proofs.worked()
		r.answer.Accounts[account] = learnt
		return nil
	case err == nil: // the state root itself is unchecked
		if !r.strict {
			r.words[account] = append(r.words[account], word{e.name, learnt})
		}
		return nil
	// The chain's state trie may have another shape, or the header has an earlier block's root.
	case !at.Checked || at.StateRoot == common.Hash{}:
		return r.refused(e, errNoProof, &e.proofs)
	}
	return err
}

var errNoProof = errors.New("the node's proof cannot be checked on this chain")

// refused records and returns the error of a request with a block hash. The endpoint may lack the hash's form
// (plainHash) or the method.
func (r *reading) refused(e *endpoint, err error, of *capability) error {
	if badParams(err) && e.plainHash.CompareAndSwap(false, true) {
		return err
	}
	of.refused(err, time.Now())
	return err
}

func (r *reading) takeWord(e *endpoint, account common.Address, count, funds rpc.BatchElem) error {
	var nonce hexutil.Uint64
	var balance hexutil.Big
	if err := errors.Join(answer(count, &nonce), answer(funds, &balance)); err != nil {
		if badParams(err) {
			e.plainHash.Store(true)
		}
		return behind(err, r.ask.At.Hash)
	}
	r.words[account] = append(r.words[account], word{e.name, evidence.Account{
		Nonce: uint64(nonce), Balance: (*big.Int)(&balance), At: r.ask.At.Ref(),
	}})
	return nil
}
