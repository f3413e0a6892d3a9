package fresh

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"

	"github.com/scorelay/scorelay/pkg/devnet"
)

// Link is a TCP proxy in front of one server, to simulate a network partition.
type Link struct {
	Addr string

	target   string
	listener net.Listener

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

// StartLink listens on a free port and connects clients to target (host:port), which may start later.
func StartLink(target string) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("couldn't start a link: %w", err)
	}
	l := &Link{Addr: listener.Addr().String(), target: target, listener: listener, conns: map[net.Conn]bool{}}
	go l.accept()
	return l, nil
}

// Sever closes all connections and refuses new ones.
func (l *Link) Sever() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for conn := range l.conns {
		_ = conn.Close()
	}
}

func (l *Link) Restore() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

func (l *Link) Close() {
	_ = l.listener.Close()
	l.Sever()
}

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		go l.join(client)
	}
}

func (l *Link) join(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", l.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	if !l.keep(client, server) {
		return
	}
	defer l.forget(client, server)
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		go func() {
			_, _ = io.Copy(way[0], way[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}

func (l *Link) keep(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		return false
	}
	for _, conn := range conns {
		l.conns[conn] = true
	}
	return true
}

func (l *Link) forget(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range conns {
		delete(l.conns, conn)
	}
}

// Mesh is the network of a NATS cluster. Each pair of servers has one link, by which the later server connects to the
// earlier one.
type Mesh struct {
	Ports []int // of the servers, for the cluster's connections

	links [][]*Link // of server i to each earlier server
}

func StartMesh(servers int) (*Mesh, error) {
	m := &Mesh{Ports: make([]int, servers), links: make([][]*Link, servers)}
	for i := range servers {
		var err error
		if m.Ports[i], err = devnet.FreePort(); err != nil {
			return nil, err
		}
		for j := range i {
			l, err := StartLink(net.JoinHostPort("127.0.0.1", strconv.Itoa(m.Ports[j])))
			if err != nil {
				m.Close()
				return nil, err
			}
			m.links[i] = append(m.links[i], l)
		}
	}
	return m, nil
}

func (m *Mesh) Cluster(i int) *devnet.NATSCluster {
	c := &devnet.NATSCluster{Index: i, Port: m.Ports[i], Unlisted: true}
	if i == 0 {
		c.Routes = []string{"127.0.0.1:1"} // NATS refuses a cluster without routes
	}
	for _, l := range m.links[i] {
		c.Routes = append(c.Routes, l.Addr)
	}
	return c
}

func (m *Mesh) Isolate(i int) { m.each(i, (*Link).Sever) }

func (m *Mesh) Heal(i int) { m.each(i, (*Link).Restore) }

func (m *Mesh) each(i int, do func(*Link)) {
	for a, to := range m.links {
		for b, l := range to {
			if a == i || b == i {
				do(l)
			}
		}
	}
}

func (m *Mesh) Close() {
	for _, to := range m.links {
		for _, l := range to {
			l.Close()
		}
	}
}
