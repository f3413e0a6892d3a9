package httpapi

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Bounds that need no setting.
const (
	maxHeaders = 24 << 10 // bytes of request line and headers: a look-up of 500 wallets has 21,500 in its path
)

// Config of a Server. A zero value takes the field's default, except where a field is required.
type Config struct {
	ChainID  uint64         // EIP-155; for EIP-712 signatures, whose domain look-ups of projects tell
	Contract common.Address // the ScoreRegistry; as ChainID
	Secret   []byte         // of the deployment, under which the page's sessions are sealed; nil: there is no page
	Explorer string         // the address of a block explorer that the page links to, one of page.IsExplorer. Default none

	ScoreTypes []string         // of a project that declares none. Default ["reputation"]
	Freshness  wallet.Freshness // how far a message's time may be off. Default 5 minutes back, 30 seconds ahead

	// Of an API key that has none of its own. 0, the default, is no limit.
	RatePerSecond    int    // updates
	LookUpsPerSecond int    //
	GasPerDay        uint64 // at worst, of what is accepted in a UTC day

	MaxMembers int    // owners and updaters that edits may give a project, score.MaxCreationMembers or more. Default 1,024
	MaxWaiting uint64 // updates of one project that wait to be bound; beyond it they get a 429. 0, the default, is no bound

	// Whole tells of a project whether signatures are refused that cover only the time. Default: of none.
	Whole func(score.ProjectID) bool

	MaxBody       int           // bytes of a body. Default 256 KiB: more than the largest valid creation
	MaxBodies     int           // bytes of all bodies in progress, at least twice MaxBody; one key leaves as much free as it has. Default 32 MiB
	MaxWrites     int           // posts that write in progress at once; more get a 503. As many groups of update-groups, of which more wait. Default 4,096
	MaxReads      int           // look-ups in progress at once, of which one key has half at most; more get a 429 for the key, a 503 for all. Default 512
	MaxEnvelope   int           // updates in one durable publish, score.MaxSigned … what the stream takes. Default 1,000
	AcceptTimeout time.Duration // of storing one envelope, and of waiting for one's turn. Default 5 s
	ClaimWait     time.Duration // for the claim of another request to resolve. Default 3 s
	ReadTimeout   time.Duration // of a request's head, as long again of its body, and of what is written of an answer, or of a stream at once. Default 10 s
	DrainTimeout  time.Duration // for requests in progress when the server stops. Default 15 s

	MaxConnections int            // open at once. Default 16,384
	MaxPerAddress  int            // of them, those of one address of IPv4 or one /64 of IPv6. Default 4,096
	MaxPerKey      int            // of them, those over which an API key came first. Default 4,096
	Idle           time.Duration  // between two requests of a connection. Default 75 s, above the minute of most clients and proxies
	KeylessIdle    time.Duration  // the same while the connection showed no valid API key, and until the head of its first request is there. Default 5 s
	Linger         time.Duration  // how long a connection whose body is refused is read from, so that its caller gets the answer. Default 2 s
	MaxStreams     int            // of events, open at once; a quarter of them for one key, and for one address. Default 1,024
	Heartbeat      time.Duration  // after which a stream of events says something if nothing happens. Default 15 s
	Origins        []string       // of pages whose scripts browsers let read answers, such as https://app.example.com. Default none
	Proxies        []netip.Prefix // addresses of trusted proxies: neither MaxPerAddress, MaxPerKey nor KeylessIdle is for them. Default none
}

// trusts tells whether a trusted proxy has the address.
func (c *Config) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(c.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

func (c Config) withDefaults() Config {
	if len(c.ScoreTypes) == 0 {
		c.ScoreTypes = []string{"reputation"}
	}
	if c.Freshness == (wallet.Freshness{}) {
		c.Freshness = wallet.Freshness{Past: 5 * time.Minute, Ahead: 30 * time.Second}
	}
	if c.Whole == nil {
		c.Whole = func(score.ProjectID) bool { return false }
	}
	c.MaxMembers = cmp.Or(c.MaxMembers, 1024)
	c.MaxBody = cmp.Or(c.MaxBody, 256<<10)
	c.MaxBodies = cmp.Or(c.MaxBodies, 32<<20)
	c.MaxWrites = cmp.Or(c.MaxWrites, 4096)
	c.MaxReads = cmp.Or(c.MaxReads, 512)
	c.MaxEnvelope = cmp.Or(c.MaxEnvelope, 1000)
	c.AcceptTimeout = cmp.Or(c.AcceptTimeout, 5*time.Second)
	c.ClaimWait = cmp.Or(c.ClaimWait, 3*time.Second)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 10*time.Second)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 15*time.Second)
	c.MaxConnections = cmp.Or(c.MaxConnections, 16384)
	c.MaxPerAddress = cmp.Or(c.MaxPerAddress, 4096)
	c.MaxPerKey = cmp.Or(c.MaxPerKey, 4096)
	c.MaxStreams = cmp.Or(c.MaxStreams, 1024)
	c.Heartbeat = cmp.Or(c.Heartbeat, 15*time.Second)
	c.Idle = cmp.Or(c.Idle, 75*time.Second)
	c.KeylessIdle = cmp.Or(c.KeylessIdle, 5*time.Second)
	c.Linger = cmp.Or(c.Linger, 2*time.Second)
	return c
}
