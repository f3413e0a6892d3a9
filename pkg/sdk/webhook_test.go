package sdk

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
)

// The test vector of the specification's libraries.
const (
	vectorSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	vectorID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	vectorTime      = 1614265330
	vectorBody      = `{"test": 2432232314}`
	vectorSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func vector() http.Header {
	h := http.Header{}
	h.Set("webhook-id", vectorID)
	h.Set("webhook-timestamp", strconv.Itoa(vectorTime))
	h.Set("webhook-signature", vectorSignature)
	return h
}

func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	now := time.Unix(vectorTime, 0)
	require.NoError(t, verifyWebhook(vector(), []byte(vectorBody), vectorSecret, now))
	require.NoError(t, verifyWebhook(vector(), []byte(vectorBody), vectorSecret[len("whsec_"):], now), "as some show it")
	for _, off := range []time.Duration{-WebhookTolerance, WebhookTolerance} {
		require.NoError(t, verifyWebhook(vector(), []byte(vectorBody), vectorSecret, now.Add(off)))
		require.ErrorIs(t, verifyWebhook(vector(), []byte(vectorBody), vectorSecret, now.Add(off+off/300)), ErrWebhook)
	}
	for name, change := range map[string]func(http.Header){
		"of another message":     func(h http.Header) { h.Set("webhook-id", "msg_other") },
		"without an id":          func(h http.Header) { h.Del("webhook-id") },
		"of another time":        func(h http.Header) { h.Set("webhook-timestamp", strconv.Itoa(vectorTime+1)) },
		"without a time":         func(h http.Header) { h.Del("webhook-timestamp") },
		"of no time":             func(h http.Header) { h.Set("webhook-timestamp", "soon") },
		"without a signature":    func(h http.Header) { h.Del("webhook-signature") },
		"with half a signature":  func(h http.Header) { h.Set("webhook-signature", vectorSignature[:20]) },
		"with an empty one":      func(h http.Header) { h.Set("webhook-signature", "v1,") },
		"of another scheme":      func(h http.Header) { h.Set("webhook-signature", "v1a"+vectorSignature[2:]) },
		"signed by another key":  func(h http.Header) { h.Set("webhook-signature", "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=") },
		"without its own scheme": func(h http.Header) { h.Set("webhook-signature", vectorSignature[3:]) },
	} {
		h := vector()
		change(h)
		require.ErrorIs(t, verifyWebhook(h, []byte(vectorBody), vectorSecret, now), ErrWebhook, name)
	}
	require.ErrorIs(t, verifyWebhook(vector(), []byte(vectorBody+" "), vectorSecret, now), ErrWebhook)
	for _, secret := range []string{"", "whsec_", "whsec_?", "whsec_" + vectorSecret[8:]} {
		require.ErrorIs(t, verifyWebhook(vector(), []byte(vectorBody), secret, now), ErrWebhook)
	}
	h := vector()
	h.Set("webhook-signature", "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,AAAA "+vectorSignature)
	require.NoError(t, verifyWebhook(h, []byte(vectorBody), vectorSecret, now), "during a rotation")

	theirs, err := standardwebhooks.NewWebhook(vectorSecret) // what the specification's library signs now
	require.NoError(t, err)
	signature, err := theirs.Sign(vectorID, time.Now(), []byte(vectorBody))
	require.NoError(t, err)
	h = vector()
	h.Set("webhook-timestamp", strconv.FormatInt(time.Now().Unix(), 10))
	h.Set("webhook-signature", signature)
	require.NoError(t, VerifyWebhook(h, []byte(vectorBody), vectorSecret))
}
