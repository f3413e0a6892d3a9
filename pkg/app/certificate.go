package app

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// certificateLook is the minimum interval between checks of the files, made when callers connect.
const certificateLook = time.Second

// certificate is the API's TLS certificate. It reloads changed files. While they are unreadable or do not match, as
// in the middle of a change, it keeps the previous certificate.
type certificate struct {
	files   [2]string
	log     *slog.Logger
	expires prometheus.Gauge
	now     func() time.Time

	mu     sync.Mutex
	loaded *tls.Certificate
	seen   [2]time.Time // modification times at the last attempt
	looked time.Time
	failed string // the error of the last look, logged once
}

func newCertificate(chain, key string, log *slog.Logger, reg prometheus.Registerer) (*certificate, error) {
	c := &certificate{files: [2]string{chain, key}, log: log, expires: expires(reg), now: time.Now}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("couldn't read SCORELAY_TLS_CERTIFICATE_FILE and SCORELAY_TLS_KEY_FILE: %w", err)
	}
	return c, nil
}

func expires(reg prometheus.Registerer) prometheus.Gauge {
	return promauto.With(reg).NewGauge(prometheus.GaugeOpts{
		Name: "scorelay_api_certificate_expiry_timestamp_seconds", Help: "When the TLS certificate in use expires, Unix time; absent without TLS.",
	})
}

// config allows HTTP/1.1 only, the API's only protocol.
func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: c.get}
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.looked) >= certificateLook {
		c.looked = now
		if seen, err := c.written(); err == nil && seen != c.seen {
			if err := c.load(); err != nil {
				// Forgets the times, so that the next look retries: a change of owner keeps them.
				if c.seen = [2]time.Time{}; err.Error() != c.failed {
					c.log.Error("the API couldn't read its TLS certificate again; it continues with the one before", "err", err)
				}
				c.failed = err.Error()
			} else {
				c.failed = ""
				c.log.Info("the API read its TLS certificate again", "expires", c.loaded.Leaf.NotAfter)
			}
		}
	}
	return c.loaded, nil
}

func (c *certificate) written() (at [2]time.Time, err error) {
	for i, name := range c.files {
		info, err := os.Stat(name)
		if err != nil {
			return at, err
		}
		at[i] = info.ModTime()
	}
	return at, nil
}

// load reads both files. The next check detects changes during the read.
func (c *certificate) load() (err error) {
	if c.seen, err = c.written(); err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return err
	}
	c.loaded = &pair
	c.expires.Set(float64(pair.Leaf.NotAfter.Unix()))
	return nil
}
