package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMistypedVariables(t *testing.T) {
	t.Parallel()
	var api struct {
		commands
		APISettings
	}
	parser, err := NewParser("api", "", &api)
	require.NoError(t, err)
	for entry, says := range map[string]string{
		"SCORELAY_NATS_URI=nats://hush": "SCORELAY_NATS_URI is ignored: no setting has this name; did you mean SCORELAY_NATS_URL?",
		"SCORELAY_LISTNE=:1":            "SCORELAY_LISTNE is ignored: no setting has this name; did you mean SCORELAY_LISTEN?",
		"SCORELAY_CHAINRPC=x":           "SCORELAY_CHAINRPC is ignored: no setting has this name; did you mean SCORELAY_CHAIN_RPC?",
		"SCORELAY_LISTEN_FILE=/f":       "SCORELAY_LISTEN_FILE is ignored: SCORELAY_LISTEN is no secret, so it is not read from a file; set SCORELAY_LISTEN",

		// settings of this program, and of others that share its environment
		"SCORELAY_LISTEN=:1": "", "SCORELAY_NATS_URL_FILE=/f": "", "SCORELAY_CONFIG=f": "",
		"SCORELAY_WINDOW=1": "", "SCORELAY_SIGNER_KEYS=k": "", "SCORELAY_SIGNER_KEYS_FILE=/f": "",
		"SCORELAY_MAX_BYTES=1": "", "SCORELAY_DEPLOYER_KEY=k": "", "SCORELAY_RELAYERS=a": "",

		// what Kubernetes sets for services named scorelay, scorelay-api and scorelay-rate
		"SCORELAY_PORT=tcp://10.0.0.1:80": "", "SCORELAY_SERVICE_HOST=10.0.0.1": "", "SCORELAY_SERVICE_PORT=80": "",
		"SCORELAY_API_SERVICE_HOST=10.0.0.1": "", "SCORELAY_API_SERVICE_PORT_HTTP=80": "", "SCORELAY_API_PORT=tcp://10.0.0.1:80": "",
		"SCORELAY_API_PORT_8080_TCP=tcp://10.0.0.1:8080": "", "SCORELAY_API_PORT_8080_TCP_ADDR=10.0.0.1": "",
		"SCORELAY_RATE_PORT=tcp://10.0.0.1:80": "", "SCORELAY_LISTEN_PORT=x": "",

		// nothing of ours, or not near anything
		"PATH=/bin": "", "SCORELAY_SOMETHING_ELSE=1": "", "CORELAY_LISTEN=:1": "", "SCORELAY_": "", "": "",
	} {
		var want []string
		if says != "" {
			want = []string{says}
		}
		require.Equal(t, want, MistypedVariables(parser, []string{entry}), entry)
	}
	require.Len(t, MistypedVariables(parser, []string{"SCORELAY_NATS_URI=x", "SCORELAY_LISTNE=x", "HOME=/"}), 2)
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1}, {"abcd", "badc", 2}, {"abc", "xyz", 3}} {
		require.Equal(t, c.want, distance(c.a, c.b), "%s %s", c.a, c.b)
		require.Equal(t, c.want, distance(c.b, c.a), "%s %s", c.b, c.a)
	}
}
