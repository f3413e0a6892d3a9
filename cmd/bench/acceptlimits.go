package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const (
	pipeline     = 256
	pipelines    = 4
	measuredOnes = 2000 // recoveries, and ten times as many parses
)

// limits measures all upper bounds except the bare handler's.
func (a *acceptance) limits(ctx context.Context, l *acceptLimits) (err error) {
	if l.Recovery, err = a.recoveries(); err != nil {
		return err
	}
	if l.Parse, err = a.parses(); err != nil {
		return err
	}
	if l.Durable, err = a.durableRate(ctx); err != nil {
		return err
	}
	l.Pipelined, err = a.pipelined(ctx)
	return err
}

// recoveries returns the CPU time of a signer recovery, µs.
func (a *acceptance) recoveries() (float64, error) {
	message := strconv.FormatInt(time.Now().UnixMilli(), 10)
	digest := wallet.PersonalDigest(message)
	raw, err := crypto.Sign(digest[:], a.places[0].updater)
	if err != nil {
		return 0, fmt.Errorf("couldn't sign: %w", err)
	}
	signature, err := wallet.ParseSignature(raw)
	if err != nil {
		return 0, err
	}
	return cpuOfEach(measuredOnes, func() error {
		_, err := signature.Recover(wallet.PersonalDigest(message))
		return err
	})
}

// parses returns the CPU time to read a body's tokens and hex, µs.
func (a *acceptance) parses() (float64, error) {
	_, body, _ := strings.Cut(string(a.singles(1, false)[0]), "\r\n\r\n")
	var in strings.Reader
	decoder := jsontext.NewDecoder(&in)
	var buffer [256]byte
	return cpuOfEach(10*measuredOnes, func() error {
		in.Reset(body)
		decoder.Reset(&in)
		for {
			token, err := decoder.ReadToken()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if token.Kind() != '"' {
				continue
			}
			if text := token.String(); strings.HasPrefix(text, "0x") {
				if _, err := hex.Decode(buffer[:], []byte(text[2:])); err != nil {
					return err
				}
			}
		}
	})
}

// cpuOfEach returns this process's CPU time per call, µs. The process must be idle otherwise.
func cpuOfEach(n int, do func() error) (float64, error) {
	var before, after syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	for range n {
		err = errors.Join(err, do())
	}
	err = errors.Join(err, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
	took := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	return float64(took) / 1000 / float64(n), err
}

func (a *acceptance) durableRate(ctx context.Context) (float64, error) {
	conn, err := nats.Connect(a.natsURL)
	if err != nil {
		return 0, fmt.Errorf("couldn't reach NATS: %w", err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return 0, fmt.Errorf("couldn't reach JetStream: %w", err)
	}
	s, err := stream.Open(ctx, js)
	if err != nil {
		return 0, err
	}
	took, err := a.publishing(ctx, s, publishers, stream.MaxEnvelope)
	return float64(len(took)*stream.MaxEnvelope) / a.seconds.Seconds(), err
}

func (a *acceptance) pipelined(ctx context.Context) (float64, error) {
	client, err := redisdb.Open(a.redis.URL)
	if err != nil {
		return 0, err
	}
	defer func() { _ = client.Close() }()
	client.Timeout = redisTimeout
	var counts [pipelines]int
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for i := range counts {
		group.Go(func() error {
			for time.Since(began) < a.seconds {
				pipe := client.Pipeline()
				for n := range pipeline {
					pipe.Set(ctx, "bench-"+strconv.Itoa(i*pipeline+n), n, time.Minute)
				}
				if _, err := pipe.Exec(ctx); err != nil {
					return fmt.Errorf("couldn't set keys: %w", err)
				}
				counts[i] += pipeline
			}
			return nil
		})
	}
	err = group.Wait()
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return float64(sum) / time.Since(began).Seconds(), err
}
