package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// signedBack is the age of the oldest signed message in ms; the API accepts five minutes. Messages differ, so that
// their signatures do.
const signedBack = 200_000

// acceptTargets is the number of wallets per project.
const acceptTargets = 1000

type acceptance struct {
	*accepting
	key                           string
	apiServer                     *answering
	bare, transactions, publishes *answering
	peerWorld                     *world
	domain                        wallet.Domain
	places                        []*acceptPlace
	turn                          int // of places, and of their messages
}

type acceptPlace struct {
	project score.ProjectID
	updater *ecdsa.PrivateKey
	minter  *sdk.Minter
	targets []common.Address
}

// newAcceptance starts an API with its dependencies. Close the result, even on an error.
func (d *slowDisk) newAcceptance(ctx context.Context) (*acceptance, error) {
	a := &acceptance{accepting: &accepting{slowDisk: d, dir: filepath.Join(d.dir, "accept")}}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return a, fmt.Errorf("couldn't make a directory: %w", err)
	}
	progress("starting an API with all it stands on")
	if err := a.start(ctx, 0, 1); err != nil {
		return a, err
	}
	a.apiServer = &answering{a.children[len(a.children)-1], strings.TrimPrefix(a.urls[0], "http://")}
	key, err := os.ReadFile(filepath.Join(a.dir, "key"))
	if err != nil {
		return a, fmt.Errorf("couldn't read the key: %w", err)
	}
	a.key, a.domain = strings.TrimSpace(string(key)), wallet.NewDomain(devnet.ChainID, a.contract)
	return a, a.createProjects(ctx)
}

func (a *acceptance) startHandlers(ctx context.Context) (err error) {
	progress("starting plain handlers")
	if a.peerWorld, err = a.newWorld(ctx, "peer", worldOptions{lanes: 1, gasLimit: wide}); err != nil {
		return err
	}
	for _, h := range []struct {
		kind string
		at   **answering
	}{{handlerBare, &a.bare}, {handlerTransaction, &a.transactions}, {handlerPublish, &a.publishes}} {
		if *h.at, err = a.startHandler(h.kind); err != nil {
			return err
		}
	}
	return nil
}

func (a *acceptance) close() {
	a.accepting.close()
	if a.peerWorld != nil {
		a.peerWorld.close()
	}
}

// createProjects returns once the API accepted the projects, which can then receive updates.
func (a *acceptance) createProjects(ctx context.Context) error {
	client := sdk.NewClient(a.urls[0], a.key, nil)
	for i := range loadProjects {
		key, err := crypto.GenerateKey()
		if err != nil {
			return fmt.Errorf("couldn't make a key: %w", err)
		}
		place := &acceptPlace{updater: key, minter: sdk.NewMinter(), targets: make([]common.Address, acceptTargets)}
		_, _ = rand.Read(place.project[:]) // never fails
		for n := range place.targets {
			_, _ = rand.Read(place.targets[n][:])
		}
		address := crypto.PubkeyToAddress(key.PublicKey)
		err = client.CreateProject(ctx, &score.Project{
			ID: place.project, Name: "Benchmark " + strconv.Itoa(i), ScoreTypes: []string{"reputation"},
			Actions: []score.Action{{Name: "purchase", Points: 50}}, Owners: []common.Address{address}, Updaters: []common.Address{address},
		})
		if err != nil {
			return fmt.Errorf("couldn't create a project: %w", err)
		}
		a.places = append(a.places, place)
	}
	return nil
}

func (p *acceptPlace) target() common.Address { return p.targets[mathrand.IntN(len(p.targets))] }

func (a *acceptance) request(path string, body []byte) []byte {
	return append(fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: bench\r\nX-API-KEY: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		path, a.key, len(body)), body...)
}

type singleBody struct {
	sdk.NamedUpdate
	Message   string        `json:"message"`
	Signature hexutil.Bytes `json:"signature"`
}

