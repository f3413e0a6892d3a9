package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/ops"
	"github.com/scorelay/scorelay/pkg/page"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/score"
)

// Limits of prices, which are 64-bit numbers of wei.
const (
	maxGwei  = 1e9
	maxEther = 18.0
)

// Limits of an API key's use, as in the key's own terms.
const (
	maxKeyRate = 1_000_000
	maxKeyGas  = 1_000_000_000_000_000 - 1
)

const (
	// The largest accepted creation and signed group must fit, otherwise they would become dead letters.
	minMaxGas   = 12_000_000
	minMaxBytes = 64 << 10
	maxMaxBytes = score.MostStored
)

type Common struct {
	LogLevel     string        `name:"log-level" env:"SCORELAY_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"How much to log: debug, info, warn or error."`
	LogFormat    string        `name:"log-format" env:"SCORELAY_LOG_FORMAT" enum:"json,text" default:"json" help:"How to write logs: json or text."`
	StartTimeout time.Duration `name:"start-timeout" env:"SCORELAY_START_TIMEOUT" default:"1m" help:"How long to wait at the start for NATS, its streams, Redis and the chain."`
	DrainTimeout time.Duration `name:"drain-timeout" env:"SCORELAY_DRAIN_TIMEOUT" default:"25s" help:"How long to finish what was promised after SIGTERM before giving up; keep it below the orchestrator's kill delay."`
}

type NATS struct {
	NATSURL         Secret `name:"nats-url" env:"SCORELAY_NATS_URL" default:"nats://127.0.0.1:4222" help:"NATS servers, separated by commas; may hold user and password."`
	NATSCredentials string `name:"nats-credentials" env:"SCORELAY_NATS_CREDENTIALS" placeholder:"FILE" help:"NATS credentials file (JWT and seed)."`
	NATSMonitorURL  string `name:"nats-monitor-url" env:"SCORELAY_NATS_MONITOR_URL" default:"http://127.0.0.1:8222" help:"Monitoring endpoints of the NATS servers, separated by commas, of a cluster each server's: each is asked at the start whether it syncs every write. One that does not answer then is asked until it does. APIs ask each how full its disk may be, and is."`
	AllowUnsafe     bool   `name:"allow-unsafe-durability" env:"SCORELAY_ALLOW_UNSAFE_DURABILITY" help:"Start even when the NATS server cannot be seen to sync every write. An accepted update may then be lost with the machine's power."`
}

func (n *NATS) monitors() []string {
	return strings.FieldsFunc(n.NATSMonitorURL, func(r rune) bool { return r == ',' || r == ' ' })
}

type Redis struct {
	RedisURL        Secret        `name:"redis-url" env:"SCORELAY_REDIS_URL" default:"redis://127.0.0.1:6379/0" help:"Redis, as redis:// or rediss:// (TLS) with user, password and database; with ?master_name=… its Sentinels, with ?cluster=true nodes of a Cluster; &addr=host:port names more of them."`
	StatusRetention time.Duration `name:"status-retention" env:"SCORELAY_STATUS_RETENTION" default:"168h" help:"How long the status of an update is kept after its last change. The chain remembers used updateIds forever."`
}

type Chain struct {
	ChainRPC     []Secret      `name:"chain-rpc" env:"SCORELAY_CHAIN_RPC" default:"http://127.0.0.1:8545" help:"JSON-RPC endpoints of the chain (http, https, ws or wss), separated by commas, the preferred one first. Reads fail over; transactions go to all."`
	ChainTimeout time.Duration `name:"chain-timeout" env:"SCORELAY_CHAIN_TIMEOUT" default:"10s" help:"Deadline of one call to an endpoint of the chain."`
	FinalTag     string        `kong:"-"` // chain.Config.FinalTag
	MaxTip       uint64        `kong:"-"` // chain.Config.MaxTip
}

type Traces struct {
	OTLPEndpoint string `name:"otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL" help:"OpenTelemetry collector that gets traces by OTLP over HTTP, protobuf, at /v1/traces below it, such as http://collector:4318. Empty: nothing is traced. Its headers, certificates, compression and time limit, the bounds of spans and what is said of the process come from OpenTelemetry's own variables (OTEL_EXPORTER_OTLP_HEADERS, OTEL_BSP_…, OTEL_RESOURCE_ATTRIBUTES, …)."`
}

