package sdk_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// connections answers a client's requests one after the other.
type connections struct {
	asked   []string // path and Last-Event-ID
	answers []saying
}

type saying struct {
	status int
	text   string
	silent bool // behind the text, instead of its end
}

func (c *connections) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked = append(c.asked, strings.TrimSuffix(strings.Replace(r.URL.RequestURI(), project.String(), "p", 1)+" "+r.Header.Get("Last-Event-ID"), " "))
	a := c.answers[0]
	c.answers = c.answers[1:]
	reading, writing := io.Pipe()
	go func() {
		_, _ = io.WriteString(writing, a.text)
		if !a.silent {
			_ = writing.Close()
		}
	}()
	context.AfterFunc(r.Context(), func() { writing.CloseWithError(context.Cause(r.Context())) })
	return &http.Response{StatusCode: a.status, Header: http.Header{"Content-Type": {"application/problem+json"}}, Body: reading}, nil
}

func told(cursor, id string) string {
	return "id: " + cursor + "\nevent: update.applied\ndata: {\"id\":\"" + id + "\",\"type\":\"update.applied\",\"timestamp\":\"2026-11-23T12:00:00Z\",\ndata: \"data\":{\"points\":5}}\n\n"
}

// TestEventsAreFollowedOverConnections: from the cursor of the newest that came, with pauses that grow.
func TestEventsAreFollowedOverConnections(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		c := &connections{answers: []saying{
			{200, "retry: 2000\nid: c0\n\n: nothing\n\n", false},
			{200, told("c1", "one") + told("c2", "two") + "id: c3\ndata: {\"id\":\"th", false},
			{503, `{"code":"shutting_down"}`, false},
			{404, "<html>", false},
			{200, "id: c3\ndata: oops\n\n", false},
			{200, told("c3", "three") + "id: c4\n\n", true},
			{200, told("c5", "four"), true},
			{401, `{"code":"invalid_api_key"}`, false},
		}}
		client := sdk.NewClient("http://api", "key", &http.Client{Transport: c, Timeout: time.Second})
		var ids, cursors, moved, trouble []string
		o := sdk.EventOptions{
			After: sdk.Start, Moved: func(cursor string) { moved = append(moved, cursor) }, Trouble: func(err error) { trouble = append(trouble, err.Error()) },
		}
		var last error
		began := time.Now()
		for event, err := range client.Events(t.Context(), project, o) {
			if last = err; err != nil {
				continue
			}
			require.Equal(t, "update.applied", event.Type)
			require.Equal(t, &sdk.UpdateData{Points: 5}, event.Data)
			ids, cursors = append(ids, event.ID), append(cursors, event.Cursor)
			time.Sleep(time.Hour) // to work on an event is no silence of the API
		}
		require.ErrorContains(t, last, "401 invalid_api_key")
		require.Equal(t, []string{"one", "two", "three", "four"}, ids)
		require.Equal(t, []string{"c1", "c2", "c3", "c5"}, cursors)
		require.Equal(t, []string{"c0", "c4"}, moved)
		path := "/projects/p/events?after=start"
		require.Equal(t, []string{path, path + " c0", path + " c2", path + " c2", path + " c2", path + " c2", path + " c4", path + " c5"}, c.asked)
		for i, want := range []string{"ended the stream", "ended the stream", "503 shutting_down", "answered 404", "not its JSON", "said nothing for 45s", "said nothing for 45s"} {
			require.Contains(t, trouble[i], want)
		}
		paused := time.Since(began) - 4*time.Hour - 2*45*time.Second
		require.Greater(t, paused, 7*2*time.Second)
		require.Less(t, paused, 7*3*time.Second+7*time.Second)
	})
}

func TestFollowingEventsEndsWithItsContextOrLoop(t *testing.T) {
	onVirtualTime(t, func(t *testing.T) {
		c := &connections{answers: []saying{{200, told("c1", "one"), true}, {200, "", true}}}
		client := sdk.NewClient("http://api", "key", &http.Client{Transport: c})
		for event, err := range client.Events(t.Context(), project, sdk.EventOptions{}) {
			require.NoError(t, err)
			require.Equal(t, "one", event.ID)
			break
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		times := 0
		for _, err := range client.Events(ctx, project, sdk.EventOptions{After: "c1"}) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			times++
		}
		require.Equal(t, 1, times)
		require.Equal(t, []string{"/projects/p/events", "/projects/p/events?after=c1"}, c.asked)
	})
}

// TestTheDataOfEventsIsWhatTheServerTells: of each type, the same fields in the same order. This package has types of its own, since those of the server bring
// the chain's client with them; where the server tells null, a value here may be empty instead.
func TestTheDataOfEventsIsWhatTheServerTells(t *testing.T) {
	t.Parallel()
	told := map[event.Type]any{
		event.ProjectCreated: event.ProjectData{}, event.ProjectRejected: event.ProjectData{}, event.ProjectReplayed: event.ProjectData{},
		event.ProjectChanged: event.ChangeData{}, event.EditRejected: event.EditData{}, event.ChainRewound: event.RewindData{},
		event.UpdateApplied: event.UpdateData{}, event.UpdateDuplicate: event.UpdateData{}, event.UpdateRejected: event.UpdateData{}, event.UpdateReplayed: event.UpdateData{},
	}
	require.ElementsMatch(t, event.Types(), slices.Collect(maps.Keys(told)))
	for kind, data := range told {
		raw, err := json.Marshal(event.Event{ID: "id", Type: kind, Data: data})
		require.NoError(t, err)
		var got sdk.Event
		require.NoError(t, json.Unmarshal(raw, &got))
		ours, theirs := reflect.TypeOf(got.Data).Elem(), reflect.TypeOf(data)
		require.Equal(t, theirs.Name(), ours.Name(), kind)
		require.Equal(t, fields(theirs), fields(ours), kind)
	}
}

// fields are the names that a type's fields have in JSON, and what they are.
func fields(of reflect.Type) (all []string) {
	for _, f := range reflect.VisibleFields(of) {
		if f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		is := f.Type
		if is.Kind() == reflect.Pointer {
			is = is.Elem()
		}
		all = append(all, name+" "+is.String())
	}
	return all
}