// singles makes updates with random ids, for the projects in turn. If reused is set, all of a project share one
// signature.
func (a *acceptance) singles(n int, reused bool) [][]byte {
	begin := time.Now().UnixMilli()
	turn := a.turn
	a.turn += n
	var mu sync.Mutex
	same := map[*acceptPlace]*singleBody{}
	return a.parallel(n, func(i int) ([]byte, error) {
		place := a.places[(turn+i)%len(a.places)]
		body := singleBody{NamedUpdate: sdk.NamedUpdate{ProjectID: place.project, ActionName: "purchase", ScoreType: "reputation"}}
		_, _ = rand.Read(body.UpdateID[:])
		body.TargetWallet = place.target()
		if reused {
			mu.Lock()
			defer mu.Unlock()
			if known := same[place]; known != nil {
				body.Message, body.Signature = known.Message, known.Signature
				return a.json("/update-score", body)
			}
			defer func() { same[place] = &body }()
		}
		body.Message = strconv.FormatInt(begin-int64((turn+i)/len(a.places)%signedBack), 10)
		digest := wallet.PersonalDigest(body.Message)
		var err error
		if body.Signature, err = crypto.Sign(digest[:], place.updater); err != nil {
			return nil, err
		}
		return a.json("/update-score", body)
	})
}

// groups makes signed groups of consecutive ids.
func (a *acceptance) groups(n int) [][]byte {
	turn := a.turn
	a.turn += n
	return a.parallel(n, func(i int) ([]byte, error) {
		place := a.places[(turn+i)%len(a.places)]
		ids, err := place.minter.Range(score.MaxSigned)
		if err != nil {
			return nil, err
		}
		updates := make([]sdk.Update, score.MaxSigned)
		for k := range updates {
			updates[k].UpdateID = ids.At(k)
			updates[k].TargetWallet = place.target()
		}
		groups, err := sdk.BuildGroups(place.project, updates)
		if err != nil {
			return nil, err
		}
		if len(groups) != 1 {
			return nil, errors.New("a word of ids makes several groups")
		}
		signed, err := groups[0].Sign(context.Background(), a.domain, sdk.KeySigner(place.updater))
		if err != nil {
			return nil, err
		}
		return a.json("/update-scores", signed)
	})
}

// peers makes requests with empty signatures, because the peer ignores these.
func (a *acceptance) peers(n int) [][]byte {
	p := a.peerWorld.projects[0]
	return a.parallel(n, func(int) ([]byte, error) {
		body := singleBody{
			NamedUpdate: sdk.NamedUpdate{ProjectID: p.ID, ActionName: p.Actions[0].Name, ScoreType: p.ScoreTypes[0], TargetWallet: p.wallets[0]},
			Message:     strconv.FormatInt(time.Now().UnixMilli(), 10), Signature: make([]byte, crypto.SignatureLength),
		}
		_, _ = rand.Read(body.UpdateID[:])
		return a.json("/update-score", body)
	})
}

func (a *acceptance) json(path string, body any) ([]byte, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return a.request(path, raw), nil
}

// parallel makes n requests on all cores. A failure is a bug of the benchmark, and panics.
func (a *acceptance) parallel(n int, one func(i int) ([]byte, error)) [][]byte {
	out := make([][]byte, n)
	var all sync.WaitGroup
	for core := range runtime.NumCPU() {
		all.Go(func() {
			for i := core; i < n; i += runtime.NumCPU() {
				var err error
				if out[i], err = one(i); err != nil {
					panic(fmt.Sprintf("bench: couldn't make a request: %v", err))
				}
			}
		})
	}
	all.Wait()
	return out
}

func (a *acceptance) profile(ctx context.Context, path string) error {
	l := load{to: a.apiServer, conns: singleConns, accepted: true}
	requests := a.singles(int(a.seconds.Seconds()*prepare), false)
	done := make(chan error, 1)
	go func() {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet,
			fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", a.admin, max(int(a.seconds.Seconds()), 1)), nil)
		if err != nil {
			done <- err
			return
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			done <- err
			return
		}
		defer func() { _ = response.Body.Close() }()
		profile, err := io.ReadAll(response.Body)
		done <- errors.Join(err, os.WriteFile(path, profile, 0o600))
	}()
	before, _ := l.to.cpuSeconds()
	n, took, err := l.closed(ctx, a.seconds, once(requests))
	after, unread := l.to.cpuSeconds()
	if err := errors.Join(err, unread, <-done); err != nil {
		return fmt.Errorf("couldn't profile the API: %w", err)
	}
	progress(fmt.Sprintf("%d updates in %s, %.1f µs of CPU each; the profile is in %s", n, took.Round(time.Millisecond), (after-before)*1e6/float64(n), path))
	return nil
}
