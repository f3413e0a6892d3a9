package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"
)

const askTimeout = 3 * time.Second // for one monitoring endpoint

// VerifySyncAlways checks through monitoring endpoints (http://host:8222, one per server) that NATS servers sync
// every write before they acknowledge it. Otherwise a power failure could lose an acknowledged update. ErrUnsafe
// names servers that fail the check, and those without an endpoint in monitors. silent contains the endpoints that
// failed to answer. Unless a majority answers and the cluster has a leader, it returns another error. Settings that
// take effect at a later restart, and servers that join later, go unchecked.
func VerifySyncAlways(ctx context.Context, monitors []string) (silent []string, err error) {
	answers, failed := make([]*monitored, len(monitors)), make([]error, len(monitors))
	var asking sync.WaitGroup
	for i, url := range monitors {
		asking.Go(func() { answers[i], failed[i] = ask(ctx, url) })
	}
	asking.Wait()
	var unsafe []error
	servers, members, size, known := map[string]bool{}, []string{}, 1, true
	for i, a := range answers {
		if a == nil {
			silent = append(silent, monitors[i])
			continue
		}
		if !a.JetStream.Config.SyncAlways {
			unsafe = append(unsafe, fmt.Errorf("the NATS server %s at %s is %w: set sync_interval: always in its jetstream block", a.Name, monitors[i], ErrUnsafe))
		}
		if meta := a.JetStream.Meta; meta.Size > 0 && meta.Leader == "" {
			failed = append(failed, fmt.Errorf("the NATS cluster of %s has no leader, so it does not know its servers", a.Name))
			known = false
		}
		servers[a.Name], size = true, max(size, a.JetStream.Meta.Size)
		members = append(members, a.JetStream.Meta.members()...)
	}
	if err := errors.Join(unsafe...); err != nil {
		return silent, err
	}
	if !known {
		return silent, errors.Join(failed...)
	}
	if len(servers)+len(silent) < size {
		missing := slices.DeleteFunc(members, func(name string) bool { return name == "" || servers[name] })
		slices.Sort(missing)
		return silent, fmt.Errorf("the NATS cluster is %w as far as is known: whether %d of its %d servers sync every write was not asked; name the monitoring endpoint of each (missing: %s)",
			ErrUnsafe, size-len(servers)-len(silent), size, strings.Join(slices.Compact(missing), ", "))
	}
	if len(servers) <= size/2 {
		return silent, errors.Join(failed...)
	}
	return silent, nil
}

// Disk is a server's JetStream disk use and its limit, in bytes.
type Disk struct {
	Server        string
	Used, Allowed float64
}

// Disks leaves out endpoints that fail to answer.
func Disks(ctx context.Context, monitors []string) (disks []Disk) {
	for _, url := range monitors {
		if a, err := ask(ctx, url); err == nil {
			disks = append(disks, Disk{Server: a.Name, Used: a.JetStream.Stats.Storage, Allowed: a.JetStream.Config.MaxStorage})
		}
	}
	return disks
}

// Behind returns servers that are offline or have an outdated copy of the stream.
func Behind(info *jetstream.StreamInfo) []string {
	names := []string{}
	if info.Cluster != nil {
		for _, peer := range info.Cluster.Replicas {
			if peer.Offline || !peer.Current {
				names = append(names, peer.Name)
			}
		}
	}
	return names
}

// monitored is the part of /varz that this package reads.
type monitored struct {
	Name      string `json:"server_name"`
	JetStream struct {
		Config struct {
			SyncAlways bool    `json:"sync_always"`
			MaxStorage float64 `json:"max_storage"`
		} `json:"config"`
		Stats struct {
			Storage float64 `json:"storage"`
		} `json:"stats"`
		Meta cluster `json:"meta"`
	} `json:"jetstream"`
}

// cluster is a server's view of the JetStream cluster; zero for a single server.
type cluster struct {
	Size     int    `json:"cluster_size"`
	Leader   string `json:"leader"`
	Replicas []struct {
		Name string `json:"name"`
	} `json:"replicas"`
}

func (c *cluster) members() []string {
	names := []string{c.Leader}
	for _, r := range c.Replicas {
		names = append(names, r.Name)
	}
	return names
}

func ask(ctx context.Context, monitor string) (*monitored, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(monitor, "/")+"/varz", nil)
	if err != nil {
		return nil, fmt.Errorf("couldn't ask %s for the server's settings: %w", monitor, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("couldn't ask %s for the server's settings: %w", monitor, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("couldn't ask %s for the server's settings: it answered %s", monitor, resp.Status)
	}
	var answer monitored
	if err := json.UnmarshalRead(io.LimitReader(resp.Body, 1<<20), &answer); err != nil {
		return nil, fmt.Errorf("couldn't read the settings %s answered: %w", monitor, err)
	}
	return &answer, nil
}
