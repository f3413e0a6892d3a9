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

// Where Events may begin, beside behind an event.
const (
	Start = "start" // with the project's first event
	Now   = "now"   // with what becomes final from now on
)

// maxSilence is how long a stream may say nothing before the connection is taken for dead: three of the API's heart-beats.
const maxSilence = 45 * time.Second

// Event tells one thing that became final of a project.
type Event struct {
	ID        string          `json:"id"`   // the same however often the event comes: who has seen it drops it
	Type      string          `json:"type"` // such as update.applied
	Time      time.Time       `json:"timestamp"`
	ProjectID score.ProjectID `json:"projectId"`
	Data      any             `json:"-"` // *UpdateData, *ProjectData, *ChangeData, *EditData, *RewindData; of a type that is newer than this package json.RawMessage

	Cursor string `json:"-"` // where to continue behind the event: keep it when all that the event is for is done
}

// TxRef is the transaction that did something, and its block.
type TxRef struct {
	Tx    *common.Hash `json:"transactionHash"` // nil of what no transaction did
	Block uint64       `json:"blockNumber"`     // 0: as Tx, or not known
}

// UpdateData tells of an update: update.applied, update.duplicate, update.rejected, update.replayed.
type UpdateData struct {
	UpdateID     score.UpdateID `json:"updateId"`
	TargetWallet common.Address `json:"targetWallet"`
	Signer       common.Address `json:"signer"`
	Action       string         `json:"action"`    // empty where the project does not have it; so Points
	Points       int64          `json:"points"`    // of the action, signed; only of update.applied the score changed by them
	ScoreType    string         `json:"scoreType"` // empty where the project does not have it
	Outcome      string         `json:"outcome"`
	TxRef
}

// ProjectData tells of a creation: project.created, project.rejected, project.replayed.
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

// ChangeData tells one change of a project: project.changed. Of Member, Action, ScoreType and SignedOnly one is set.
type ChangeData struct {
	Member     *common.Address `json:"member"`
	Roles      []string        `json:"roles"` // that the member has now: owner, updater; none if it is no member any more
	Action     *score.Action   `json:"action"`
	ScoreType  *string         `json:"scoreType"`
	SignedOnly *bool           `json:"signedOnly"`
	TxRef
}

// EditData tells of an owner's edit that was posted, and of which nothing was made: edit.rejected. What is made of others is told by project.changed.
type EditData struct {
	Nonce   uint64         `json:"nonce"`
	Owner   common.Address `json:"owner"`
	Edits   []score.Edit   `json:"edits"`
	Outcome string         `json:"outcome"`
	TxRef
}

// RewindData tells of a reorg deeper than finality: chain.rewound. Events of blocks after Block are void, whose ids are to be forgotten: what holds of
// them comes again, under its id.
type RewindData struct {
	Block uint64       `json:"blockNumber"` // the newest block that stands
	Hash  *common.Hash `json:"blockHash"`   // nil where it is not known
}

// UnmarshalJSON reads the event with the data of its type.
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

// EventOptions say which events are followed.
type EventOptions struct {
	After   string              // Start, Now or a cursor; "" means Now
	Moved   func(cursor string) // told of a newer cursor between events, at the beginning and while nothing becomes final, to keep as an event's; may be nil
	Trouble func(err error)     // told why a connection ended, before the next one; may be nil. The API ends one now and then
}

// Events follows what becomes final of a project, over any number of connections, for as long as it takes. Each event comes at least once: who
// keeps the Cursor of the newest one that it is done with and begins there again misses none, and who obeys chain.rewound holds none that the
// chain replaced. The loop ends with one error, when ctx ends or the API refuses for good (an *Error: the key, the project, a cursor that the
// deployment does not know any more).
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
			case errors.As(err, &refused) && refused.RetryAfter == 0 && refused.Code != "": // what has no code came from what is between, not from the API
				yield(Event{}, err)
				return
			}
			s.pace.failed(err)
			if o.Trouble != nil {
				o.Trouble(err)
			}
			_ = retry.Sleep(ctx, max(time.Until(s.pace.resume), s.retry+rand.N(s.retry/2+1))) // not all readers at once
		}
	}
}

var (
	errStopped = errors.New("the caller ended its loop")
	errSilent  = fmt.Errorf("the API has said nothing for %s", maxSilence)
	errEnded   = errors.New("the API ended the stream")
)

// eventStream is a project's events over connections that follow each other.
type eventStream struct {
	EventOptions

	client *Client
	path   string
	cursor string        // the newest that came; "" before
	retry  time.Duration // the least pause between two connections, as the API asks for it
	pace   pace
}

// read yields what comes over one connection. The error is never nil: errStopped, an *Error or why the connection ended.
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
		field, value, _ := bytes.Cut(lines.Bytes(), []byte{':'}) // of a heart-beat there is no field
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
			silence.Stop() // as long as the caller works
			if !yield(event, nil) {
				return errStopped
			}
			silence.Reset(maxSilence)
		}
	}
	return cmp.Or(lines.Err(), errEnded)
}

// connect asks for the stream. Its answer has no end, so the client's bound of a request's time does not hold.
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