type APISettings struct {
	Common `embed:""`
	NATS   `embed:""`
	Redis  `embed:""`
	Chain  `embed:""`
	Traces `embed:""`

	TraceSampler string `name:"trace-sampler" env:"OTEL_TRACES_SAMPLER" default:"parentbased_traceidratio" help:"Which requests are traced, among those with a valid API key, in OpenTelemetry's words; parentbased: those that the caller traces, and of the others as it says."`
	TraceRatio   string `name:"trace-ratio" env:"OTEL_TRACES_SAMPLER_ARG" default:"0.01" help:"Which part of them is traced, 0 to 1. A relayer traces what the API did."`

	Listen             string        `name:"listen" env:"SCORELAY_LISTEN" default:":8080" help:"Address of the HTTP API."`
	TLSCertificate     string        `name:"tls-certificate-file" env:"SCORELAY_TLS_CERTIFICATE_FILE" placeholder:"FILE" help:"Certificate chain of the HTTP API, PEM, the API's own first: it then speaks TLS. Both files are read again when they change."`
	TLSKey             string        `name:"tls-key-file" env:"SCORELAY_TLS_KEY_FILE" placeholder:"FILE" help:"Private key of the certificate, PEM."`
	MaxConnections     int           `name:"max-connections" env:"SCORELAY_MAX_CONNECTIONS" default:"16384" help:"Connections to the HTTP API that are open at once; one more is answered 503. Each takes a file and some 36 kB of memory."`
	MaxPerAddress      int           `name:"max-connections-per-address" env:"SCORELAY_MAX_CONNECTIONS_PER_ADDRESS" default:"4096" help:"Of them, those of one address of IPv4 or one /64 of IPv6; one more is answered 429. It is not for trusted proxies."`
	MaxPerKey          int           `name:"max-connections-per-key" env:"SCORELAY_MAX_CONNECTIONS_PER_KEY" default:"4096" help:"Of them, those over which one API key came first; one more is answered 429 and closed. It is not for trusted proxies."`
	MaxStreams         int           `name:"max-event-streams" env:"SCORELAY_MAX_EVENT_STREAMS" default:"1024" help:"Streams of events (GET /projects/{projectId}/events) that are open at once; one more is answered 503. A quarter of them may be of one API key, and a quarter of one address unless it is a trusted proxy's; one more is answered 429. Each is a connection of its own."`
	IdleTimeout        time.Duration `name:"idle-timeout" env:"SCORELAY_IDLE_TIMEOUT" default:"75s" help:"How long a connection may be idle between two requests. Keep it above that of the callers' pools, and of a proxy in front."`
	KeylessTimeout     time.Duration `name:"keyless-idle-timeout" env:"SCORELAY_KEYLESS_IDLE_TIMEOUT" default:"5s" help:"How long a connection may be idle over which no valid API key came yet. It is not for trusted proxies."`
	TrustedProxies     []string      `name:"trusted-proxies" env:"SCORELAY_TRUSTED_PROXIES" placeholder:"ADDRESS" help:"Addresses or networks (CIDR) of proxies in front of the API, separated by commas, and of nothing else."`
	Origins            []string      `name:"cors-origins" env:"SCORELAY_CORS_ORIGINS" placeholder:"ORIGIN" help:"Origins of pages whose scripts may call the API from a browser, such as https://app.example.com, separated by commas and compared exactly. Who reads such a page's script has the API key in it: give it one that may only look up, and only its project. Empty: none."`
	Explorer           string        `name:"explorer-url" env:"SCORELAY_EXPLORER_URL" placeholder:"URL" help:"Address of a block explorer, such as https://etherscan.io, to which the page links transactions, addresses and blocks: with /tx/…, /address/… and /block/… behind it (ERC-3091). Who follows a link tells the explorer what they look at. Empty: the page links to none."`
	AdminListen        string        `name:"admin-listen" env:"SCORELAY_ADMIN_LISTEN" default:"127.0.0.1:9100" help:"Address of the admin listener: liveness, readiness, metrics, profiles, and /ops if there is a token. But for /ops it asks for no authentication, so keep it private."`
	AdminHosts         []string      `name:"admin-hosts" env:"SCORELAY_ADMIN_HOSTS" placeholder:"HOST" help:"Names or addresses, without ports and separated by commas, by which the admin listener is reached. /metrics and the rest need none for addresses and for names that no public DNS knows (without a dot, or below .local, .internal or .svc); /ops needs one for all but localhost, 127.0.0.1 and ::1: that of a proxy with TLS. Requests that name another host are answered 421."`
	OpsToken           Secret        `name:"ops-token" env:"SCORELAY_OPS_TOKEN" placeholder:"TOKEN" help:"What operators sign in with at /ops of the admin listener, at least 24 characters that no one can guess (openssl rand -hex 16). Who has it may do there what the operator's tool does: replay dead letters, make and revoke API keys, pause. Empty: there is no /ops. Another token ends every session."`
	ScoreTypes         []string      `name:"default-score-types" env:"SCORELAY_DEFAULT_SCORE_TYPES" default:"reputation" help:"Score types of a project whose creation names none."`
	FreshFor           time.Duration `name:"message-max-age" env:"SCORELAY_MESSAGE_MAX_AGE" default:"5m" help:"How old a signed message may be."`
	FreshAhead         time.Duration `name:"message-max-ahead" env:"SCORELAY_MESSAGE_MAX_AHEAD" default:"30s" help:"How far ahead of our clock a signed message may be."`
	BodyLimit          int           `name:"body-limit" env:"SCORELAY_BODY_LIMIT" default:"262144" help:"Largest request body, bytes."`
	BodiesLimit        int           `name:"bodies-limit" env:"SCORELAY_BODIES_LIMIT" default:"33554432" help:"Bytes of all request bodies in progress, at least twice SCORELAY_BODY_LIMIT. A body counts by its length, or its chunks so far, from its head until it is answered. One API key may have as much as it leaves free; what is more is answered 429, and what does not fit in all 503, before it is read. What is made of bodies takes several times as much memory."`
	MaxConcurrent      int           `name:"max-concurrent" env:"SCORELAY_MAX_CONCURRENT" default:"4096" help:"Posts in progress at once; one more is answered 503. As many groups of update-groups, of which one more waits."`
	AcceptTimeout      time.Duration `name:"accept-timeout" env:"SCORELAY_ACCEPT_TIMEOUT" default:"5s" help:"How long storing an update may take, and as long again waiting for its turn, before it is answered 503. A claim of an updateId lives three times as long, and at least 15s."`
	PublicMetrics      bool          `name:"public-metrics" env:"SCORELAY_PUBLIC_METRICS" help:"Serve /metrics on the API's address too, to all who reach it. They are on the admin listener in any case."`
	Rate               int           `name:"rate" env:"SCORELAY_RATE" default:"0" help:"Updates per second of one API key that has no rate of its own, each update of a signed group counted; 0 for no limit. As many as fit into the least whole number of seconds that a group of 256 fits into may come at once."`
	LookUpRate         int           `name:"look-up-rate" env:"SCORELAY_LOOK_UP_RATE" default:"0" help:"Look-ups per second of one API key that has no such rate of its own; 0 for no limit."`
	GasPerDay          uint64        `name:"gas-per-day" env:"SCORELAY_GAS_PER_DAY" default:"0" help:"Gas that one API key may have accepted in a UTC day, if it has no such budget of its own: what its updates and creations take at worst; 0 for no limit."`
	MaxMembers         int           `name:"max-members" env:"SCORELAY_MAX_MEMBERS" default:"1024" help:"Owners and updaters that a project may have by edits that the API takes, at least 100, which a creation may name; one more is answered 400. Owners can go beyond it on the contract; look-ups are paged."`
	MaxWaiting         uint64        `name:"max-waiting" env:"SCORELAY_MAX_WAITING" default:"1000000" help:"Updates of one project that may wait to be bound to a transaction; beyond it more are answered 429, with a Retry-After of what its lane needs for them. At least 1000, or 0 for no bound. What comes within some two seconds of reaching it, or while an endpoint of the chain lets the lane wait, is still accepted, and so is what the lane cannot read yet, because a creation before it cannot be bound."`
	WholeSignatures    []string      `name:"whole-signatures" env:"SCORELAY_WHOLE_SIGNATURES" help:"Projects (or 'all') whose single updates must be signed as a whole, by the scheme eip712: a signature that covers only the time, as in the published scheme, is answered 403. Signed groups always are. A key may ask for the same."`
	ContractSignatures bool          `name:"contract-signatures" env:"SCORELAY_CONTRACT_SIGNATURES" help:"Let members that are contracts sign by ERC-1271. Costs a call to the chain for each such signature."`
}

