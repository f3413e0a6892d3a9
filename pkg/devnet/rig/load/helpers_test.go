package load

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

func someone(t *testing.T) *Wallet {
	t.Helper()
	w, err := RandomWallet()
	require.NoError(t, err)
	return w
}

func place(t *testing.T) *Place {
	t.Helper()
	return &Place{
		Project: score.ProjectID{1}, Actions: []string{"a", "b"}, ScoreType: "s", Updaters: []*Wallet{someone(t), someone(t)},
		Stranger: someone(t), Targets: RandomTargets(5),
	}
}

func domain() wallet.Domain { return wallet.NewDomain(1, common.Address{1}) }

// asked is a request that an API got.
type asked struct {
	key, path string
	body      map[string]any
}

// answer is the API's; no status means that the connection breaks.
type answer struct {
	status int
	body   string
	header http.Header
}

func accepted() answer  { return answer{status: 200, body: `{"status":"accepted"}`} }
func duplicate() answer { return answer{status: 200, body: `{"status":"duplicate"}`} }
func hangUp() answer    { return answer{} }

func problem(status int, code string) answer {
	return answer{status: status, body: `{"code":"` + code + `","detail":"d"}`}
}

// fakeAPI answers without a network, so that tests have a clock of their own.
type fakeAPI struct {
	answer func(r asked) answer

	mu    sync.Mutex
	asked []asked
}

// script answers in turn, with the last line forever.
func script(lines ...answer) *fakeAPI {
	at := 0
	return &fakeAPI{answer: func(asked) answer {
		at++
		return lines[min(at, len(lines))-1]
	}}
}

func (f *fakeAPI) client() *Client {
	c := newClient("http://api", "secret", f)
	c.Domain = domain()
	return c
}

// RoundTrip answers a request.
func (f *fakeAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	got := asked{key: r.Header.Get("X-API-KEY"), path: r.URL.Path}
	if r.Body != nil {
		if err := json.NewDecoder(r.Body).Decode(&got.body); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	f.asked = append(f.asked, got)
	a := f.answer(got)
	f.mu.Unlock()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if a.status == 0 {
		return nil, errors.New("the connection broke")
	}
	header := http.Header{}
	if a.status >= http.StatusBadRequest {
		header.Set("Content-Type", "application/problem+json")
	}
	maps.Copy(header, a.header)
	return &http.Response{StatusCode: a.status, Header: header, Body: io.NopCloser(strings.NewReader(a.body))}, nil
}
