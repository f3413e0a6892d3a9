package chain_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// TestNothingOfAURLIsPrinted but its host, however an endpoint and the libraries echo the rest: in errors of reads, of sends and of
// calls that revert, in the profile, and in the log.
func TestNothingOfAURLIsPrinted(t *testing.T) {
	t.Parallel()
	const user, password, key, token = "operator", "pass word", "transaction/0123%2Fabcdef", "s3cr3t+token"
	echo := fmt.Sprintf("invalid transaction nonce for %s of %s:%s@ at /v2/%s?token=%s, or 0123/abcdef, s3cr3t token", key, user, password, key, token)
	page := func(status int) fault {
		return func(w http.ResponseWriter, _ []question, _ bool, _ func() []byte) bool {
			w.WriteHeader(status)
			_, _ = w.Write([]byte("<html>" + echo))
			return true
		}
	}
	node := fresh.NewChain(t)
	head := node.Commit()
	for name, f := range map[string]fault{
		"error":  edit(func(_ string, _ []any, a map[string]any) { fail(a, -32000, echo) }),
		"revert": edit(func(_ string, _ []any, a map[string]any) { fail(a, 3, "execution reverted: "+echo) }),
		"one error for a batch": func(w http.ResponseWriter, _ []question, batch bool, _ func() []byte) bool {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":%q}}`, echo)
			return true
		},
		"400": page(400), "401": page(401), "413": page(413), "429": page(429), "503": page(503),
		"cut": func(w http.ResponseWriter, _ []question, _ bool, _ func() []byte) bool { panic(http.ErrAbortHandler) },
		"redirect": func(w http.ResponseWriter, _ []question, _ bool, _ func() []byte) bool {
			w.Header().Set("Location", "http://127.0.0.1:1/v2/"+key)
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		},
	} {
		for _, scheme := range []string{"http", "ws"} {
			t.Run(name+" over "+scheme, func(t *testing.T) {
				t.Parallel()
				p := newProxy(t, node.URL, f)
				at := scheme + "://" + url.UserPassword(user, password).String() + "@" + p.name() + "/v2/" + key + "?token=" + token
				log := &fresh.Log{}
				c, err := chain.Dial(t.Context(), chain.Config{URLs: []string{at}}, slog.New(slog.NewTextHandler(log, nil)), prometheus.NewRegistry())
				require.NoError(t, err)
				t.Cleanup(c.Close)
				_, err = c.Head(t.Context())
				printed := fmt.Sprint(err)
				require.NotContains(t, printed, "<nil>")
				require.Contains(t, printed, p.name())
				_, err = c.Call(t.Context(), evidence.Call{To: common.Address{1}}, head)
				printed += fmt.Sprint(err)
				result := sendAll(t, c, transfer(t, 0, 0), transfer(t, 0, 1))[0]
				if printed += fmt.Sprint(result.Err); name == "error" && scheme == "http" {
					require.Equal(t, txpool.NonceLow, result.Class, "it is understood as it was said")
				}
				_, err = c.Blocks(t.Context(), p.name(), 0, 1)
				printed += fmt.Sprint(err)
				_, err = c.Profile(t.Context())
				printed += fmt.Sprint(err) + log.String()
				for _, part := range []string{user, "pass", "transaction/", "0123", "abcdef", "s3cr3t", "/v2/"} {
					require.NotContains(t, strings.ToLower(printed), part)
				}
			})
		}
	}
}
