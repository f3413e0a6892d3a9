package sdk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WebhookTolerance is how far the time of a webhook's signature may be from now: what is older may be a repetition by who saw it.
const WebhookTolerance = 5 * time.Minute

// ErrWebhook says that a request is no webhook signed with a secret; the text says why. Answer it 4xx, and do nothing of it.
var ErrWebhook = errors.New("the request is no webhook that was signed with this secret")

// VerifyWebhook checks that the body of a request is a webhook (Standard Webhooks, v1) that was signed with a secret, lately. body is every byte as it came, before
// anything decoded it. The id in the header webhook-id, or of batches those of the events in it, tell repetitions. Error: ErrWebhook.
func VerifyWebhook(header http.Header, body []byte, secret string) error {
	return verifyWebhook(header, body, secret, time.Now())
}

func verifyWebhook(header http.Header, body []byte, secret string, now time.Time) error {
	refuse := func(why string) error { return fmt.Errorf("%w: %s", ErrWebhook, why) }
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return refuse("the secret is not whsec_ and base64")
	}
	id, stamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil {
		return refuse("it lacks webhook-id or webhook-timestamp")
	}
	if off := now.Sub(time.Unix(seconds, 0)); off > WebhookTolerance || off < -WebhookTolerance {
		return refuse("it was signed at another time, or this machine's clock is wrong")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	want := mac.Sum(nil)
	for _, signature := range strings.Fields(header.Get("Webhook-Signature")) { // two, while the secret is rotated
		text, v1 := strings.CutPrefix(signature, "v1,")
		if got, err := base64.StdEncoding.DecodeString(text); v1 && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return refuse("no signature fits")
}
