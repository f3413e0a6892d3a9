package status

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

// A record's text, which the scripts read too:
//
//	c:<token>                       claimed; what was there before the claim follows after another colon
//	a                               accepted
//	b:<lane>:<nonce>                bound to a slot
//	f:<outcome>:<block>:<tx hex>    final
//
// and a slot's: s:<tx hex>:<block>:<epoch>, block 0 while the transaction is in none, and the epoch of the lane's journal.

func finalRecord(outcome score.Outcome, tx common.Hash, block uint64) string {
	return fmt.Sprintf("f:%d:%d:%x", uint8(outcome), block, tx[:])
}

func boundRecord(lane score.Lane, nonce uint64) string {
	return fmt.Sprintf("b:%d:%d", lane, nonce)
}

func slotRecord(tx common.Hash, block, epoch uint64) string {
	return fmt.Sprintf("s:%x:%d:%d", tx[:], block, epoch)
}

// parseRecord reads a record. A first claim is the zero status: nothing is accepted yet. slot names the slot of a bound
// record (lane:nonce) and is empty otherwise.
func parseRecord(text string) (st score.Status, slot string, err error) {
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "c":
		_, before, claimedAgain := strings.Cut(rest, ":")
		if !claimedAgain {
			return score.Status{}, "", nil
		}
		return parseRecord(before)
	case "a":
		return score.Status{Stage: score.Accepted}, "", nil
	case "b":
		return score.Status{Stage: score.Batched}, rest, nil
	case "f":
		st, err = parseFinal(rest)
		return st, "", err
	default:
		return score.Status{}, "", redisdb.BadData("record %q", text)
	}
}

func parseFinal(text string) (score.Status, error) {
	fields := strings.Split(text, ":")
	if len(fields) != 3 {
		return score.Status{}, redisdb.BadData("final record %q", text)
	}
	outcome, err1 := strconv.ParseUint(fields[0], 10, 8)
	block, err2 := strconv.ParseUint(fields[1], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return score.Status{}, redisdb.BadData("final record %q: %w", text, err)
	}
	return score.Status{Stage: score.Final, Outcome: score.Outcome(outcome), Block: block, Tx: common.HexToHash(fields[2])}, nil
}

// inSlot completes the status of a bound update by its slot's record; an empty one leaves it as it is.
func inSlot(st score.Status, text string) (score.Status, error) {
	if text == "" {
		return st, nil
	}
	fields := strings.Split(text, ":")
	if len(fields) != 4 || fields[0] != "s" {
		return st, redisdb.BadData("slot %q", text)
	}
	block, err := strconv.ParseUint(fields[2], 10, 64)
	if err != nil {
		return st, redisdb.BadData("slot %q: %w", text, err)
	}
	st.Stage, st.Tx, st.Block = score.Submitted, common.HexToHash(fields[1]), block
	if block > 0 {
		st.Stage = score.Included
	}
	return st, nil
}
