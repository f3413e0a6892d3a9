package model

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// While another endpoint is usable, one that contradicted verified data is set aside. The time doubles from setAside
// to mostSetAside.
const (
	setAside     = 30 * time.Second
	mostSetAside = 10 * time.Minute
)

// Client reads nodes as package chain does: it checks results with package evidence, and leaves out missing or
// contradictory data. It implements heads.Chain and relay.Chain.
type Client struct {
	chain *Chain
	links []*Link

	// Before, if set, is called before each request, and may end the process.
	Before func(what string)
	// OnSend, if set, gets raw transactions before any node.
	OnSend func(raw []byte)
	// Contradictions counts discarded answers.
	Contradictions int
}

type Link struct {
	Node  *Node
	Down  bool // unreachable for this client
	until time.Time
	last  time.Time // of the last contradiction
	times int
}

// doubtful reports whether the node contradicted itself less than setAside ago. The client then believes only
// verifiable data.
func (l *Link) doubtful(now time.Time) bool { return !l.last.IsZero() && now.Sub(l.last) < setAside }

func (c *Chain) NewClient(nodes ...*Node) *Client {
	client := &Client{chain: c}
	for _, n := range nodes {
		client.links = append(client.links, &Link{Node: n})
	}
	return client
}

// Links are in order of preference.
func (c *Client) Links() []*Link { return c.links }

// usable returns the links that are not set aside, or all links if all are.
func (c *Client) usable() []*Link {
	now := c.chain.clock.now
	trusted := slices.DeleteFunc(slices.Clone(c.links), func(l *Link) bool { return now.Before(l.until) })
	if len(trusted) == 0 {
		return c.links
	}
	return trusted
}

func (c *Client) before(what string) {
	if c.Before != nil {
		c.Before(what)
	}
}

func (l *Link) asks(what string, key []byte) bool {
	return !l.Node.told("partition", l.Down) && l.Node.answers(what, key)
}

func (c *Client) contradict(l *Link, err error) error {
	c.Contradictions++
	c.Distrust(l.Node.Name, err)
	return err
}

func (c *Client) Distrust(endpoint string, _ error) {
	now := c.chain.clock.now
	for _, l := range c.links {
		if l.Node.Name != endpoint {
			continue
		}
		l.last = now
		if now.Before(l.until) {
			continue
		}
		if now.Sub(l.until) > mostSetAside {
			l.times = 0
		}
		l.until = now.Add(min(setAside<<min(l.times, 10), mostSetAside))
		l.times++
	}
}

// Latest returns the newest block of every node that answers; an error if none does.
func (c *Client) Latest(context.Context) (claims []evidence.Claim, err error) {
	c.before("latest")
	for _, l := range c.usable() {
		if l.asks("latest", nil) {
			claims = append(claims, evidence.Claim{Endpoint: l.Node.Name, Block: l.Node.claim()})
		}
	}
	if len(claims) == 0 {
		return nil, fmt.Errorf("latest: %w", errNoAnswer)
	}
	return claims, nil
}

func (n *Node) claim() evidence.Block {
	switch {
	case n.told("ahead", n.Faults.Ahead > 0):
		h := types.CopyHeader(n.head.Header)
		h.Number.Add(h.Number, new(big.Int).SetUint64(n.Faults.Ahead))
		h.ParentHash = common.Hash{0xa4, byte(n.Faults.Ahead)}
		return Evidence(h, nil)
	case n.told("fake", n.Faults.Fake && n.head.Parent != nil):
		if n.fake == nil || n.fake.ParentHash != n.head.Parent.Hash {
			n.fake = types.CopyHeader(n.head.Header)
			n.fake.Extra = append([]byte("made up by "+n.Name), n.head.Header.Extra...)
		}
		return Evidence(n.fake, n.head.Block.Txs)
	}
	n.told("stuck", n.Faults.Stuck && n.head != n.chain.Head())
	n.told("lag", n.Faults.Lag > 0 && n.head != n.chain.Head())
	return n.tell(n.head)
}

func (n *Node) tell(b *Block) evidence.Block {
	out := b.Block
	if n.Faults.Hides > 0 {
		out.Txs = nil
		for _, tx := range b.Block.Txs {
			if !n.told("lists", n.roll("list", tx[:]) < n.Faults.Hides) {
				out.Txs = append(out.Txs, tx)
			}
		}
	}
	return out
}

