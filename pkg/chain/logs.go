package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const provenAtOnce = 256

type logFilter struct {
	From    *hexutil.Uint64 `json:"fromBlock,omitempty"`
	To      *hexutil.Uint64 `json:"toBlock,omitempty"`
	Block   *common.Hash    `json:"blockHash,omitempty"`
	Address common.Address  `json:"address"`
	Topics  [][]common.Hash `json:"topics,omitempty"`
}

func filterOf(contract common.Address, topics []common.Hash) logFilter {
	f := logFilter{Address: contract}
	if len(topics) > 0 {
		f.Topics = [][]common.Hash{topics}
	}
	return f
}

type logQuestion struct {
	contract common.Address
	topics   []common.Hash
	to       uint64 // last block; only endpoints that have it are asked
}

// Logs passes the contract's logs in the blocks from … to (inclusive) to fn, in order, one range at a time. through
// is the range's last block. topics are the accepted first topics; empty means all. An error of fn ends the query.
//
// The query's last Config.Proven blocks are proved: all headers are read and linked, and Events reads their logs.
// Earlier blocks may be millions, too many for a call each, so two endpoints are asked for eth_getLogs. Blocks about
// which the two differ are proved.
//
// With a single endpoint, only empty earlier ranges are proved, since an empty answer is the common fault. Partial
// omissions stay undetected. An empty range is believed unproved if ShowsLogs found it empty while it was new, and
// the endpoint still shows the newest proved logs.
func (c *Client) Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64,
	fn func(through evidence.Block, logs []types.Log) error,
) error {
	q := logQuestion{contract, topics, to}
	size := c.cfg.LogRange
	var parent common.Hash // hash of the last block of the previous proven range
	for from <= to {
		proven := to-from < c.cfg.Proven
		most := uint64(provenAtOnce)
		if !proven {
			most = min(to-c.cfg.Proven+1-from, c.logsAtOnce(to))
		}
		last := min(to, from+min(size, most)-1)
		var through evidence.Block
		var logs []types.Log
		var err error
		if proven {
			through, logs, err = c.provenLogs(ctx, q, parent, from, last)
			parent = through.Hash
		} else {
			through, logs, err = c.historicLogs(ctx, q, from, last)
		}
		if err != nil && !proven && last > from && ctx.Err() == nil && !errors.Is(err, errBehind) && !undelivered(err) {
			size = (last - from + 1) / 2
			continue
		}
		if err != nil {
			return fmt.Errorf("couldn't read the contract's logs of blocks %d to %d: %w", from, last, err)
		}
		if err := fn(through, logs); err != nil {
			return err
		}
		from = last + 1
		size = min(size*2, c.cfg.LogRange)
	}
	return nil
}

// logsAtOnce returns the number of blocks per log query: as many as two endpoints take, at least logsToProve. If only
// one endpoint takes a range, all its headers must be read as a proof; for few blocks that is as cheap.
func (c *Client) logsAtOnce(need uint64) uint64 {
	var sizes []int
	for _, e := range c.candidates(need) {
		sizes = append(sizes, e.logs.size(time.Now()))
	}
	slices.Sort(sizes)
	if len(sizes) < 2 {
		return uint64(slices.Max(append(sizes, 1)))
	}
	return uint64(max(sizes[len(sizes)-2], logsToProve))
}

// logsToProve is how many blocks' headers cost about as much as two log queries.
const logsToProve = 16

// ShowsLogs reports whether any endpoint that answers within Config.Grace has logs of the contract in the blocks from
// … to (inclusive). False is inconclusive. An error means that all failed.
func (c *Client) ShowsLogs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64) (shows bool, err error) {
	filter := filterOf(contract, topics)
	filter.From, filter.To = (*hexutil.Uint64)(&from), (*hexutil.Uint64)(&to)
	replies, errs := each(ctx, c, "peek", c.candidates(to), func(ctx context.Context, e *endpoint) (bool, error) {
		var logs []types.Log
		err := e.call(ctx, &logs, "eth_getLogs", filter)
		if errors.Is(err, ethereum.NotFound) {
			err = nil // null means none
		}
		return len(logs) > 0, err
	})
	if len(replies) == 0 {
		return false, c.failed(ctx, "peek", errs)
	}
	shows = slices.ContainsFunc(replies, func(r reply[bool]) bool { return r.value })
	c.quiet.shown(contract, from, to, shows)
	return shows, nil
}

