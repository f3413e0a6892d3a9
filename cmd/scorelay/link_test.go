package main

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// link is a TCP proxy in front of one server, which can be cut: as a network that no longer leads there.
type link struct {
	addr string // host:port

	target   string
	listener net.Listener

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

// startLink listens on a free port for connections to target (host:port), which may come up later.
func startLink(target string) (*link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("couldn't start a link: %w", err)
	}
	l := &link{addr: listener.Addr().String(), target: target, listener: listener, conns: map[net.Conn]bool{}}
	go l.accept()
	return l, nil
}

// sever ends all connections and lets new ones in no more.
func (l *link) sever() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for conn := range l.conns {
		_ = conn.Close()
	}
}

// restore lets connections in again.
func (l *link) restore() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

// close cuts the link and stops listening.
func (l *link) close() {
	_ = l.listener.Close()
	l.sever()
}

func (l *link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		go l.join(client)
	}
}

func (l *link) join(client net.Conn) {
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

func (l *link) keep(conns ...net.Conn) bool {
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

func (l *link) forget(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range conns {
		delete(l.conns, conn)
	}
}

func TestALinkIsCutAndRestored(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = server.Close() }()
	go func() {
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
	l, err := startLink(server.Addr().String())
	require.NoError(t, err)
	defer l.close()
	echo := func(conn net.Conn) error {
		if _, err := conn.Write([]byte("x")); err != nil {
			return err
		}
		_, err := io.ReadFull(conn, make([]byte, 1))
		return err
	}
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", l.addr)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	first := dial()
	require.NoError(t, echo(first))
	l.sever()
	require.Error(t, echo(first))
	require.Error(t, echo(dial()))
	l.restore()
	require.NoError(t, echo(dial()))
}
