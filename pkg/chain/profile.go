package chain

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	profileBlocks = 4    // newest blocks read with transactions and receipts
	profileSpan   = 1000 // blocks over which the block time is averaged
	profileBytes  = 1000 // calldata of the call for the gas estimate
	profileTypes  = 16
)

// Profile describes a chain by its newest blocks and its endpoints.
type Profile struct {
	Facts      []Fact   `json:"facts"`
	Unverified []string `json:"unverified"` // headers, receipts, accounts that only endpoints vouch for
}

type Fact struct {
	What     string `json:"what"`
	Found    string `json:"found"`
	Verified bool   `json:"verified"` // else an endpoint's claim
}

func (p *Profile) add(verified bool, what, format string, args ...any) {
	p.Facts = append(p.Facts, Fact{what, fmt.Sprintf(format, args...), verified})
}

// Profile reads the chain's profile from the first endpoint that answers, and the methods that each endpoint offers.
// Failed verification is a finding here, and the endpoint stays trusted.
func (c *Client) Profile(ctx context.Context) (*Profile, error) {
	id, err := c.ChainID(ctx)
	if err != nil {
		return nil, err
	}
	p := &Profile{}
	var errs []error
	read := func(e *endpoint) bool {
		*p = Profile{Facts: []Fact{{"chain", fmt.Sprint(id), false}}, Unverified: []string{}}
		err := e.within(ctx, lateTimes*e.timeout, "profile", func(ctx context.Context, e *endpoint) error { return c.profile(ctx, e, p) })
		errs = append(errs, err)
		return err == nil
	}
	if !slices.ContainsFunc(c.candidates(0), read) {
		return nil, c.failed(ctx, "profile", errs)
	}
	proofs := false
	for _, e := range c.endpoints {
		var offers []string
		err := e.do(ctx, "profile", func(ctx context.Context, e *endpoint) (err error) { offers, err = methodsOf(ctx, e); return err })
		if err != nil {
			offers = append(offers, err.Error())
		}
		proofs = proofs || slices.Contains(offers, "eth_getProof")
		p.add(false, e.name, "%s", strings.Join(offers, ", "))
	}
	if !proofs {
		p.Unverified = append(p.Unverified, "accounts")
	}
	return p, nil
}

type typed struct {
	Type         hexutil.Uint64 `json:"type"`
	L1Fee        present        `json:"l1Fee"`
	GasUsedForL1 present        `json:"gasUsedForL1"`
}

// present reports whether a JSON object has a member other than null.
type present bool

func (p *present) UnmarshalJSON(raw []byte) error {
	*p = string(raw) != "null"
	return nil
}

func (c *Client) profile(ctx context.Context, e *endpoint, p *Profile) error {
	read := func(which any, whole bool) (b evidence.Block, txs []typed, err error) {
		var raw json.RawMessage
		if err = e.call(ctx, &raw, "eth_getBlockByNumber", which, whole); err != nil {
			return b, nil, err
		}
		if b, err = decodeBlock(raw); err == nil && whole {
			var block struct{ Transactions []typed }
			err = decode(raw, &block)
			txs = block.Transactions
		}
		return b, txs, err
	}
	head, txs, err := read("latest", true)
	if err != nil {
		return err
	}
	headers, whole, blocks := true, true, min(head.Number, profileBlocks-1)+1
	var all, receipts []typed
	for b, n := head, uint64(1); ; n++ {
		el := elem("eth_getBlockReceipts", b.Hash)
		if err := e.single(ctx, &el); err != nil {
			return err
		}
		_, wrong := c.takeBlock(ctx, e, &b, el)
		var some []typed
		_ = answer(el, &some) // some endpoints lack it
		headers, whole = headers && b.Checked, whole && b.Checked && wrong == nil
		all, receipts = append(all, txs...), append(receipts, some...)
		if n >= blocks {
			break
		}
		if b, txs, err = read(hexutil.Uint64(b.Number-1), true); err != nil {
			return err
		}
	}
	fee := "no field of receipts tells it"
	for _, r := range receipts {
		if r.L1Fee {
			fee = "l1Fee of receipts"
		} else if r.GasUsedForL1 {
			fee = "gasUsedForL1 of receipts"
		}
	}
	if !headers {
		p.Unverified = append(p.Unverified, "headers")
	}
	if !whole {
		p.Unverified = append(p.Unverified, "receipts")
	}
	p.add(headers, "headers", "hash to their hashes: %t", headers)
	p.add(whole, "receipts", "hash to their roots: %t; %d in %d blocks, of types %s", whole, len(receipts), blocks, typesOf(receipts))
	p.add(false, "transactions", "of types %s", typesOf(all))
	p.add(false, "L1 fee", "%s", fee)
	since, _, err := read(hexutil.Uint64(max(head.Number, profileSpan+1)-profileSpan), false)
	if err == nil && since.Number < head.Number && since.Time <= head.Time {
		p.add(false, "block time", "%.2f s", float64(head.Time-since.Time)/float64(head.Number-since.Number))
	}
	for _, tag := range []string{"finalized", "safe"} {
		if b, _, err := read(tag, false); err == nil {
			p.add(false, tag, "%d blocks and %d s behind", head.Number-min(b.Number, head.Number), head.Time-min(b.Time, head.Time))
		} else {
			p.add(false, tag, "not there: %v", err)
		}
	}
	p.add(false, "gas", "%s", e.extraGas(ctx))
	return ctx.Err()
}

// extraGas describes the gas that an empty call and calldata cost beyond Ethereum's rules. The endpoint's estimates
// may be some percent too high.
func (e *endpoint) extraGas(ctx context.Context) string {
	var gas [2]hexutil.Uint64
	for i, input := range []string{"", strings.Repeat("\x01", profileBytes)} {
		call := callObject{From: &common.Address{}, To: &common.Address{18: 0xde, 19: 0xad}, Input: []byte(input)}
		if err := e.call(ctx, &gas[i], "eth_estimateGas", call); err != nil {
			return fmt.Sprintf("no estimate: %v", err)
		}
	}
	none, much := uint64(gas[0]), uint64(gas[1])
	floor := none + profileBytes*params.TxCostFloorPerToken*params.TxTokenPerNonZeroByte
	return fmt.Sprintf("%d beyond Ethereum's, and %d a byte of calldata",
		max(none, params.TxGas)-params.TxGas, (max(much, floor)-floor)/profileBytes)
}

func methodsOf(ctx context.Context, e *endpoint) (offers []string, err error) {
	client, err := e.client(ctx)
	if err != nil {
		return nil, err
	}
	elems := []rpc.BatchElem{
		elem("eth_getBlockReceipts", "latest"), elem("eth_getProof", common.Address{}, []string{}, "latest"),
		elem("eth_feeHistory", "0x1", "latest", []float64{}),
	}
	batches := "batches"
	if err := client.BatchCallContext(ctx, elems); batchRefused(err, elems) {
		batches = "no batches"
	}
	for i := range elems {
		if err := e.single(ctx, &elems[i]); err != nil {
			return offers, err
		}
		no := ""
		if elems[i].Error != nil {
			no = "no "
		}
		offers = append(offers, no+elems[i].Method)
	}
	return append(offers, batches), nil
}

func typesOf(all []typed) string {
	numbers := []uint64{}
	for _, s := range all {
		numbers = append(numbers, uint64(s.Type))
	}
	slices.Sort(numbers)
	if numbers = slices.Compact(numbers); len(numbers) > profileTypes {
		return fmt.Sprintf("%#x and others", numbers[:profileTypes])
	}
	return fmt.Sprintf("%#x", numbers)
}