type RelayerSettings struct {
	Common `embed:""`
	NATS   `embed:""`
	Redis  `embed:""`
	Chain  `embed:""`
	Traces `embed:""`
	TopUps `embed:""`

	AdminListen   string        `name:"admin-listen" env:"SCORELAY_ADMIN_LISTEN" default:"127.0.0.1:9101" help:"Address of the admin listener: liveness, readiness, metrics, profiles. It asks for no authentication, so keep it private."`
	AdminHosts    []string      `name:"admin-hosts" env:"SCORELAY_ADMIN_HOSTS" placeholder:"HOST" help:"Names, without ports and separated by commas, by which the admin listener is reached. It needs none for addresses and for names that no public DNS knows: without a dot, or below .local, .internal or .svc. Requests that name another host are answered 421."`
	Keystore      string        `name:"signer-keystore" env:"SCORELAY_SIGNER_KEYSTORE" placeholder:"PATH" help:"geth keystore file of a lane's signer, description of a remote one (web3signer, AWS KMS), or a directory of such files. It may hold the signers of some lanes only; a file that is added is found within ten seconds of its lane."`
	PasswordFile  string        `name:"signer-password-file" env:"SCORELAY_SIGNER_PASSWORD_FILE" placeholder:"FILE" help:"File with the password of the keystore files."`
	RawKeys       []Secret      `name:"signer-keys" env:"SCORELAY_SIGNER_KEYS" privatekey:"" help:"Raw keys of lanes' signers, hex, separated by commas. For development only, and never as an argument."`
	Confirmations uint64        `name:"confirmations" env:"SCORELAY_CONFIRMATIONS" default:"0" help:"Blocks, its own included, after which a transaction is final. 0: by the tag of SCORELAY_FINALITY."`
	Finality      string        `name:"finality" env:"SCORELAY_FINALITY" enum:"finalized,safe" default:"finalized" help:"The chain's tag by which blocks are final if SCORELAY_CONFIRMATIONS is 0: finalized or safe. A reorg of L1 can replace a block that a rollup calls safe."`
	PollInterval  time.Duration `name:"poll-interval" env:"SCORELAY_POLL_INTERVAL" default:"500ms" help:"How often to look for a new head of the chain; about half its block time."`
	Horizon       int           `name:"horizon" env:"SCORELAY_HORIZON" default:"20000" help:"How many waiting updates a lane chooses from. More make batches cheaper while there is a backlog, up to about 20,000; each takes some 260 bytes of a relayer's memory."`
	Lateness      time.Duration `name:"lateness" env:"SCORELAY_LATENESS" default:"30s" help:"An update that was passed over for so long goes next, even if it costs more."`
	Linger        time.Duration `name:"linger" env:"SCORELAY_LINGER" default:"200ms" help:"How long the first update of a batch waits for more before the batch goes, unless it is full before that. 0: not at all."`
	MaxBatch      int           `name:"max-batch" env:"SCORELAY_MAX_BATCH" default:"2000" help:"Most updates of one transaction."`
	MaxGas        uint64        `name:"max-gas" env:"SCORELAY_MAX_GAS" default:"16777216" help:"Most gas of one transaction, at least 12000000, which the largest signed group may take; more than 16777216 is refused by chains with EIP-7825. Under the rules of the next fork what has no halves may ask for more."`
	MaxBytes      int           `name:"max-bytes" env:"SCORELAY_MAX_BYTES" default:"131072" help:"Largest signed transaction, bytes: from 65536 to 524288."`
	Window        int           `name:"window" env:"SCORELAY_WINDOW" default:"16" help:"Transactions of one lane in flight at once; nodes drop more than 64."`
	MaxFeeGwei    float64       `name:"max-fee-gwei" env:"SCORELAY_MAX_FEE_GWEI" default:"500" help:"Ceiling of a transaction's price per gas, gwei. A lane waits rather than pay more."`
	MaxTxFeeEther float64       `name:"max-tx-fee-ether" env:"SCORELAY_MAX_TX_FEE_ETHER" default:"1" help:"Ceiling of gas limit times price of one transaction, ether; many nodes refuse more than one."`
	MinTipGwei    float64       `name:"min-tip-gwei" env:"SCORELAY_MIN_TIP_GWEI" default:"0.001" help:"Least tip per gas, gwei."`
	MaxTipGwei    float64       `name:"max-tip-gwei" env:"SCORELAY_MAX_TIP_GWEI" default:"50" help:"Most that a lane offers as tip per gas because others do, or because a node asks for it, gwei; at least SCORELAY_MIN_TIP_GWEI. Polygon may ask for more than 50 at peaks."`
	MaxUpdateGwei float64       `name:"max-fee-per-update-gwei" env:"SCORELAY_MAX_FEE_PER_UPDATE_GWEI" default:"0" help:"Ceiling of what an update may cost, gwei, with its bytes on the chain below a rollup, in a batch of 100 with consecutive ids of wallets that have scores: 6,400 gas and 25 bytes. While it costs more, lanes bind nothing new. 0: none."`
	BalanceAlarm  time.Duration `name:"balance-alarm" env:"SCORELAY_BALANCE_ALARM" default:"24h" help:"Log when the balance of a lane's signer lasts shorter, at the rate at which it fell in the last hour or so. 0: never."`
	BumpBlocks    uint64        `name:"bump-blocks" env:"SCORELAY_BUMP_BLOCKS" default:"3" help:"Blocks after which the oldest transaction that is in none gets a higher price."`
	LeaseTTL      time.Duration `name:"lease-ttl" env:"SCORELAY_LEASE_TTL" default:"4s" help:"After how long without a sign of life another replica takes a lane over; whole seconds."`
	AuditHorizon  time.Duration `name:"audit-horizon" env:"SCORELAY_AUDIT_HORIZON" default:"168h" help:"How long final updates stay in the stream for audits. They leave it sooner, down to an hour, if it is two thirds full."`
	LedgerAge     time.Duration `name:"ledger-age" env:"SCORELAY_LEDGER_AGE" default:"168h" help:"How long the ledger of final blocks keeps a message; at least 1h. Streams and webhooks that are further behind read from the chain what they missed."`
	LedgerBytes   int64         `name:"ledger-max-bytes" env:"SCORELAY_LEDGER_MAX_BYTES" default:"10737418240" help:"Bound of the ledger of final blocks, bytes, at least 16777216; the oldest messages make room. An update takes some 24 to 57 bytes."`
	WebhookAllow  []string      `name:"webhook-allow" env:"SCORELAY_WEBHOOK_ALLOW" placeholder:"NETWORK" help:"Addresses or networks (CIDR), separated by commas, to which webhooks may be sent though they are not public, or without TLS (http://). Who may add an endpoint has the relayer reach what is there. Empty: public addresses only, by https://."`
	Replica       string        `name:"replica" env:"SCORELAY_REPLICA" help:"Name of this replica in leases and logs; by default host name and process id."`
}

