package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sync/errgroup"
)

// Senders share the machine with the measured process. To save CPU time, they send ready requests and parse no JSON.
const (
	singleConns = 128    // requests in progress in the closed loop
	groupConns  = 48     // the same for groups
	openConns   = 512    // connections in the open loop
	openPart    = 0.5    // fraction of the closed loop's rate
	prepare     = 20_000 // requests made per second of the closed loop; fewer for groups
)

type answering struct {
	*child
	address string
}

type load struct {
	to       *answering
	make     func(n int) [][]byte // requests to send once
	next     func() []byte        // requests to repeat; ignored if make is set
	conns    int
	updates  int  // per request; 0 is one
	accepted bool // a response without "accepted" is an error
}

func repeated(requests [][]byte) func() []byte {
	var at atomic.Uint64
	return func() []byte { return requests[at.Add(1)%uint64(len(requests))] }
}

// once returns a function that returns each request once, then nil.
func once(requests [][]byte) func() []byte {
	var at atomic.Int64
	return func() []byte {
		if i := int(at.Add(1)) - 1; i < len(requests) {
			return requests[i]
		}
		return nil
	}
}

// measure measures rate and CPU time in a closed loop, then latencies in an open loop at openPart of that rate.
func (l load) measure(ctx context.Context, seconds time.Duration) (m measured, err error) {
	updates := max(l.updates, 1)
	next := l.next
	if l.make != nil {
		next = once(l.make(int(seconds.Seconds() * l.most())))
	}
	before, err := l.to.cpuSeconds()
	if err != nil {
		return m, err
	}
	n, took, err := l.closed(ctx, seconds, next)
	if err != nil {
		return m, err
	}
	after, err := l.to.cpuSeconds()
	if err != nil {
		return m, err
	}
	if n == 0 {
		return m, errors.New("nothing was answered")
	}
	m.PerS = float64(n*updates) / took.Seconds()
	m.CPU = (after - before) * 1e6 / float64(n*updates)
	rate := float64(n) / took.Seconds() * openPart
	if l.make != nil {
		next = once(l.make(int(seconds.Seconds()*rate) + 1))
	}
	latencies, err := l.open(ctx, openConns, rate, seconds, next)
	if err != nil {
		return m, err
	}
	slices.Sort(latencies)
	m.P50, m.P99 = latencies[len(latencies)/2], latencies[len(latencies)*99/100]
	return m, nil
}

func (l *load) most() float64 { return float64(prepare) / float64(max(l.updates/16, 1)) }

// closed sends one request after the other on each connection, until the time or the requests end.
func (l *load) closed(ctx context.Context, seconds time.Duration, next func() []byte) (answered int, took time.Duration, err error) {
	conns, closeAll, err := l.to.connect(l.conns)
	if err != nil {
		return 0, 0, err
	}
	defer closeAll()
	var n atomic.Int64
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for _, c := range conns {
		group.Go(func() error {
			for time.Since(began) < seconds && ctx.Err() == nil {
				request := next()
				if request == nil {
					return nil
				}
				if err := c.send(request, l.accepted); err != nil {
					return err
				}
				n.Add(1)
			}
			return ctx.Err()
		})
	}
	err = group.Wait()
	return int(n.Load()), time.Since(began), err
}

// open sends each request when due, or once a connection is free. It returns the milliseconds from due to response.
func (l *load) open(ctx context.Context, n int, rate float64, seconds time.Duration, next func() []byte) (ms []float64, err error) {
	conns, closeAll, err := l.to.connect(n)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	total := max(int(rate*seconds.Seconds()), 1)
	ms = make([]float64, total)
	type due struct {
		n       int
		at      time.Time
		request []byte
	}
	queue := make(chan due, total)
	group, ctx := errgroup.WithContext(ctx)
	for _, c := range conns {
		group.Go(func() error {
			for d := range queue {
				if err := c.send(d.request, l.accepted); err != nil {
					return err
				}
				ms[d.n] = time.Since(d.at).Seconds() * 1000
			}
			return nil
		})
	}
	began := time.Now()
	for n := range total {
		at := began.Add(time.Duration(float64(n) / rate * float64(time.Second)))
		time.Sleep(time.Until(at))
		if ctx.Err() != nil {
			break
		}
		queue <- due{n, at, next()}
	}
	close(queue)
	return ms, group.Wait()
}

func (a *answering) cpuSeconds() (float64, error) {
	stat, err := statOf(a.child)
	return stat.CPUTime(), err
}

func statOf(c *child) (procfs.ProcStat, error) {
	proc, err := procfs.NewProc(c.cmd.Process.Pid)
	if err != nil {
		return procfs.ProcStat{}, errors.Join(c.gone(), err)
	}
	return proc.Stat()
}

func (a *answering) connect(n int) (conns []*sender, closeAll func(), err error) {
	closeAll = func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}
	for range n {
		c, err := net.Dial("tcp", a.address)
		if err != nil {
			closeAll()
			return nil, nil, fmt.Errorf("couldn't connect: %w", err)
		}
		conns = append(conns, &sender{Conn: c, answers: bufio.NewReader(c)})
	}
	return conns, closeAll, nil
}

// sender has at most one request in progress.
type sender struct {
	net.Conn
	answers *bufio.Reader
	body    []byte
}

var (
	ok            = []byte("HTTP/1.1 200 ")
	contentLength = []byte("Content-Length: ")
	saysAccepted  = []byte(`"accepted"`)
)

const answerTimeout = 30 * time.Second

// send fails unless the response is a 200 and, if accepted is set, its body contains "accepted" in quotes.
func (s *sender) send(request []byte, accepted bool) error {
	if err := s.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return err
	}
	if _, err := s.Write(request); err != nil {
		return fmt.Errorf("couldn't send: %w", err)
	}
	length, good := 0, false
	for first := true; ; first = false {
		line, err := s.answers.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("no answer: %w", err)
		}
		if first {
			good = bytes.HasPrefix(line, ok)
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			break
		}
		if value, found := bytes.CutPrefix(line, contentLength); found {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return fmt.Errorf("no length of an answer: %w", err)
			}
		}
	}
	s.body = slices.Grow(s.body[:0], length)[:length]
	if _, err := io.ReadFull(s.answers, s.body); err != nil {
		return fmt.Errorf("half an answer: %w", err)
	}
	if !good || accepted && !bytes.Contains(s.body, saysAccepted) {
		return fmt.Errorf("it was answered: %s", s.body)
	}
	return nil
}