// Finalized returns the newest finalized blocks, like Latest.
func (c *Client) Finalized(context.Context) (claims []evidence.Claim, err error) {
	c.before("finalized")
	answered := false
	for _, l := range c.usable() {
		if !l.asks("finalized", nil) {
			continue
		}
		answered = true
		number := min(c.chain.Finalized, l.Node.head.Number)
		if l.Node.told("early", l.Node.Faults.Early && number < l.Node.head.Number) {
			number = l.Node.head.Number
		}
		if b := l.Node.block(number); number > 0 && b != nil {
			claims = append(claims, evidence.Claim{Endpoint: l.Node.Name, Block: l.Node.tell(b)})
		}
	}
	if !answered {
		return nil, fmt.Errorf("finalized: %w", errNoAnswer)
	}
	return claims, nil
}

func (c *Client) link(endpoint string) *Link {
	for _, l := range c.links {
		if l.Node.Name == endpoint {
			return l
		}
	}
	return nil
}

func (c *Client) HashAt(ctx context.Context, endpoint string, number uint64) (common.Hash, error) {
	blocks, err := c.Blocks(ctx, endpoint, number, number)
	if err != nil {
		return common.Hash{}, err
	}
	return blocks[0].Hash, nil
}

// Agreed accepts all blocks, because the model's headers are checkable.
func (c *Client) Agreed(_ context.Context, _ string, blocks []evidence.Block) (int, error) {
	return len(blocks), nil
}

// Blocks returns blocks of one node's branch, oldest first.
func (c *Client) Blocks(_ context.Context, endpoint string, from, to uint64) (out []evidence.Block, err error) {
	c.before("blocks")
	l := c.link(endpoint)
	if l == nil {
		return nil, fmt.Errorf("there is no endpoint %q", endpoint)
	}
	for number := from; number <= to; number++ {
		b := l.Node.block(number)
		if b == nil || !l.asks("block", []byte{byte(number), byte(number >> 8)}) {
			return out, fmt.Errorf("block %d of %s: %w", number, endpoint, errNoAnswer)
		}
		out = append(out, l.Node.tell(b))
	}
	return out, nil
}

// Read asks each node that has block ask.At for the prices, accounts and receipts that are still missing.
func (c *Client) Read(_ context.Context, ask evidence.Ask) (evidence.Answer, error) {
	c.before("read")
	answer := evidence.Answer{Accounts: map[common.Address]evidence.Account{}, Receipts: map[common.Hash]*evidence.Receipt{}}
	asked := false
	for _, l := range c.usable() {
		if !l.asks("read", ask.At.Hash[:]) || l.Node.has(ask.At.Number, ask.At.Hash) == nil {
			continue
		}
		asked = true
		for i := range ask.Receipts {
			c.receipts(l, &ask.Receipts[i], answer.Receipts)
		}
		if ask.Price && answer.Price == nil {
			answer.Price = &evidence.Price{BaseFee: c.chain.BaseFee, Tip: max(c.chain.Tip, 1)}
		}
	}
	if !asked {
		return evidence.Answer{}, fmt.Errorf("block %d: %w", ask.At.Number, errNoAnswer)
	}
	for _, a := range ask.Accounts {
		if account, ok := c.account(&ask.At, a); ok {
			answer.Accounts[a] = account
		}
	}
	return answer, nil
}

// account returns a proved account, or one on which all answering nodes agree.
func (c *Client) account(at *evidence.Block, of common.Address) (evidence.Account, bool) {
	var word *evidence.Account
	for _, l := range c.usable() {
		b := l.Node.has(at.Number, at.Hash)
		if b == nil || !l.asks("account", of[:]) {
			continue
		}
		if !l.Node.Faults.Unproved && l.Node.Faults.Nonces == 0 {
			proved, err := evidence.CheckAccount(at, of, b.state.proof(of))
			if err == nil {
				return proved, true
			}
			_ = c.contradict(l, err)
			continue
		}
		if l.doubtful(c.chain.clock.now) {
			continue
		}
		nonce := max(0, int64(b.Nonce(of))+l.Node.Faults.Nonces)
		l.Node.told("nonces", uint64(nonce) != b.Nonce(of))
		said := evidence.Account{Nonce: uint64(nonce), Balance: b.Balance(of), At: at.Ref()}
		if word != nil && (word.Nonce != said.Nonce || word.Balance.Cmp(said.Balance) != 0) {
			return evidence.Account{}, false
		}
		word = &said
	}
	if word == nil {
		return evidence.Account{}, false
	}
	return *word, true
}