func (c *Common) Logger(service string) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel))
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: LogAttr}
	var handler slog.Handler = slog.NewJSONHandler(os.Stderr, options)
	if c.LogFormat == "text" {
		handler = slog.NewTextHandler(os.Stderr, options)
	}
	return slog.New(handler).With("service", service)
}

// LogAttr formats durations with their unit, addresses with their checksum (EIP-55). It is for slog.HandlerOptions.
func LogAttr(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case time.Duration:
		a.Value = slog.StringValue(v.String())
	case common.Address:
		a.Value = slog.StringValue(v.Hex())
	}
	return a
}

// Validate returns an error with the variable and the fix of each wrong setting.
func (s *APISettings) Validate() error {
	var p problems
	p.address("SCORELAY_LISTEN", s.Listen)
	p.address("SCORELAY_ADMIN_LISTEN", s.AdminListen)
	p.hosts("SCORELAY_ADMIN_HOSTS", s.AdminHosts)
	s.Chain.problems(&p)
	s.Traces.problems(&p)
	_, err := s.sampler()
	p.check(err == nil || errors.Is(err, errSampler), "OTEL_TRACES_SAMPLER_ARG is %s; it must be from 0 to 1", s.TraceRatio)
	p.positive("SCORELAY_MESSAGE_MAX_AGE", s.FreshFor)
	p.positive("SCORELAY_ACCEPT_TIMEOUT", s.AcceptTimeout)
	p.check(s.StatusRetention >= time.Minute, "SCORELAY_STATUS_RETENTION is %s; it must be at least 1m", s.StatusRetention)
	p.check(s.FreshAhead >= 0, "SCORELAY_MESSAGE_MAX_AHEAD is %s; it must not be negative", s.FreshAhead)
	p.check(len(s.ScoreTypes) > 0, "SCORELAY_DEFAULT_SCORE_TYPES is empty; name at least one score type")
	p.check(s.BodyLimit >= 1024, "SCORELAY_BODY_LIMIT is %d; it must be at least 1024 bytes", s.BodyLimit)
	p.check(s.BodiesLimit >= 2*s.BodyLimit, "SCORELAY_BODIES_LIMIT is %d; it must be at least %d, twice SCORELAY_BODY_LIMIT", s.BodiesLimit, 2*s.BodyLimit)
	p.check(s.MaxConcurrent >= 1, "SCORELAY_MAX_CONCURRENT is %d; it must be at least 1", s.MaxConcurrent)
	p.check(s.MaxConnections >= 1, "SCORELAY_MAX_CONNECTIONS is %d; it must be at least 1", s.MaxConnections)
	p.check(s.MaxPerAddress >= 1, "SCORELAY_MAX_CONNECTIONS_PER_ADDRESS is %d; it must be at least 1", s.MaxPerAddress)
	p.check(s.MaxPerKey >= 1, "SCORELAY_MAX_CONNECTIONS_PER_KEY is %d; it must be at least 1", s.MaxPerKey)
	p.check(s.MaxStreams >= 1, "SCORELAY_MAX_EVENT_STREAMS is %d; it must be at least 1", s.MaxStreams)
	p.positive("SCORELAY_IDLE_TIMEOUT", s.IdleTimeout)
	p.positive("SCORELAY_KEYLESS_IDLE_TIMEOUT", s.KeylessTimeout)
	_, err = networks(s.TrustedProxies)
	p.check(err == nil, "SCORELAY_TRUSTED_PROXIES holds %v; name IP addresses or networks such as 10.0.0.0/8", err)
	for _, origin := range s.Origins {
		p.check(isOrigin(origin), "SCORELAY_CORS_ORIGINS holds %q; name origins as browsers send them: https://app.example.com, in lower case, with a port only where it is not the scheme's own", origin)
	}
	p.check(s.Explorer == "" || page.IsExplorer(s.Explorer), "SCORELAY_EXPLORER_URL is no address that the page may link to; name one by https:// (http:// only at localhost), without user, query and fragment, such as https://etherscan.io")
	p.check(s.OpsToken == "" || len(s.OpsToken) >= ops.MinToken, "SCORELAY_OPS_TOKEN is shorter than %d characters; make one by: openssl rand -hex 16", ops.MinToken)
	p.check((s.TLSCertificate == "") == (s.TLSKey == ""), "set both of SCORELAY_TLS_CERTIFICATE_FILE and SCORELAY_TLS_KEY_FILE, or none of them")
	p.check(s.Rate >= 0 && s.Rate <= maxKeyRate, "SCORELAY_RATE is %d; it must be 0 (no limit) or more, up to %d", s.Rate, maxKeyRate)
	p.check(s.LookUpRate >= 0 && s.LookUpRate <= maxKeyRate, "SCORELAY_LOOK_UP_RATE is %d; it must be 0 (no limit) or more, up to %d", s.LookUpRate, maxKeyRate)
	p.check(s.GasPerDay <= maxKeyGas, "SCORELAY_GAS_PER_DAY is %d; it must be 0 (no limit) or more, up to %d", s.GasPerDay, uint64(maxKeyGas))
	p.check(s.MaxMembers >= score.MaxCreationMembers, "SCORELAY_MAX_MEMBERS is %d; it must be at least %d, which a creation may name", s.MaxMembers, score.MaxCreationMembers)
	p.check(s.MaxWaiting == 0 || s.MaxWaiting >= relay.TellFrom,
		"SCORELAY_MAX_WAITING is %d; it must be 0 (no bound) or at least %d, since relayers tell of no fewer", s.MaxWaiting, relay.TellFrom)
	_, err = s.whole()
	p.check(err == nil, "SCORELAY_WHOLE_SIGNATURES holds what is no projectId: %v; name projects by 0x and 64 hex digits, or all", err)
	return p.err()
}

