package app

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestASchemeMayBeInCapitals, as in any address.
func TestASchemeMayBeInCapitals(t *testing.T) {
	t.Parallel()
	for text, is := range map[string]bool{"HTTPS://a": true, "Http://a": true, "https://a": true, "ws://a": false, "a:1": false} {
		require.Equal(t, is, isHTTP(text), text)
	}
}

func TestAnAPISettingThatIsWrongSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*APISettings){
		`SCORELAY_LISTEN is "8080"; it must be host:port or :port`:            func(s *APISettings) { s.Listen = "8080" },
		`SCORELAY_ADMIN_LISTEN is "nowhere"; it must be host:port or :port`:   func(s *APISettings) { s.AdminListen = "nowhere" },
		"SCORELAY_CHAIN_TIMEOUT is 0s; it must be more than 0":                func(s *APISettings) { s.ChainTimeout = 0 },
		"SCORELAY_CHAIN_RPC is empty; name at least one JSON-RPC endpoint":    func(s *APISettings) { s.ChainRPC = nil },
		"SCORELAY_CHAIN_RPC holds an endpoint that does not begin with http":  func(s *APISettings) { s.ChainRPC = []Secret{"WSS://a", "ftp://hush"} },
		"SCORELAY_MESSAGE_MAX_AGE is -1s; it must be more than 0":             func(s *APISettings) { s.FreshFor = -time.Second },
		"SCORELAY_MESSAGE_MAX_AHEAD is -1s; it must not be negative":          func(s *APISettings) { s.FreshAhead = -time.Second },
		"SCORELAY_ACCEPT_TIMEOUT is 0s; it must be more than 0":               func(s *APISettings) { s.AcceptTimeout = 0 },
		"SCORELAY_STATUS_RETENTION is 59s; it must be at least 1m":            func(s *APISettings) { s.StatusRetention = 59 * time.Second },
		"SCORELAY_DEFAULT_SCORE_TYPES is empty; name at least one score type": func(s *APISettings) { s.ScoreTypes = nil },
		"SCORELAY_BODY_LIMIT is 1023; it must be at least 1024 bytes":         func(s *APISettings) { s.BodyLimit = 1023 },
		"SCORELAY_BODIES_LIMIT is 524287; it must be at least 524288, twice":  func(s *APISettings) { s.BodiesLimit = 524287 },
		"SCORELAY_MAX_MEMBERS is 99; it must be at least 100, which a":        func(s *APISettings) { s.MaxMembers = 99 },
		"SCORELAY_MAX_CONCURRENT is 0; it must be at least 1":                 func(s *APISettings) { s.MaxConcurrent = 0 },
		"SCORELAY_MAX_CONNECTIONS is 0; it must be at least 1":                func(s *APISettings) { s.MaxConnections = 0 },
		"SCORELAY_MAX_CONNECTIONS_PER_ADDRESS is 0; it must be at least 1":    func(s *APISettings) { s.MaxPerAddress = 0 },
		"SCORELAY_IDLE_TIMEOUT is 0s; it must be more than 0":                 func(s *APISettings) { s.IdleTimeout = 0 },
		"SCORELAY_KEYLESS_IDLE_TIMEOUT is 0s; it must be more than 0":         func(s *APISettings) { s.KeylessTimeout = 0 },
		`SCORELAY_TRUSTED_PROXIES holds "proxy.local", which is no network`: func(s *APISettings) {
			s.TrustedProxies = []string{"10.0.0.0/8", "proxy.local"}
		},
		`SCORELAY_CORS_ORIGINS holds "*"; name origins as browsers send them`:                                    func(s *APISettings) { s.Origins = []string{"https://app.example.com", "*"} },
		`SCORELAY_CORS_ORIGINS holds "https://app.example.com/"`:                                                 func(s *APISettings) { s.Origins = []string{"https://app.example.com/"} },
		`SCORELAY_CORS_ORIGINS holds "https://*.example.com"`:                                                    func(s *APISettings) { s.Origins = []string{"https://*.example.com"} },
		`SCORELAY_CORS_ORIGINS holds "https://App.example.com:8443"`:                                             func(s *APISettings) { s.Origins = []string{"https://App.example.com:8443"} },
		`SCORELAY_CORS_ORIGINS holds "https://app.example.com:443"`:                                              func(s *APISettings) { s.Origins = []string{"https://app.example.com:443"} },
		`SCORELAY_CORS_ORIGINS holds "null"`:                                                                     func(s *APISettings) { s.Origins = []string{"null"} },
		"SCORELAY_EXPLORER_URL is no address that the page may link to; name one by https://":                    func(s *APISettings) { s.Explorer = "etherscan.io" },
		"set both of SCORELAY_TLS_CERTIFICATE_FILE and SCORELAY_TLS_KEY_FILE, or none":                           func(s *APISettings) { s.TLSKey = "key.pem" },
		`OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4317"; it must begin with http:// or https://`:                func(s *APISettings) { s.OTLPEndpoint = "collector:4317" },
		"SCORELAY_OPS_TOKEN is shorter than 24 characters; make one by: openssl rand -hex 16":                    func(s *APISettings) { s.OpsToken = "scorelay" },
		`SCORELAY_ADMIN_HOSTS holds "https://ops.example.com"; name hosts`:                                       func(s *APISettings) { s.AdminHosts = []string{"::1", "ops.example.com", "https://ops.example.com"} },
		`SCORELAY_ADMIN_HOSTS holds "ops:9100"`:                                                                  func(s *APISettings) { s.AdminHosts = []string{"ops:9100"} },
		"OTEL_TRACES_SAMPLER_ARG is 1.5; it must be from 0 to 1":                                                 func(s *APISettings) { s.TraceRatio = "1.5" },
		"SCORELAY_RATE is -1; it must be 0 (no limit) or more, up to 1000000":                                    func(s *APISettings) { s.Rate = -1 },
		"SCORELAY_LOOK_UP_RATE is -1; it must be 0 (no limit) or more, up to 1000000":                            func(s *APISettings) { s.LookUpRate = -1 },
		"SCORELAY_GAS_PER_DAY is 1000000000000000; it must be 0 (no limit) or more, up to 999999999999999":       func(s *APISettings) { s.GasPerDay = 1e15 },
		`SCORELAY_WHOLE_SIGNATURES holds what is no projectId: "0x12"`:                                           func(s *APISettings) { s.WholeSignatures = []string{"0x12"} },
		"SCORELAY_MAX_WAITING is 999; it must be 0 (no bound) or at least 1000, since relayers tell of no fewer": func(s *APISettings) { s.MaxWaiting = 999 },
	} {
		s := parsed[APISettings](t)
		require.NoError(t, s.Validate())
		change(s)
		requireSentence(t, s.Validate(), says)
	}
	s := parsed[APISettings](t)
	s.TraceSampler, s.TraceRatio = "parentbased_jaeger_remote", "endpoint=http://localhost:14250"
	require.NoError(t, s.Validate(), "as OpenTelemetry has it for others")
	s.Rate, s.FreshAhead, s.BodyLimit, s.StatusRetention, s.MaxWaiting = 0, 0, 1024, time.Minute, 0
	require.NoError(t, s.Validate(), "the bounds themselves are fine")
	s.MaxWaiting = 1000
	require.NoError(t, s.Validate())
}

func TestARelayerSettingThatIsWrongSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*RelayerSettings){
		`SCORELAY_ADMIN_LISTEN is ""; it must be host:port or :port`: func(s *RelayerSettings) { s.AdminListen = "" },
		`SCORELAY_ADMIN_HOSTS holds "relayer:9101"; name hosts`:      func(s *RelayerSettings) { s.AdminHosts = []string{"relayer:9101"} },
		"set SCORELAY_SIGNER_KEYSTORE (with SCORELAY_SIGNER_PASSWORD_FILE) or, for development, SCORELAY_SIGNER_KEYS: one of them, not both": func(s *RelayerSettings) {
			s.RawKeys = []Secret{"hush"}
		},
		"SCORELAY_STATUS_RETENTION is 1s; it must be at least 1m":       func(s *RelayerSettings) { s.StatusRetention = time.Second },
		"SCORELAY_POLL_INTERVAL is 0s; it must be more than 0":          func(s *RelayerSettings) { s.PollInterval = 0 },
		"SCORELAY_LINGER is -1s; it must not be negative":               func(s *RelayerSettings) { s.Linger = -time.Second },
		"SCORELAY_LATENESS is -1s; it must not be negative":             func(s *RelayerSettings) { s.Lateness = -time.Second },
		"SCORELAY_HORIZON is 0; it must be from 1 to 1,000,000 updates": func(s *RelayerSettings) { s.Horizon = 0 },
		"SCORELAY_MAX_BATCH is 0; it must be at least 1":                func(s *RelayerSettings) { s.MaxBatch = 0 },
		"SCORELAY_MAX_GAS is 11999999; it must be at least 12000000":    func(s *RelayerSettings) { s.MaxGas = minMaxGas - 1 },
		"SCORELAY_MAX_BYTES is 65535; it must be from 65536":            func(s *RelayerSettings) { s.MaxBytes = minMaxBytes - 1 },
		"SCORELAY_MAX_BYTES is 524289; it must be from 65536 (the largest creation of a project) to 524288": func(s *RelayerSettings) {
			s.MaxBytes = maxMaxBytes + 1
		},
		"SCORELAY_WINDOW is 0; it must be from 1 to 64":                                     func(s *RelayerSettings) { s.Window = 0 },
		"SCORELAY_WINDOW is 65; it must be from 1 to 64":                                    func(s *RelayerSettings) { s.Window = 65 },
		"SCORELAY_MAX_FEE_GWEI is 1e+09; it must be more than 0 and less than 1e+09":        func(s *RelayerSettings) { s.MaxFeeGwei = maxGwei },
		"SCORELAY_MAX_TX_FEE_ETHER is 18.1; it must be more than 0 and at most 18":          func(s *RelayerSettings) { s.MaxTxFeeEther = 18.1 },
		"SCORELAY_MAX_TIP_GWEI is 0.0001; it must be at least SCORELAY_MIN_TIP_GWEI":        func(s *RelayerSettings) { s.MaxTipGwei = 0.0001 },
		"SCORELAY_MIN_TIP_GWEI is 501; it must be more than 0 and at most SCORELAY_MAX_FEE": func(s *RelayerSettings) { s.MinTipGwei, s.MaxTipGwei = 501, 501 },
		"SCORELAY_BALANCE_ALARM is -1s; it must not be negative":                            func(s *RelayerSettings) { s.BalanceAlarm = -time.Second },
		"SCORELAY_TOPUP_… is set, but not SCORELAY_TOPUP_KEYSTORE":                          func(s *RelayerSettings) { s.TopUpTo = 1 },
		"SCORELAY_TOPUP_BELOW_ETHER is 0; it must be more than 0":                           func(s *RelayerSettings) { s.TopUps = TopUps{"f", "p", 0, 2, 5} },
		"SCORELAY_TOPUP_TO_ETHER is 1; it must be more than SCORELAY_TOPUP_BELOW_ETHER":     func(s *RelayerSettings) { s.TopUps = TopUps{"f", "p", 1, 1, 5} },
		"SCORELAY_TOPUP_PER_DAY_ETHER is 2; it must be more than SCORELAY_TOPUP_TO_ETHER":   func(s *RelayerSettings) { s.TopUps = TopUps{"f", "p", 1, 2, 2} },
		"SCORELAY_TOPUP_PER_DAY_ETHER is 0; it must be more than SCORELAY_TOPUP_TO":         func(s *RelayerSettings) { s.TopUps = TopUps{"f", "p", 1, 2, 0} },
		"SCORELAY_TOPUP_PER_DAY_ETHER is 2e+09; it must be more than SCORELAY_TOPUP_TO":     func(s *RelayerSettings) { s.TopUps = TopUps{"f", "p", 1, 2, 2e9} },
		"SCORELAY_BUMP_BLOCKS is 0; it must be at least 1":                                  func(s *RelayerSettings) { s.BumpBlocks = 0 },
		"SCORELAY_LEASE_TTL is 1s; it must be whole seconds, at least 2s":                   func(s *RelayerSettings) { s.LeaseTTL = time.Second },
		"SCORELAY_LEASE_TTL is 2.5s; it must be whole seconds, at least 2s":                 func(s *RelayerSettings) { s.LeaseTTL = 2500 * time.Millisecond },
		"SCORELAY_AUDIT_HORIZON is 59m0s; it must be at least 1h":                           func(s *RelayerSettings) { s.AuditHorizon = 59 * time.Minute },
	} {
		s := parsed[RelayerSettings](t, "--signer-keystore", "k", "--signer-password-file", "p")
		change(s)
		requireSentence(t, s.Validate(), says)
	}
	s := parsed[RelayerSettings](t, "--signer-keystore", "k", "--signer-password-file", "p")
	s.Linger, s.Window, s.LeaseTTL, s.AuditHorizon, s.MinTipGwei = 0, 64, 2*time.Second, time.Hour, s.MaxFeeGwei
	s.MaxTxFeeEther, s.MaxBytes, s.MaxGas, s.MaxTipGwei = maxEther, maxMaxBytes, minMaxGas, s.MaxFeeGwei
	s.TopUps = TopUps{"f", "", 0.1, 0.2, 0.3}
	require.NoError(t, s.Validate(), "the bounds themselves are fine")
	require.Equal(t, "300000000000000000", weiOf(s.TopUpPerDay).String())

	s.Window, s.MaxBatch = 0, 0
	require.Len(t, strings.Split(s.Validate().Error(), "\n"), 2, "all that is wrong is said at once, a line each")
}

