package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/gofiber/fiber/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/devnet"
	ownerCalls "github.com/scorelay/scorelay/pkg/registry/rig/calls"
)

const handlerCommand = "handler"

const (
	handlerBare        = "bare"
	handlerTransaction = "transaction"
	handlerPublish     = "publish"
)

type handlerOrder struct {
	Kind     string `json:"kind"`
	Listen   string `json:"listen"`
	Chain    string `json:"chain"`
	Contract string `json:"contract"`
	NATS     string `json:"nats"`
}

// plainAnswer is as long as the API's response to a single update.
var plainAnswer = strings.Repeat(" ", 340) + `{"status":"accepted"}`

func (a *acceptance) startHandler(kind string) (*answering, error) {
	port, err := devnet.FreePort()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("couldn't find this program: %w", err)
	}
	order := handlerOrder{
		Kind: kind, Listen: "127.0.0.1:" + strconv.Itoa(port), Chain: a.peerWorld.anvil.URL, Contract: a.peerWorld.contract.Hex(), NATS: a.natsURL,
	}
	text, err := json.Marshal(order)
	if err != nil {
		return nil, fmt.Errorf("couldn't write a handler's order: %w", err)
	}
	c, err := start(a.dir, kind, exec.Command(self, handlerCommand, string(text)))
	if err != nil {
		return nil, err
	}
	a.children = append(a.children, c)
	return &answering{c, order.Listen}, c.await(startTimeout, func() error {
		conn, err := net.Dial("tcp", order.Listen)
		if err == nil {
			err = conn.Close()
		}
		return err
	})
}

func serveHandler(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("handler takes an order")
	}
	var order handlerOrder
	if err := json.Unmarshal([]byte(args[0]), &order); err != nil {
		return fmt.Errorf("couldn't read the order: %w", err)
	}
	var handle func(body []byte) error
	var err error
	switch order.Kind {
	case handlerTransaction:
		handle, err = order.transactions(ctx)
	case handlerPublish:
		handle, err = order.publishes(ctx)
	default:
		handle = func([]byte) error { return nil }
	}
	if err != nil {
		return err
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Post("/update-score", func(c *fiber.Ctx) error {
		if err := handle(c.BodyRaw()); err != nil {
			return err
		}
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.SendString(plainAnswer)
	})
	return app.Listen(order.Listen)
}

// transactions returns the handler of a plain backend, with the next nonce in memory. It skips checks, and loses
// transactions in flight when it ends.
func (o *handlerOrder) transactions(ctx context.Context) (func([]byte) error, error) {
	idle := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: openConns}}
	client, err := rpc.DialOptions(ctx, o.Chain, rpc.WithHTTPClient(idle))
	if err != nil {
		return nil, fmt.Errorf("couldn't reach the node: %w", err)
	}
	eth := ethclient.NewClient(client)
	key, contract := devnet.Key(accountUpdater), common.HexToAddress(o.Contract)
	next, err := eth.PendingNonceAt(ctx, devnet.Address(accountUpdater))
	if err != nil {
		return nil, fmt.Errorf("couldn't read the nonce: %w", err)
	}
	var mu sync.Mutex
	chainID := big.NewInt(devnet.ChainID)
	return func(body []byte) error {
		var u singleBody
		if err := json.Unmarshal(body, &u); err != nil {
			return err
		}
		mu.Lock()
		nonce := next
		next++
		mu.Unlock()
		tx, err := types.SignNewTx(key, types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
			ChainID: chainID, Nonce: nonce, To: &contract, Gas: 200_000, GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(10 * params.GWei),
			Data: ownerCalls.UpdateScore(u.ProjectID, u.UpdateID, u.ActionName, u.ScoreType, u.TargetWallet),
		})
		if err != nil {
			return err
		}
		return eth.SendTransaction(ctx, tx)
	}, nil
}

func (o *handlerOrder) publishes(ctx context.Context) (func([]byte) error, error) {
	conn, err := nats.Connect(o.NATS)
	if err != nil {
		return nil, fmt.Errorf("couldn't reach NATS: %w", err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("couldn't reach JetStream: %w", err)
	}
	if _, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "PEER", Subjects: []string{"peer"}}); err != nil {
		return nil, fmt.Errorf("couldn't make a stream: %w", err)
	}
	return func(body []byte) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		_, err := js.Publish(ctx, "peer", body)
		return err
	}, nil
}