// whole returns a function that reports whether a project's single updates must be signed as a whole.
func (s *APISettings) whole() (func(score.ProjectID) bool, error) {
	if slices.Equal(s.WholeSignatures, []string{"all"}) {
		return func(score.ProjectID) bool { return true }, nil
	}
	projects := map[score.ProjectID]bool{}
	for _, text := range s.WholeSignatures {
		id, err := score.ParseProjectID(text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		projects[id] = true
	}
	return func(id score.ProjectID) bool { return projects[id] }, nil
}

// Validate returns an error with the variable and the fix of each wrong setting.
func (s *RelayerSettings) Validate() error {
	var p problems
	p.address("SCORELAY_ADMIN_LISTEN", s.AdminListen)
	p.hosts("SCORELAY_ADMIN_HOSTS", s.AdminHosts)
	s.Chain.problems(&p)
	s.Traces.problems(&p)
	s.TopUps.problems(&p)
	p.check((s.Keystore != "") != (len(s.RawKeys) > 0),
		"set SCORELAY_SIGNER_KEYSTORE (with SCORELAY_SIGNER_PASSWORD_FILE) or, for development, SCORELAY_SIGNER_KEYS: one of them, not both")
	p.check(s.StatusRetention >= time.Minute, "SCORELAY_STATUS_RETENTION is %s; it must be at least 1m", s.StatusRetention)
	p.positive("SCORELAY_POLL_INTERVAL", s.PollInterval)
	p.check(s.Horizon >= 1 && s.Horizon <= 1_000_000, "SCORELAY_HORIZON is %d; it must be from 1 to 1,000,000 updates", s.Horizon)
	p.check(s.Lateness >= 0, "SCORELAY_LATENESS is %s; it must not be negative", s.Lateness)
	p.check(s.Linger >= 0, "SCORELAY_LINGER is %s; it must not be negative", s.Linger)
	p.check(s.MaxBatch >= 1, "SCORELAY_MAX_BATCH is %d; it must be at least 1", s.MaxBatch)
	p.check(s.MaxGas >= minMaxGas, "SCORELAY_MAX_GAS is %d; it must be at least %d, which the largest signed group may take", s.MaxGas, minMaxGas)
	p.check(s.MaxBytes >= minMaxBytes && s.MaxBytes <= maxMaxBytes, "SCORELAY_MAX_BYTES is %d; it must be from %d (the largest creation of a project) to %d", s.MaxBytes, minMaxBytes, maxMaxBytes)
	p.check(s.Window >= 1 && s.Window <= 64, "SCORELAY_WINDOW is %d; it must be from 1 to 64", s.Window)
	p.check(s.MaxFeeGwei > 0 && s.MaxFeeGwei < maxGwei, "SCORELAY_MAX_FEE_GWEI is %g; it must be more than 0 and less than %g", s.MaxFeeGwei, maxGwei)
	p.check(s.MaxTxFeeEther > 0 && s.MaxTxFeeEther <= maxEther, "SCORELAY_MAX_TX_FEE_ETHER is %g; it must be more than 0 and at most %g", s.MaxTxFeeEther, maxEther)
	p.check(s.MaxTipGwei >= s.MinTipGwei && s.MaxTipGwei < maxGwei, "SCORELAY_MAX_TIP_GWEI is %g; it must be at least SCORELAY_MIN_TIP_GWEI and less than %g", s.MaxTipGwei, maxGwei)
	p.check(s.MinTipGwei > 0 && s.MinTipGwei <= s.MaxFeeGwei, "SCORELAY_MIN_TIP_GWEI is %g; it must be more than 0 and at most SCORELAY_MAX_FEE_GWEI", s.MinTipGwei)
	p.check(s.MaxUpdateGwei >= 0 && s.MaxUpdateGwei < maxGwei, "SCORELAY_MAX_FEE_PER_UPDATE_GWEI is %g; it must be 0 (none) or more, and less than %g", s.MaxUpdateGwei, maxGwei)
	p.check(s.BalanceAlarm >= 0, "SCORELAY_BALANCE_ALARM is %s; it must not be negative", s.BalanceAlarm)
	p.check(s.BumpBlocks >= 1, "SCORELAY_BUMP_BLOCKS is 0; it must be at least 1")
	p.check(s.LeaseTTL >= 2*time.Second && s.LeaseTTL%time.Second == 0, "SCORELAY_LEASE_TTL is %s; it must be whole seconds, at least 2s", s.LeaseTTL)
	_, err := networks(s.WebhookAllow)
	p.check(err == nil, "SCORELAY_WEBHOOK_ALLOW holds %v; name IP addresses or networks such as 10.0.0.0/8", err)
	p.check(s.LedgerAge >= time.Hour, "SCORELAY_LEDGER_AGE is %s; it must be at least 1h", s.LedgerAge)
	p.check(s.LedgerBytes >= 16<<20, "SCORELAY_LEDGER_MAX_BYTES is %d; it must be at least 16777216", s.LedgerBytes)
	p.check(s.AuditHorizon >= time.Hour, "SCORELAY_AUDIT_HORIZON is %s; it must be at least 1h, well above the stream's duplicate window", s.AuditHorizon)
	return p.err()
}

// networks parses IP addresses and networks; the error names the first invalid one.
func networks(texts []string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if address, single := netip.ParseAddr(text); single == nil {
			address = address.Unmap()
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q, which is no network", text)
		}
		prefixes = append(prefixes, prefix.Masked())
	}
	return prefixes, nil
}