// requireSentence holds an error against what it must say; it must show no secret.
func requireSentence(t *testing.T, err error, says string) {
	t.Helper()
	require.ErrorContains(t, err, says)
	require.NotContains(t, err.Error(), "hush")
	require.NotContains(t, err.Error(), "\n", "nothing else is wrong")
}

// TestNetworks: an address is a network of one, in either way of writing IPv4.
func TestNetworks(t *testing.T) {
	t.Parallel()
	got, err := networks([]string{"192.0.2.7", "::ffff:192.0.2.8", "10.1.2.3/8", "2001:db8::/32", "2001:db8::1"})
	require.NoError(t, err)
	var texts []string
	for _, prefix := range got {
		texts = append(texts, prefix.String())
	}
	require.Equal(t, []string{"192.0.2.7/32", "192.0.2.8/32", "10.0.0.0/8", "2001:db8::/32", "2001:db8::1/128"}, texts)
}

func TestTheParserAsksValidate(t *testing.T) {
	t.Parallel()
	parser, err := NewParser("relayer", "", &RelayerSettings{})
	require.NoError(t, err)
	_, err = parser.Parse(nil)
	require.ErrorContains(t, err, "set SCORELAY_SIGNER_KEYSTORE")
}

func TestPricesAreWei(t *testing.T) {
	t.Parallel()
	s := parsed[RelayerSettings](t, "--signer-keys", "k")
	rules := s.rules()
	require.EqualValues(t, 500e9, rules.Fees.MaxCap)
	require.EqualValues(t, 1e18, rules.Fees.MaxTxFee)
	require.EqualValues(t, 1e6, rules.Fees.MinTip)
	require.Equal(t, []any{s.Window, maxOpenSlots, s.BumpBlocks, s.MaxGas}, []any{rules.Window, rules.MaxOpen, rules.BumpBlocks, rules.MaxGas})
	for _, c := range []struct {
		maxFee, maxTxFee, tip       float64
		wantFee, wantTxFee, wantTip uint64
	}{
		{maxGwei - 1, maxEther, 1e-9, 999_999_999e9, 18e18, 1},
		{0.1, 0.3, 1e-12, 1e8, 3e17, 1}, // a tip below one wei is one wei: none at all is never taken
		{1.1, 1.5, 1.1, 1_100_000_000, 1_500_000_000_000_000_000, 1_100_000_000},
	} {
		s.MaxFeeGwei, s.MaxTxFeeEther, s.MinTipGwei = c.maxFee, c.maxTxFee, c.tip
		fees := s.rules().Fees
		require.Equal(t, []uint64{c.wantFee, c.wantTxFee, c.wantTip}, []uint64{fees.MaxCap, fees.MaxTxFee, fees.MinTip})
	}
}

func TestReplicaNamesAreKeysOfTheLeases(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"relayer-0": "relayer-0", "Relayer_1": "Relayer_1", "relayer 2": "relayer-2", "host.example.com": "host-example-com", "r\u00e9": "r-", "a*b>c": "a-b-c",
	} {
		require.Equal(t, want, (&RelayerSettings{Replica: name}).replica())
	}
	byDefault := (&RelayerSettings{}).replica()
	require.Regexp(t, `^[A-Za-z0-9_-]+-[0-9]+$`, byDefault, "host name and process id")
}

func TestLogLevels(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError} {
		for _, format := range []string{"json", "text"} {
			log := (&Common{LogLevel: level, LogFormat: format}).Logger("test")
			require.True(t, log.Enabled(t.Context(), want))
			require.False(t, log.Enabled(t.Context(), want-1))
		}
	}
}
