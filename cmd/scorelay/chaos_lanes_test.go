package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// Lanes come and go in TestChaos: so many keys are in the relayers, and so many lanes are there at least and at most.
const (
	chaosSigners  = 40
	chaosFewLanes = 3
	chaosMostLane = 12
	laneCommand   = 20 * time.Second // before a command that changes lanes is given up: NATS or the chain may not answer
)

// hexKey is the private key of an account of devnet.
func hexKey(account int) string {
	return hexutil.Encode(crypto.FromECDSA(devnet.Key(account)))
}

// chaosKeys are the relayers' keys: those of the first lanes, and of more that come later.
func chaosKeys() string {
	keys := make([]string, chaosSigners)
	for i := range keys {
		keys[i] = hexKey(devnet.AccountSigner + i)
	}
	return "SCORELAY_SIGNER_KEYS=" + strings.Join(keys, ",")
}

// changeLanes adds, removes, replaces or cuts a lane, as an operator does.
func (c *chaos) changeLanes(a act) bool {
	active := c.activeLanes()
	if len(active) == 0 {
		return false // NATS does not answer
	}
	whom := active[a.whom%len(active)]
	change := a.depth
	switch {
	case len(active) <= chaosFewLanes:
		change = 1
	case len(active) >= chaosMostLane && change == 1:
		change = 2
	}
	id := strconv.Itoa(int(whom))
	c.t.Logf("%6.1f s: change %d of lane %s, %d are active", time.Since(c.began).Seconds(), change, id, len(active))
	switch change {
	case 1:
		return c.withSigner("add")
	case 2:
		return c.lanesCommand("remove", id) != nil
	case 3:
		return c.withSigner("replace", id)
	case 4:
		return c.lanesCommand("cut", id) != nil
	default:
		return c.lanesCommand("cut", id, "--dead") != nil
	}
}

// withSigner runs a command that enters a signer, the next one.
func (c *chaos) withSigner(args ...string) bool {
	c.mu.Lock()
	next := devnet.AccountSigner + chaosLanes + c.entered
	c.entered++
	c.mu.Unlock()
	return next < devnet.AccountSigner+chaosSigners &&
		c.lanesCommand(append(args, "--chain-rpc", c.node, "--signer", devnet.Address(next).Hex())...) != nil
}

// lanesCommand runs `scorelay lanes`. It may fail while what it needs is down.
func (c *chaos) lanesCommand(args ...string) []byte {
	ctx, cancel := context.WithTimeout(c.ctx, laneCommand)
	defer cancel()
	program := command().Path
	cmd := exec.CommandContext(ctx, program, append([]string{"lanes"}, append(args, "--data-dir", c.dir)...)...)
	cmd.Env = append(os.Environ(), "SCORELAY_DEPLOYER_KEY="+hexKey(0))
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		c.t.Logf("lanes %s: %v", strings.Join(args, " "), err)
		return nil
	}
	return out
}

// activeLanes are those that may be changed; none if they cannot be told.
func (c *chaos) activeLanes() (active []score.Lane) {
	for _, d := range c.laneList() {
		if d.State == roster.Active {
			active = append(active, d.Lane)
		}
	}
	return active
}

// laneList is what `scorelay lanes list` tells; nothing if it fails.
func (c *chaos) laneList() (documents []laneDocument) {
	for line := range bytes.Lines(c.lanesCommand("list", "--json")) {
		var d laneDocument
		require.NoError(c.t, json.Unmarshal(line, &d), "%s", line)
		documents = append(documents, d)
	}
	return documents
}

// lanesAtRest: every lane that left has given everything away and has nothing open, and all buckets have an owner.
func (c *chaos) lanesAtRest() bool {
	owned, rest := 0, true
	list := c.laneList()
	for _, d := range list {
		owned += d.Buckets
		rest = rest && d.Buckets == d.Wanted && (d.State == roster.Active || d.OpenSlots+d.Queue == 0)
	}
	return rest && owned == score.Buckets
}

// lanesTable is the list for people.
func (c *chaos) lanesTable() string {
	text := ""
	for _, d := range c.laneList() {
		text += fmt.Sprintf("\n  %+v", d)
	}
	return text
}