func (c *Chain) problems(p *problems) {
	p.positive("SCORELAY_CHAIN_TIMEOUT", c.ChainTimeout)
	p.check(len(c.ChainRPC) > 0, "SCORELAY_CHAIN_RPC is empty; name at least one JSON-RPC endpoint")
	for _, endpoint := range c.ChainRPC {
		p.check(hasScheme(endpoint.Reveal(), "http", "https", "ws", "wss"), "SCORELAY_CHAIN_RPC holds an endpoint that does not begin with http://, https://, ws:// or wss://")
	}
}

func (t *Traces) problems(p *problems) {
	p.check(t.OTLPEndpoint == "" || isHTTP(t.OTLPEndpoint), "OTEL_EXPORTER_OTLP_ENDPOINT is %q; it must begin with http:// or https://", t.OTLPEndpoint)
}

func isHTTP(text string) bool { return hasScheme(text, "http", "https") }

func hasScheme(text string, schemes ...string) bool {
	scheme, _, _ := strings.Cut(text, "://")
	return slices.ContainsFunc(schemes, func(s string) bool { return strings.EqualFold(scheme, s) })
}

// isOrigin reports whether a browser may send text as a page's origin.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && isHTTP(text) && u.Hostname() != "" && text == strings.ToLower(u.Scheme+"://"+u.Host) && !strings.ContainsAny(text, "*, ") &&
		!(u.Scheme == "https" && u.Port() == "443") && !(u.Scheme == "http" && u.Port() == "80")
}

// isHost reports whether a browser may send text as a host without a port.
func isHost(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil || text != "" && text == strings.ToLower(text) && !strings.ContainsAny(text, "*:/@ ")
}

type problems []error

func (p *problems) check(ok bool, format string, args ...any) {
	if !ok {
		*p = append(*p, fmt.Errorf(format, args...))
	}
}

func (p *problems) positive(variable string, d time.Duration) {
	p.check(d > 0, "%s is %s; it must be more than 0", variable, d)
}

func (p *problems) hosts(variable string, hosts []string) {
	for _, host := range hosts {
		p.check(isHost(host), "%s holds %q; name hosts as browsers send them, in lower case, without scheme and port", variable, host)
	}
}

func (p *problems) address(variable, addr string) {
	_, _, err := net.SplitHostPort(addr)
	p.check(err == nil, "%s is %q; it must be host:port or :port", variable, addr)
}

func (p *problems) err() error { return errors.Join(*p...) }
