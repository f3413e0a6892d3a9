package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

const (
	hostileMembers = 2048 // of the hostile key's project; the API may accept fewer
	hostileReads   = 50   // look-ups per second, the rate of a new key
	hostileConns   = 4000
	hostileBody    = 256 << 10
	hostileEvery   = 10 * time.Second // the API's timeout for a body
	hostileOwner   = 42
)

// hostileDialer uses an address of its own, so that limits per address cannot affect the other key.
var hostileDialer = &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}

type hostile struct {
	*slowDisk
	source string
	parts  string // empty: all
	built  string // directory with finished programs; empty: build source
	url    string
	key    string
	api    *child
}

type beside struct {
	P50    float64 `json:"p50_ms"`
	P99    float64 `json:"p99_ms"`
	Rate   float64 `json:"updates_per_s"`
	PeakMB float64 `json:"api_peak_mb"` // resident, since the part began
}

type hostileReport struct {
	Members int    `json:"members"`
	Idle    beside `json:"idle"`
	Reads   beside `json:"reads"`
	Bodies  beside `json:"bodies"`
	Resets  beside `json:"resets"`
}

// runHostile measures an API's peak memory and another key's latency beside a hostile key:
//
//   - idle: no attack.
//   - reads: the screen of a project's members, as many as the API accepts.
//   - bodies: 4,000 connections with an unfinished body each.
//   - resets: the same bodies to a program that closes each connection unread.
func runHostile(ctx context.Context, args []string) error {
	h := &hostile{slowDisk: &slowDisk{bench: &bench{begun: time.Now()}, lanes: 1, relayers: 1}}
	flags := newFlags("hostile")
	flags.StringVar(&h.source, "source", filepath.Join("..", ".."), "checkout whose programs are measured, such as one of an earlier version")
	flags.StringVar(&h.built, "programs", "", "directory with api, relayer, scorelay and nats-server, which are measured in place of --source")
	flags.StringVar(&h.parts, "parts", "", "only these of idle, reads, bodies and resets, separated by commas")
	flags.IntVar(&h.singles, "rate", 100, "updates per second of the other key, one by one")
	flags.DurationVar(&h.seconds, "seconds", 20*time.Second, "how long each part is measured")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if h.singles < 1 || h.seconds < time.Second || flags.NArg() > 0 {
		return errors.New("--rate must be at least 1, --seconds at least 1s, and nothing may follow the flags")
	}
	report, err := inDir(h.bench, false, func() (*hostileReport, error) { return h.run(ctx) })
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func (h *hostile) run(ctx context.Context) (*hostileReport, error) {
	if err := h.buildFrom(ctx, h.source, h.built); err != nil {
		return nil, err
	}
	s := &accepting{slowDisk: h.slowDisk, dir: h.dir}
	defer s.close()
	if err := s.start(ctx, 0, 1); err != nil {
		return nil, err
	}
	h.url, h.api = s.urls[0], s.children[len(s.children)-1]
	cmd := exec.CommandContext(ctx, s.scorelay, "keys", "create", "hostile")
	cmd.Env = s.environ
	out, err := cmd.Output()
	if err != nil {
		return nil, failed("create the hostile key", err)
	}
	h.key = strings.TrimSpace(string(out))

	resetting, err := reset(ctx)
	if err != nil {
		return nil, err
	}
	report := &hostileReport{}
	var project score.ProjectID
	if h.parts == "" || strings.Contains(h.parts, "reads") {
		if project, report.Members, err = h.crowd(ctx); err != nil {
			return nil, err
		}
	}
	for _, part := range []struct {
		name   string
		into   *beside
		attack func(context.Context)
	}{
		{"idle", &report.Idle, func(context.Context) {}},
		{"reads", &report.Reads, func(ctx context.Context) { h.read(ctx, project) }},
		{"bodies", &report.Bodies, func(ctx context.Context) { h.send(ctx, strings.TrimPrefix(h.url, "http://")) }},
		{"resets", &report.Resets, func(ctx context.Context) { h.send(ctx, resetting) }},
	} {
		if h.parts != "" && !slices.Contains(strings.Split(h.parts, ","), part.name) {
			continue
		}
		progress(part.name)
		// Writing 5 resets the peak.
		if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", h.api.cmd.Process.Pid), []byte("5"), 0o600); err != nil {
			return nil, fmt.Errorf("couldn't forget the API's peak of memory: %w", err)
		}
		attack, end := context.WithCancel(ctx)
		var attacking sync.WaitGroup
		attacking.Go(func() { part.attack(attack) })
		a, err := s.send(ctx, loadOptions{rate: h.singles})
		peak, unread := h.peakMB()
		end()
		attacking.Wait()
		if err := errors.Join(err, unread); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
		*part.into = beside{P50: a.P50, P99: a.P99, Rate: a.Rate, PeakMB: peak}
	}
	return report, nil
}