// provenLogs reads a range's headers, and the logs under them. A nonzero parent must be that of the first block.
func (c *Client) provenLogs(ctx context.Context, q logQuestion, parent common.Hash, from, to uint64) (through evidence.Block, logs []types.Log, err error) {
	var errs []error
	for _, e := range c.candidates(q.to) {
		blocks, err := c.blocksBelow(ctx, e, from, to, q.to)
		if err == nil && parent != (common.Hash{}) && blocks[0].Parent != parent {
			err = fmt.Errorf("%w: block %d of %s does not follow the blocks read before", errNotLearnt, from, e.name)
		}
		if err == nil {
			logs, _, err = c.Events(ctx, blocks, q.contract, q.topics)
		}
		if err == nil {
			return blocks[len(blocks)-1], logs, nil
		}
		errs = append(errs, err)
	}
	return through, nil, c.failed(ctx, "logs", errs)
}

// blocksBelow returns the blocks from…to of an endpoint that also has block number have, else errBehind.
func (c *Client) blocksBelow(ctx context.Context, e *endpoint, from, to, have uint64) ([]evidence.Block, error) {
	if e.newest.Load() < have && to < have {
		err := e.do(ctx, "logs", func(ctx context.Context, e *endpoint) error {
			_, err := c.blockAt(ctx, e, have)
			return behind(err, have)
		})
		if err != nil {
			return nil, err
		}
	}
	return c.blocks(ctx, e, from, to)
}

// historicLogs reads a range's logs from two endpoints. If only one of several answers, the logs are proved, since
// otherwise one endpoint would decide whenever the others fail.
func (c *Client) historicLogs(ctx context.Context, q logQuestion, from, to uint64) (through evidence.Block, logs []types.Log, err error) {
	endpoints, err := c.believable(ctx, "logs", q.to)
	if err != nil {
		return through, nil, err
	}
	var errs []error
	var said [][]types.Log
	var by []string
	var last *endpoint
	for _, e := range endpoints {
		block, answers, err := c.rangeLogs(ctx, e, q, from, to)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		through = block
		said, by, last = append(said, answers), append(by, e.name), e
		if len(said) == 2 {
			break
		}
	}
	switch {
	case len(said) == 0:
		return through, nil, c.failed(ctx, "logs", errs)
	case len(said) == 1 && (len(c.endpoints) > 1 || len(said[0]) == 0 && !c.quietlyEmpty(ctx, last, q, from, to)):
		return c.provenLogs(ctx, q, common.Hash{}, from, to)
	case len(said) == 1:
		return through, said[0], nil
	}
	union, differ := unite(said[0], said[1])
	if len(differ) == 0 {
		return through, said[0], nil
	}
	c.log.Warn("two of the chain's endpoints differ about the contract's logs; proving the blocks that they differ about",
		"endpoints", by, "from", from, "to", to, "blocks", len(differ))
	for _, number := range differ {
		_, proved, err := c.provenLogs(ctx, q, common.Hash{}, number, number)
		if err != nil {
			return through, nil, err
		}
		union = append(union, proved...)
	}
	slices.SortFunc(union, byPlace)
	return through, union, nil
}

// quiet holds the blocks that seem to lack a contract's logs.
type quiet struct {
	mu       sync.Mutex
	contract common.Address
	from, to uint64       // blocks that ShowsLogs found empty; from > to: unset
	proved   evidence.Ref // newest block with proved logs, or zero
}

// of resets the state for another contract. mu is held.
func (n *quiet) of(contract common.Address) {
	if n.contract != contract {
		n.contract, n.from, n.to, n.proved = contract, 1, 0, evidence.Ref{}
	}
}

func (n *quiet) shown(contract common.Address, from, to uint64, shows bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.of(contract)
	switch {
	case shows:
		n.from, n.to = 1, 0
	case from < n.from || from > n.to+1 || n.from > n.to:
		n.from, n.to = from, to
	default:
		n.to = max(n.to, to)
	}
}

func (n *quiet) logged(contract common.Address, at evidence.Ref) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of(contract); at.Number >= n.proved.Number {
		n.proved = at
	}
}

