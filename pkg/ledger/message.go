package ledger

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/go-json-experiment/json"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Kind is the kind of a message (package comment).
type Kind uint8

const (
	Block Kind = iota + 1
	Rewind
	Letter
)

type Message struct {
	Position // after the message

	Kind    Kind
	Block   evidence.Ref // Block: the final block. Rewind: the newest block still canonical. Letter: as Position
	Time    time.Time    // UTC: of the block; Rewind: of the final block then; Letter: when stored or replayed
	Whole   bool         // Block: the block ends with this message
	Events  []Event      // Block: in chain order
	Letter  *score.DeadLetter
	Rewound uint64 // sequence of the newest Rewind before this message, or 0

	// before is the newest whole block before the message, as its writer knew it; of a ledger's first message, its
	// own block.
	before evidence.Ref
}

func (m *Message) follows(other *Message) bool {
	return m.before.Number == other.Position.Block && short(m.before.Hash) == other.Hash || m.begins()
}

// begins reports whether the message is a Rewind with which a purged ledger begins again.
func (m *Message) begins() bool { return m.Kind == Rewind && m.before == m.Block }

type Event struct {
	registry.Event
	Log uint // index of its log in the block
	Tx  *Tx
}

type Tx struct {
	Hash common.Hash
	Gas  uint64   // used; 0 in all but the first message about the transaction
	Fee  *big.Int // wei; 0 as Gas is
}

// Position is a place in the ledger: everything before it was read. The other fields distinguish message Seq from the
// same Seq in a lost or restored ledger. The zero Position is the contract's beginning.
type Position struct {
	Seq     uint64  // newest message read; 0 while only blocks older than the ledger were read
	Block   uint64  // everything up to this block was read
	Hash    [8]byte // first bytes of that block's hash
	Letters uint64  // dead letters up to this sequence of their stream were read
	Logs    uint64  // within the next block: 1 + index of the newest log read; else 0
}

var ErrPosition = errors.New("not a position in the ledger")

// String returns a text such as 41-1200-4f0c…e1-3.
func (p Position) String() string {
	text := fmt.Sprintf("%d-%d-%x-%d", p.Seq, p.Block, p.Hash, p.Letters)
	if p.Logs > 0 {
		text += fmt.Sprintf(".%d", p.Logs)
	}
	return text
}

// ParsePosition parses the form of String. It returns ErrPosition for any other text.
func ParsePosition(text string) (p Position, err error) {
	parts := strings.Split(text, "-")
	if len(parts) != 4 {
		return p, ErrPosition
	}
	letters, logs, middle := strings.Cut(parts[3], ".")
	var errs [5]error
	if middle {
		p.Logs, errs[4] = strconv.ParseUint(logs, 10, 63)
	}
	p.Seq, errs[0] = strconv.ParseUint(parts[0], 10, 63)
	p.Block, errs[1] = strconv.ParseUint(parts[1], 10, 63)
	p.Letters, errs[2] = strconv.ParseUint(letters, 10, 63)
	hash, err := hex.DecodeString(parts[2])
	errs[3] = err
	if len(hash) != len(p.Hash) || errors.Join(errs[:]...) != nil {
		return Position{}, ErrPosition
	}
	copy(p.Hash[:], hash)
	if p.String() != text {
		return Position{}, ErrPosition
	}
	return p, nil
}

func (p Position) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (p *Position) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePosition(string(text))
	return err
}

// nothing returns an empty message that leads to the position.
func (p Position) nothing() *Message {
	return &Message{Position: p, Kind: Block, Whole: true, Block: evidence.Ref{Number: p.Block}}
}

func short(hash common.Hash) (s [8]byte) {
	copy(s[:], hash[:])
	return s
}

const version = 1

// stored is the stored form of a message: a byte version, then the RLP of this.
type stored struct {
	Kind    Kind
	Number  uint64 // of Message.Block
	Hash    common.Hash
	Time    uint64 // unix seconds
	Whole   bool
	Letters uint64       // Position.Letters
	Rewound uint64       // Message.Rewound
	Before  evidence.Ref // Message.before
	Txs     []storedTx
	Letter  []byte // JSON
}

type storedTx struct {
	Hash common.Hash
	Gas  uint64
	Fee  *big.Int
	Logs []storedLog
}

type storedLog struct {
	Index  uint64
	Topics []common.Hash
	Data   []byte
}

// at returns the position after the message, without its sequence.
func (s *stored) at() Position {
	p := Position{Block: s.Number, Hash: short(s.Hash), Letters: s.Letters}
	if s.Kind == Block && !s.Whole {
		p.Block, p.Hash, p.Logs = s.Before.Number, short(s.Before.Hash), uint64(s.lastLog()+1)
	}
	return p
}