// crowd creates a project and adds members by edits, until hostileMembers or the API's limit.
func (h *hostile) crowd(ctx context.Context) (id score.ProjectID, members int, err error) {
	client, sign := sdk.NewClient(h.url, h.key, nil), sdk.KeySigner(devnet.Key(hostileOwner))
	id = score.ProjectID(crypto.Keccak256Hash([]byte("scorelay bench hostile")))
	project := &score.Project{
		ID: id, Name: "crowd", Actions: []score.Action{{Name: "up", Points: 1}}, ScoreTypes: []string{"reputation"},
		Owners: []common.Address{devnet.Address(hostileOwner)},
	}
	if err := sdk.Retry(ctx, func() error { return client.CreateProject(ctx, project) }); err != nil {
		return id, 0, fmt.Errorf("couldn't create a project: %w", err)
	}
	for members = 1; members < hostileMembers; {
		next, err := client.NextEdit(ctx, id)
		if err != nil {
			return id, members, fmt.Errorf("couldn't ask for the next edit: %w", err)
		}
		e := score.ProjectEdit{Project: id, Nonce: next.Nonce, Deadline: uint64(time.Now().Add(time.Hour).Unix())}
		for i := range min(score.MaxEdits, hostileMembers-members) {
			var member common.Address
			binary.BigEndian.PutUint32(member[:], uint32(members+i)*2654435761)
			binary.BigEndian.PutUint32(member[16:], uint32(members+i))
			e.Edits = append(e.Edits, score.Edit{Operation: score.AddUpdater, Member: member})
		}
		signed, err := sdk.SignEdit(ctx, next.Domain, e, sign)
		if err != nil {
			return id, members, err
		}
		err = sdk.Retry(ctx, func() error { _, err := client.EditProject(ctx, signed); return err })
		if refused := (*sdk.Error)(nil); errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
			break
		}
		if err != nil {
			return id, members, fmt.Errorf("couldn't add members: %w", err)
		}
		if _, err := client.EditFinal(ctx, id, e.Nonce); err != nil {
			return id, members, err
		}
		members += len(e.Edits)
	}
	return id, members, nil
}

func (h *hostile) read(ctx context.Context, project score.ProjectID) {
	client := &http.Client{Transport: &http.Transport{DialContext: hostileDialer.DialContext, MaxConnsPerHost: hostileConns}}
	defer client.CloseIdleConnections()
	var requests sync.WaitGroup
	defer requests.Wait()
	tick := time.NewTicker(time.Second / hostileReads)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		requests.Go(func() {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+"/app/projects/"+project.String()+"/members", nil)
			if err != nil {
				return
			}
			request.Header.Set("X-API-KEY", h.key)
			if response, err := client.Do(request); err == nil {
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
			}
		})
	}
}

// send keeps an unfinished body on each connection, and reopens closed connections.
func (h *hostile) send(ctx context.Context, address string) {
	request := fmt.Appendf(nil, "POST /update-groups HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-API-KEY: %s\r\nContent-Length: %d\r\n\r\n", h.key, hostileBody)
	request = append(request, make([]byte, hostileBody-1)...)
	var connections sync.WaitGroup
	defer connections.Wait()
	for range hostileConns {
		connections.Go(func() {
			for ctx.Err() == nil {
				again := time.After(hostileEvery)
				c, err := hostileDialer.DialContext(ctx, "tcp", address)
				if err == nil {
					stop := context.AfterFunc(ctx, func() { _ = c.Close() })
					_, _ = c.Write(request)
					_, _ = io.Copy(io.Discard, c)
					stop()
					_ = c.Close()
				}
				select {
				case <-ctx.Done():
				case <-again:
				}
			}
		})
	}
}

// reset closes each connection unread, the least that any program can do, until ctx ends.
func reset(ctx context.Context) (address string, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("couldn't listen: %w", err)
	}
	context.AfterFunc(ctx, func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			_ = c.(*net.TCPConn).SetLinger(0) // close sends a reset
			_ = c.Close()
		}
	}()
	return listener.Addr().String(), nil
}

func (h *hostile) peakMB() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.api.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("couldn't read the API's memory: %w", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	if err != nil {
		return 0, fmt.Errorf("couldn't read the API's peak of memory: %w", err)
	}
	return kib * 1024 / 1e6, nil
}