func (c *Client) quietlyEmpty(ctx context.Context, e *endpoint, q logQuestion, from, to uint64) bool {
	n := &c.quiet
	n.mu.Lock()
	known, proved := q.contract == n.contract && from >= n.from && to <= n.to, n.proved
	n.mu.Unlock()
	if !known || proved == (evidence.Ref{}) {
		return false
	}
	filter := filterOf(q.contract, q.topics)
	filter.From, filter.To = (*hexutil.Uint64)(&proved.Number), (*hexutil.Uint64)(&proved.Number)
	var logs []types.Log
	err := e.do(ctx, "logs", func(ctx context.Context, e *endpoint) error { return e.call(ctx, &logs, "eth_getLogs", filter) })
	return err == nil && slices.ContainsFunc(logs, func(l types.Log) bool { return l.BlockHash == proved.Hash })
}

func unite(a, b []types.Log) (same []types.Log, differ []uint64) {
	said := map[uint64][2][]types.Log{}
	for i, logs := range [][]types.Log{a, b} {
		for _, l := range logs {
			both := said[l.BlockNumber]
			both[i] = append(both[i], l)
			said[l.BlockNumber] = both
		}
	}
	for number, both := range said {
		if slices.EqualFunc(both[0], both[1], sameLog) {
			same = append(same, both[0]...)
		} else {
			differ = append(differ, number)
		}
	}
	slices.SortFunc(same, byPlace)
	slices.Sort(differ)
	return same, differ
}

func byPlace(a, b types.Log) int {
	return cmp.Or(cmp.Compare(a.BlockNumber, b.BlockNumber), cmp.Compare(a.Index, b.Index))
}

func (c *Client) rangeLogs(ctx context.Context, e *endpoint, q logQuestion, from, to uint64) (through evidence.Block, logs []types.Log, err error) {
	filter := filterOf(q.contract, q.topics)
	filter.From, filter.To = (*hexutil.Uint64)(&from), (*hexutil.Uint64)(&to)
	err = e.do(ctx, "logs", func(ctx context.Context, e *endpoint) error {
		elems := []rpc.BatchElem{
			elem("eth_getBlockByNumber", hexutil.Uint64(q.to), false),
			elem("eth_getBlockByNumber", filter.To, false),
			elem("eth_getLogs", filter),
		}
		if err := e.calls(ctx, elems); err != nil {
			return err
		}
		for i, number := range []uint64{q.to, to} {
			if through, err = c.takeHeader(ctx, e, elems[i], number); err != nil {
				return err
			}
		}
		if err := answer(elems[2], &logs); err != nil && !errors.Is(err, ethereum.NotFound) {
			return err
		}
		return inRange(logs, q, from, to)
	})
	if blocks := int(to - from + 1); err == nil {
		e.logs.took(blocks)
	} else if ctx.Err() == nil && !errors.Is(err, errBehind) && !undelivered(err) {
		e.logs.minded(blocks, time.Now())
	}
	if err == nil {
		_, err = c.agreed(ctx, e, []evidence.Block{through})
	}
	return through, logs, err
}

func (c *Client) takeHeader(ctx context.Context, e *endpoint, el rpc.BatchElem, number uint64) (evidence.Block, error) {
	if el.Error != nil {
		return evidence.Block{}, behind(el.Error, number)
	}
	b, err := decodeBlock(rawOf(el))
	switch {
	case err != nil:
		return b, behind(err, number)
	case b.Number != number:
		return b, contradiction("block %d was asked for, %d came", number, b.Number)
	}
	return b, c.accept(ctx, e, rawOf(el), &b)
}

func inRange(logs []types.Log, q logQuestion, from, to uint64) error {
	for i := range logs {
		l := &logs[i]
		if l.BlockNumber < from || l.BlockNumber > to || l.Removed || !wanted(l, q.contract, q.topics) {
			return contradiction("a log of block %d and contract %s came that was not asked for", l.BlockNumber, l.Address)
		}
		if i == 0 {
			continue
		}
		before := &logs[i-1]
		if byPlace(*before, *l) >= 0 || before.BlockNumber == l.BlockNumber && before.BlockHash != l.BlockHash {
			return contradiction("the logs of blocks %d to %d are not in order", from, to)
		}
	}
	return nil
}
