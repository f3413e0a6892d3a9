// Command txmgr is the benchmark's peer. It sends given calls as fast as Optimism's op-service/txmgr.Queue can. It is
// its own module because it builds with a fork of go-ethereum, which the rest must not see.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/ethereum-optimism/optimism/op-service/txmgr"
	"github.com/ethereum/go-ethereum/common"
)

// order is the JSON on standard input.
type order struct {
	URL        string         `json:"url"` // of the node
	Key        string         `json:"key"` // of the sending account, hex
	To         common.Address `json:"to"`
	Window     uint64         `json:"window"`      // transactions in flight at once
	CachedFees bool           `json:"cached_fees"` // once per block, in the background
	Calls      string         `json:"calls"`       // file with a line per call: gas limit, space, calldata in hex
}

// result is the JSON on standard output.
type result struct {
	Sent     int    `json:"sent"`
	Failed   int    `json:"failed"`
	FirstErr string `json:"first_error,omitempty"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "txmgr: "+err.Error())
		os.Exit(1)
	}
}

// run sends until all calls are confirmed, or until a signal.
func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	var o order
	if err := json.NewDecoder(os.Stdin).Decode(&o); err != nil {
		return fmt.Errorf("couldn't read the order: %w", err)
	}
	candidates, err := readCalls(o.Calls, o.To)
	if err != nil {
		return err
	}
	manager, err := newManager(ctx, &o)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(send(ctx, manager, o.Window, candidates))
}

// send passes all candidates through one queue. Errors after the signal do not count as failures.
func send(ctx context.Context, manager txmgr.TxManager, window uint64, candidates []txmgr.TxCandidate) result {
	queue := txmgr.NewQueue[int](ctx, manager, window)
	receipts := make(chan txmgr.TxReceipt[int], window)
	counted := make(chan result)
	go func() {
		var r result
		for receipt := range receipts {
			if receipt.Err != nil && ctx.Err() == nil {
				r.Failed++
				r.FirstErr = cmp.Or(r.FirstErr, receipt.Err.Error())
			}
		}
		counted <- r
	}()
	sent := 0
	for i, candidate := range candidates {
		if ctx.Err() != nil {
			break
		}
		queue.Send(i, candidate, receipts)
		sent++
	}
	_ = queue.Wait() // the receipts contain its errors
	close(receipts)
	r := <-counted
	r.Sent = sent
	return r
}

func readCalls(path string, to common.Address) (candidates []txmgr.TxCandidate, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the calls: %w", err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		gas, digits, _ := strings.Cut(lines.Text(), " ")
		limit, badGas := strconv.ParseUint(gas, 10, 64)
		data, badData := hex.DecodeString(digits)
		if err := errors.Join(badGas, badData); err != nil {
			return nil, fmt.Errorf("call %d: %w", len(candidates), err)
		}
		candidates = append(candidates, txmgr.TxCandidate{TxData: data, To: &to, GasLimit: limit})
	}
	return candidates, lines.Err()
}