func (c *Client) receipts(l *Link, wanted *evidence.Wanted, learnt map[common.Hash]*evidence.Receipt) {
	b := l.Node.has(wanted.Block.Number, wanted.Block.Hash)
	if b == nil || !l.asks("receipts", wanted.Block.Hash[:]) {
		return
	}
	missing := slices.DeleteFunc(slices.Clone(wanted.Txs), func(tx common.Hash) bool { return learnt[tx] != nil })
	if len(missing) == 0 || len(missing) < 8 && 8*len(missing) < len(wanted.Block.Txs) && c.single(l, wanted, b, missing, learnt) {
		return
	}
	var all evidence.Receipts
	for i, r := range b.Receipts {
		if l.Node.gives(b.Block.Txs[i]) {
			all = append(all, r)
		}
	}
	if err := evidence.CheckReceipts(&wanted.Block, all); err != nil {
		_ = c.contradict(l, err)
		return
	}
	for _, r := range all {
		if slices.Contains(wanted.Txs, r.TxHash) {
			learnt[r.TxHash] = r
		}
	}
}

// single reads receipts one by one, and reports whether they suffice. It skips failed receipts, those without logs
// and a doubtful node's, since only the receipts root verifies them.
func (c *Client) single(l *Link, wanted *evidence.Wanted, b *Block, txs []common.Hash, learnt map[common.Hash]*evidence.Receipt) bool {
	if l.doubtful(c.chain.clock.now) {
		return false
	}
	enough := true
	for _, tx := range txs {
		i := slices.Index(b.Block.Txs, tx)
		if i < 0 || !l.Node.gives(tx) {
			continue
		}
		r := b.Receipts[i]
		if err := evidence.CheckReceipt(&wanted.Block, r); err != nil {
			_ = c.contradict(l, err)
			return true
		}
		if r.Status != types.ReceiptStatusSuccessful || len(r.Logs) == 0 {
			enough = false
			continue
		}
		learnt[tx] = r
	}
	return enough
}

func (n *Node) gives(tx common.Hash) bool {
	return !n.told("receipts", n.Faults.Receipts > 0 && n.roll("receipt", tx[:]) < n.Faults.Receipts)
}

func (c *Client) EstimateGas(_ context.Context, msg evidence.Call) (uint64, error) {
	c.before("estimate")
	for _, l := range c.usable() {
		if l.asks("estimate", msg.Data) {
			return intrinsic(msg.Data), nil
		}
	}
	return 0, errNoAnswer
}

func (c *Client) Transactions(_ context.Context, blocks []evidence.Block) (out []evidence.Transactions, err error) {
	c.before("transactions")
	for i := range blocks {
		txs, err := c.transactions(&blocks[i])
		if err != nil {
			return out, err
		}
		out = append(out, txs)
	}
	return out, nil
}

func (c *Client) transactions(at *evidence.Block) (txs evidence.Transactions, err error) {
	err = errNoAnswer
	for _, l := range c.usable() {
		b := l.Node.has(at.Number, at.Hash)
		if b == nil || !l.asks("transactions", at.Hash[:]) {
			continue
		}
		txs = evidence.Transactions{}
		for _, tx := range b.Txs {
			if hash := tx.Hash(); l.Node.Faults.Hides == 0 || l.Node.roll("list", hash[:]) >= l.Node.Faults.Hides {
				txs.Known, txs.Hashes = append(txs.Known, tx.Transaction), append(txs.Hashes, hash)
			}
		}
		if err = evidence.CheckTransactions(at, txs.Known); err == nil {
			return txs, nil
		}
		_ = c.contradict(l, err)
	}
	return evidence.Transactions{}, fmt.Errorf("the transactions of block %d: %w", at.Number, err)
}

// Find returns the transactions' blocks, as nodes report them.
func (c *Client) Find(_ context.Context, txs []common.Hash) (map[common.Hash]evidence.Ref, error) {
	c.before("find")
	found, answered := map[common.Hash]evidence.Ref{}, false
	for _, l := range c.usable() {
		for _, tx := range txs {
			if _, ok := found[tx]; ok || !l.asks("find", tx[:]) {
				continue
			}
			answered = true
			if b := l.Node.holder(tx); b != nil && l.Node.gives(tx) {
				found[tx] = b.Ref()
			}
		}
	}
	if !answered {
		return nil, errors.Join(errNoAnswer)
	}
	return found, nil
}

// holder returns the block with tx in the node's branch, or nil.
func (n *Node) holder(tx common.Hash) *Block {
	for b := n.head; b != nil; b = b.Parent {
		if slices.Contains(b.Block.Txs, tx) {
			return b
		}
	}
	return nil
}
