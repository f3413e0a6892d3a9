package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"

	"github.com/ethereum/go-ethereum/common"
)

type peer struct {
	*child
	out bytes.Buffer
}

// peerOrder is the input of cmd/bench/txmgr.
type peerOrder struct {
	URL        string         `json:"url"`
	Key        string         `json:"key"`
	To         common.Address `json:"to"`
	Window     uint64         `json:"window"`
	CachedFees bool           `json:"cached_fees"`
	Calls      string         `json:"calls"`
}

func (b *bench) startPeer(w *world, calls []call, cachedFees bool) (*peer, error) {
	file := w.path("calls")
	if err := writeCalls(file, calls); err != nil {
		return nil, err
	}
	order, err := json.Marshal(peerOrder{
		URL: w.endpoint.proxy.URL, Key: hexOf(accountPeer), To: w.contract, Window: window, CachedFees: cachedFees, Calls: file,
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't write the peer's order: %w", err)
	}
	p := &peer{}
	cmd := exec.Command(b.txmgr)
	cmd.Stdin, cmd.Stdout = bytes.NewReader(order), &p.out
	p.child, err = start(w.dir, "txmgr", cmd)
	return p, err
}

// finish ends the peer. It fails if a transaction failed or the calls ran out.
func (p *peer) finish(calls int) error {
	p.stop()
	var result struct {
		Sent     int    `json:"sent"`
		Failed   int    `json:"failed"`
		FirstErr string `json:"first_error"`
	}
	if err := json.Unmarshal(p.out.Bytes(), &result); err != nil {
		return errors.Join(p.gone(), err)
	}
	if result.Failed > 0 {
		return fmt.Errorf("%d of the peer's transactions failed, the first because: %s", result.Failed, result.FirstErr)
	}
	if result.Sent >= calls {
		return fmt.Errorf("the peer ran out of its %d calls: --seconds is too long for what is prepared", calls)
	}
	return nil
}
