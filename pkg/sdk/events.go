package sdk

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Positions where Events may begin, besides cursors.
const (
	Start = "start" // at the project's first event
	Now   = "now"   // with the events after the request
)

// maxSilence is three heartbeat intervals of the API. After it, the connection counts as dead.
const maxSilence = 45 * time.Second

type Event struct {
	ID        string          `json:"id"`   // the same in each redelivery, so drop events with known ids
	Type      string          `json:"type"` // such as update.applied
	Time      time.Time       `json:"timestamp"`
	ProjectID score.ProjectID `json:"projectId"`
	// one of *UpdateData, *ProjectData, *ChangeData, *EditData, *RewindData; json.RawMessage for unknown types
	Data any `json:"-"`

	Cursor string `json:"-"` // store it once the event is processed, to resume there
}

type TxRef struct {
	Tx    *common.Hash `json:"transactionHash"` // nil: none
	Block uint64       `json:"blockNumber"`     // 0: no transaction, or unknown
}

// UpdateData is the data of update.applied, update.duplicate, update.rejected and update.replayed.
type UpdateData struct {
	UpdateID     score.UpdateID `json:"updateId"`
	TargetWallet common.Address `json:"targetWallet"`
	Signer       common.Address `json:"signer"`
	Action       string         `json:"action"` // empty if the project lacks it; Points is then 0
	// signed points of the action; they changed the score only if Type is update.applied
	Points    int64  `json:"points"`
	ScoreType string `json:"scoreType"` // empty if the project lacks it
	Outcome   string `json:"outcome"`
	TxRef
}

// ProjectData is the data of project.created, project.rejected and project.replayed.
type ProjectData struct {
	Name         string           `json:"name"`
	InputActions []score.Action   `json:"inputActions"`
	ScoreTypes   []string         `json:"scoreTypes"`
	Owners       []common.Address `json:"owners"`
	Updaters     []common.Address `json:"updaters"`
	SignedOnly   bool             `json:"signedOnly"`
	Outcome      string           `json:"outcome"`
	TxRef
}

// ChangeData is the data of project.changed. Exactly one of Member, Action, ScoreType and SignedOnly is set.
type ChangeData struct {
	Member     *common.Address `json:"member"`
	Roles      []string        `json:"roles"` // of Member now: owner, updater; empty if removed
	Action     *score.Action   `json:"action"`
	ScoreType  *string         `json:"scoreType"`
	SignedOnly *bool           `json:"signedOnly"`
	TxRef
}

// EditData is the data of edit.rejected. An applied edit causes project.changed instead.
type EditData struct {
	Nonce   uint64         `json:"nonce"`
	Owner   common.Address `json:"owner"`
	Edits   []score.Edit   `json:"edits"`
	Outcome string         `json:"outcome"`
	TxRef
}

// RewindData is the data of chain.rewound: a reorg replaced the final blocks after Block, and their events are void.
// Forget the ids of these events, since those that still hold are sent again under them.
type RewindData struct {
	Block uint64       `json:"blockNumber"` // newest final block that is still canonical
	Hash  *common.Hash `json:"blockHash"`   // nil if unknown
}

func (e *Event) UnmarshalJSON(raw []byte) error {
	type plain Event
	told := struct {
		*plain
		Data json.RawMessage `json:"data"`
	}{plain: (*plain)(e)}
	if err := json.Unmarshal(raw, &told); err != nil {
		return err
	}
	switch kind, _, _ := strings.Cut(e.Type, "."); {
	case e.Type == "project.changed":
		e.Data = new(ChangeData)
	case kind == "update":
		e.Data = new(UpdateData)
	case kind == "project":
		e.Data = new(ProjectData)
	case kind == "edit":
		e.Data = new(EditData)
	case e.Type == "chain.rewound":
		e.Data = new(RewindData)
	default:
		e.Data = told.Data
		return nil
	}
	return json.Unmarshal(told.Data, e.Data)
}

type EventOptions struct {
	After string // Start, Now or a cursor; "" means Now
	// Moved, if set, receives newer cursors that come alone: at the beginning, and in the absence of events. Store
	// them like an event's.
	Moved func(cursor string)
	// Trouble, if set, receives the reason before each reconnect. Some are normal, since the API ends connections
	// regularly.
	Trouble func(err error)
}