// lastLog returns the newest log's index; -1 for none.
func (s *stored) lastLog() int {
	if len(s.Txs) == 0 {
		return -1
	}
	logs := s.Txs[len(s.Txs)-1].Logs
	return int(logs[len(logs)-1].Index)
}

func encode(s *stored) []byte {
	b := bytes.NewBuffer([]byte{version})
	if err := rlp.Encode(b, s); err != nil {
		panic(fmt.Sprintf("a message of the ledger that RLP cannot hold: %v", err)) // every field has an RLP form
	}
	return b.Bytes()
}

// decodeStored reverses encode. For a later version it returns score.ErrNewer.
func decodeStored(data []byte) (*stored, error) {
	if len(data) == 0 || data[0] < version {
		return nil, errors.New("a message of the ledger is empty or of no known version")
	}
	if data[0] > version {
		return nil, fmt.Errorf("a message of the ledger: %w", score.ErrNewer)
	}
	s := new(stored)
	if err := rlp.DecodeBytes(data[1:], s); err != nil {
		return nil, fmt.Errorf("couldn't decode a message of the ledger: %w", err)
	}
	if s.Kind < Block || s.Kind > Letter {
		return nil, fmt.Errorf("a message of the ledger has the unknown kind %d", s.Kind)
	}
	for i := range s.Txs {
		if len(s.Txs[i].Logs) == 0 || s.Txs[i].Fee == nil {
			return nil, errors.New("a message of the ledger has a transaction without logs")
		}
	}
	return s, nil
}

func decode(seq uint64, data []byte) (*Message, error) {
	s, err := decodeStored(data)
	if err == nil {
		var m *Message
		if m, err = s.message(); err == nil {
			m.Seq = seq
			return m, nil
		}
	}
	return nil, fmt.Errorf("sequence %d: %w", seq, err)
}

func (s *stored) message() (*Message, error) {
	m := &Message{
		Position: s.at(), Kind: s.Kind, Block: evidence.Ref{Number: s.Number, Hash: s.Hash}, Time: time.Unix(int64(s.Time), 0).UTC(),
		Whole: s.Whole, Rewound: s.Rewound, before: s.Before,
	}
	for i := range s.Txs {
		t := &s.Txs[i]
		tx := &Tx{t.Hash, t.Gas, t.Fee}
		for _, l := range t.Logs {
			event, err := registry.ParseLog(&types.Log{Topics: l.Topics, Data: l.Data, BlockNumber: s.Number, Index: uint(l.Index)})
			if err != nil {
				return nil, err
			}
			m.Events = append(m.Events, Event{event, uint(l.Index), tx})
		}
	}
	if s.Kind == Letter {
		m.Letter = new(score.DeadLetter)
		if err := json.Unmarshal(s.Letter, m.Letter); err != nil {
			return nil, fmt.Errorf("couldn't decode a dead letter in the ledger: %w", err)
		}
		if m.Time = m.Letter.Time.UTC(); !m.Letter.Replayed.IsZero() {
			m.Time = m.Letter.Replayed.UTC()
		}
	}
	return m, nil
}

// maxMessage bounds the bytes of a message's logs, except for a single larger log.
const maxMessage = score.MostStored / 2

const logOverhead = 160 // bytes of a log and its transaction besides topics and data, at most

// blockMessages returns the messages for a block's logs with an index above after (-1: all); the last one is whole.
// unix is the block's time. paid must contain every transaction of the logs.
func blockMessages(block evidence.Ref, unix uint64, before evidence.Ref, logs []types.Log, after int, paid map[common.Hash]evidence.Paid) []*stored {
	next := func() *stored {
		return &stored{Kind: Block, Number: block.Number, Hash: block.Hash, Time: unix, Before: before}
	}
	parts, size, begun := []*stored{next()}, 0, common.Hash{}
	for i := range logs {
		l := &logs[i]
		if int(l.Index) <= after {
			begun = l.TxHash
			continue
		}
		last := parts[len(parts)-1]
		bytes := len(l.Data) + len(l.Topics)*common.HashLength + logOverhead
		if size > 0 && size+bytes > maxMessage {
			last, size = next(), 0
			parts = append(parts, last)
		}
		size += bytes
		if n := len(last.Txs); n == 0 || last.Txs[n-1].Hash != l.TxHash {
			tx := storedTx{Hash: l.TxHash, Fee: new(big.Int)}
			if p := paid[l.TxHash]; begun != l.TxHash && p.Fee != nil {
				tx.Gas, tx.Fee = p.Gas, p.Fee
			}
			begun = l.TxHash
			last.Txs = append(last.Txs, tx)
		}
		tx := &last.Txs[len(last.Txs)-1]
		tx.Logs = append(tx.Logs, storedLog{uint64(l.Index), l.Topics, l.Data})
	}
	parts[len(parts)-1].Whole = true
	return parts
}
