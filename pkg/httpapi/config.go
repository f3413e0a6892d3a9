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

const (
	// Bytes of a head. The request line of a look-up of 500 wallets has 21,500.
	maxHeaders = 24 << 10
)

// Config of a Server. A zero value means the field's default, except for required fields.
type Config struct {
	ChainID  uint64         // EIP-155; part of the EIP-712 domain, which look-ups of projects return
	Contract common.Address // the ScoreRegistry; part of the domain, too
	Secret   []byte         // the deployment's; seals sessions of the page, salts hashes; nil disables the page
	Explorer string         // block explorer URL for the page's links, valid per page.IsExplorer

	ScoreTypes []string         // of projects that name none. Default ["reputation"]
	Freshness  wallet.Freshness // allowed deviation of a message's time. Default 5 minutes back, 30 seconds ahead

	// Defaults for API keys; 0, the default, is unlimited.
	RatePerSecond    int    // updates
	LookUpsPerSecond int    // look-ups
	GasPerDay        uint64 // worst-case gas of the work accepted in a UTC day

	// Most owners and updaters of a project after an edit; must be at least score.MaxCreationMembers. Default 1,024.
	MaxMembers int
	// Most unassigned updates of a project; beyond, its updates get a 429. 0, the default, is unlimited.
	MaxWaiting uint64

	// Whole reports whether a project refuses signatures that cover only the time. Default: none does.
	Whole func(score.ProjectID) bool

	MaxBody int // in bytes. Default 256 KiB, more than the largest valid creation
	// Bytes of all bodies in progress, at least twice MaxBody. One key may hold as many as it leaves free for others.
	// Default 32 MiB.
	MaxBodies int
	// Write requests in progress; further ones get a 503. As many groups of update-groups may be in progress; further
	// ones wait. Default 4,096.
	MaxWrites int
	// Limit of the look-ups in progress; further ones get a 503. One key may have half of them; its further ones get
	// a 429. Default 512.
	MaxReads int
	// Most updates per durable publish, from score.MaxSigned to the stream's limit. Default 1,000.
	MaxEnvelope int
	// Limit of storing one envelope, and of an update's wait before that. Default 5 s.
	AcceptTimeout time.Duration
	ClaimWait     time.Duration // longest wait for another request's claim. Default 3 s
	// Limit of reading a head, of reading a body, and of each write of a response or stream. Default 10 s.
	ReadTimeout  time.Duration
	DrainTimeout time.Duration // for requests in progress when the server stops. Default 15 s

	MaxConnections int // open connections. Default 16,384
	MaxPerAddress  int // open connections per IPv4 address or IPv6 /64. Default 4,096
	MaxPerKey      int // open connections per API key, the first on each. Default 4,096
	// Longest pause between two requests of a connection. Default 75 s, more than the minute that most clients and
	// proxies use.
	Idle time.Duration
	// As Idle, before a valid API key came; also bounds the head of the first request. Default 5 s.
	KeylessIdle time.Duration
	// How long the API reads on after it refused a body, so that the caller gets the response. Default 2 s.
	Linger time.Duration
	// Most open event streams; one key, and one address, may have a quarter of them. Default 1,024.
	MaxStreams int
	Heartbeat  time.Duration // longest silence of an event stream. Default 15 s
	// CORS: origins of scripts that may read responses, such as https://app.example.com.
	Origins []string
	// Trusted proxies, exempt from MaxPerAddress, MaxPerKey and KeylessIdle.
	Proxies []netip.Prefix
}

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