// Events streams a project's final events, each at least once, and reconnects as needed. A client that stores the
// Cursor of the newest processed event and resumes there misses none. A client that obeys chain.rewound holds only
// canonical ones. The last iteration yields the only error: ctx's, or a permanent *Error (because of the key, the
// project, or a cursor that the deployment no longer knows).
func (c *Client) Events(ctx context.Context, project score.ProjectID, o EventOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		s := eventStream{EventOptions: o, client: c, path: "/projects/" + project.String() + "/events"}
		for {
			err := s.read(ctx, yield)
			var refused *Error
			switch {
			case errors.Is(err, errStopped):
				return
			case ctx.Err() != nil:
				yield(Event{}, context.Cause(ctx))
				return
			// An error without a code came from a proxy, so it is retried.
			case errors.As(err, &refused) && refused.RetryAfter == 0 && refused.Code != "":
				yield(Event{}, err)
				return
			}
			s.pace.failed(err)
			if o.Trouble != nil {
				o.Trouble(err)
			}
			_ = retry.Sleep(ctx, max(time.Until(s.pace.resume), s.retry+rand.N(s.retry/2+1))) // jitter
		}
	}
}

var (
	errStopped = errors.New("the caller ended its loop")
	errSilent  = fmt.Errorf("the API has said nothing for %s", maxSilence)
	errEnded   = errors.New("the API ended the stream")
)

type eventStream struct {
	EventOptions

	client *Client
	path   string
	cursor string        // the newest received; "" before the first
	retry  time.Duration // minimum pause before a reconnect, set by the API
	pace   pace
}

// read yields one connection's events. Its error is never nil: errStopped, an *Error, or the connection's.
func (s *eventStream) read(ctx context.Context, yield func(Event, error) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(maxSilence, func() { cancel(errSilent) })
	defer silence.Stop()
	body, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxAnswer)
	var data []byte
	id := s.cursor
	for lines.Scan() {
		silence.Reset(maxSilence)
		field, value, _ := bytes.Cut(lines.Bytes(), []byte{':'}) // a heartbeat begins with the colon
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "id":
			id = string(value)
		case "data":
			data = append(append(data, value...), '\n')
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 16); err == nil {
				s.retry = time.Duration(ms) * time.Millisecond
			}
		case "":
			if len(lines.Bytes()) > 0 {
				continue
			}
			event := Event{Cursor: id}
			if len(data) > 0 {
				if err := json.Unmarshal(data, &event); err != nil {
					return fmt.Errorf("%w: an event is not its JSON: %w", ErrAnswer, err)
				}
			}
			moved := id != s.cursor
			s.cursor, s.pace = id, pace{}
			if len(data) == 0 {
				if moved && s.Moved != nil {
					s.Moved(id)
				}
				continue
			}
			data = nil
			silence.Stop() // while the caller processes the event
			if !yield(event, nil) {
				return errStopped
			}
			silence.Reset(maxSilence)
		}
	}
	return cmp.Or(lines.Err(), errEnded)
}

// connect requests the events after the cursor, without the client's timeout, since the response is endless.
func (s *eventStream) connect(ctx context.Context) (io.ReadCloser, error) {
	path := s.path
	if s.After != "" {
		path += "?after=" + url.QueryEscape(s.After)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.client.url+path, nil)
	if err != nil {
		return nil, fmt.Errorf("couldn't make the request: %w", err)
	}
	req.Header.Set("X-API-KEY", s.client.key)
	req.Header.Set("Accept", "text/event-stream")
	if s.cursor != "" {
		req.Header.Set("Last-Event-ID", s.cursor)
	}
	endless := *s.client.http
	endless.Timeout = 0
	resp, err := endless.Do(req)
	if err != nil {
		return nil, &Error{RetryAfter: defaultWait, cause: err}
	}
	if resp.StatusCode != http.StatusOK {
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		if err != nil {
			return nil, &Error{RetryAfter: defaultWait, cause: err}
		}
		return nil, refusal(resp, raw)
	}
	return resp.Body, nil
}
