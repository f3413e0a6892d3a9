package devnet

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// NATSOptions configures StartNATS. The zero value is a durable server on free ports.
type NATSOptions struct {
	Port        int
	MonitorPort int
	NoSync      bool // leave JetStream's default sync interval, which Scorelay must refuse
	MaxPayload  int  // bytes of a message; 0: NATS' default

	Cluster *NATSCluster // nil: a single server
}

// NATSCluster makes a server part of a cluster. JetStream is up once a majority of the servers is.
type NATSCluster struct {
	Index int // of the server, for NATSName
	Port  int // for the other servers
	// host:port to connect to, also after disconnects; each pair of servers needs one route
	Routes   []string
	Unlisted bool // connects by Routes alone
}

const nowhere = "127.0.0.1:1"

func NATSName(index int) string { return "scorelay-dev-" + strconv.Itoa(index) }

type NATSServer struct {
	URL        string
	MonitorURL string // serves /jsz and /varz

	server *server.Server
}

// natsStartTimeout includes the recovery of the streams from disk.
const natsStartTimeout = 2 * time.Minute

// StartNATS starts a server with its streams under dir. It syncs every write before it acknowledges it, unless NoSync
// is set.
func StartNATS(dir string, opts NATSOptions) (*NATSServer, error) {
	return OnPort(opts.Port, func(port int) (*NATSServer, error) {
		return OnPort(opts.MonitorPort, func(monitor int) (*NATSServer, error) {
			on := opts
			on.Port, on.MonitorPort = port, monitor
			return startNATS(dir, on)
		})
	})
}

func startNATS(dir string, opts NATSOptions) (*NATSServer, error) {
	settings := &server.Options{
		ServerName: "scorelay-dev",
		Host:       "127.0.0.1",
		Port:       opts.Port,
		HTTPHost:   "127.0.0.1",
		HTTPPort:   opts.MonitorPort,
		JetStream:  true,
		StoreDir:   dir,
		SyncAlways: !opts.NoSync,
		NoSigs:     true,
		MaxPayload: int32(opts.MaxPayload),
		// Unlimited: by default, all streams' size limits together must fit into three quarters of the free disk.
		JetStreamMaxStore: math.MaxInt64 / 2,
	}
	if c := opts.Cluster; c != nil {
		settings.ServerName = NATSName(c.Index)
		settings.Cluster = server.ClusterOpts{Name: "scorelay-dev", Host: "127.0.0.1", Port: c.Port, NoAdvertise: true}
		if c.Unlisted {
			settings.Cluster.Advertise = nowhere
		}
		settings.Routes = server.RoutesFromStr("nats://" + strings.Join(c.Routes, ",nats://"))
	}
	s, err := server.NewServer(settings)
	if err != nil {
		return nil, fmt.Errorf("couldn't make a NATS server: %w", err)
	}
	// Only the log reports a taken port or a broken store. In a cluster, servers that start later also cause errors,
	// so only fatal lines count.
	log := fatalLog{fatalOnly: opts.Cluster != nil}
	s.SetLoggerV2(&log, false, false, false)
	s.Start()
	deadline := time.Now().Add(natsStartTimeout)
	for !s.ReadyForConnections(100 * time.Millisecond) {
		err := log.fatal()
		if err == nil && time.Now().Before(deadline) {
			continue
		}
		if err == nil {
			err = fmt.Errorf("not ready after %v", natsStartTimeout)
		}
		s.Shutdown()
		return nil, fmt.Errorf("couldn't start NATS: %w", err)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("couldn't start JetStream in %s: %w", dir, log.fatal())
	}
	return &NATSServer{
		URL:        s.ClientURL(),
		MonitorURL: "http://" + s.MonitorAddr().String(),
		server:     s,
	}, nil
}

// Server returns the server itself.
func (n *NATSServer) Server() *server.Server { return n.server }

func (n *NATSServer) Close() {
	n.server.Shutdown()
	n.server.WaitForShutdown()
}

// fatalLog keeps only the first fatal or error line.
type fatalLog struct {
	fatalOnly bool

	mu    sync.Mutex
	first string
}

func (l *fatalLog) keep(format string, v []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == "" {
		l.first = fmt.Sprintf(format, v...)
	}
}

func (l *fatalLog) fatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == "" {
		return nil
	}
	return errors.New(l.first)
}

func (l *fatalLog) Fatalf(format string, v ...any) { l.keep(format, v) }
func (l *fatalLog) Errorf(format string, v ...any) {
	if !l.fatalOnly {
		l.keep(format, v)
	}
}
func (l *fatalLog) Noticef(string, ...any) {}
func (l *fatalLog) Warnf(string, ...any)   {}
func (l *fatalLog) Debugf(string, ...any)  {}
func (l *fatalLog) Tracef(string, ...any)  {}
