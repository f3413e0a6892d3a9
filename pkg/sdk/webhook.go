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

// WebhookTolerance is the most that a webhook's timestamp may differ from now. An older one may be a replay.
const WebhookTolerance = 5 * time.Minute

// ErrWebhook reports an invalid signature, timestamp or secret; the text contains the reason. Respond with 4xx.
var ErrWebhook = errors.New("the request is no webhook that was signed with this secret")

// VerifyWebhook verifies a webhook's signature (Standard Webhooks, v1), and that its timestamp is within
// WebhookTolerance. body is the raw body. Detect repetitions by the header webhook-id, in batches by the events' ids.
// Errors: ErrWebhook.
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
	for _, signature := range strings.Fields(header.Get("Webhook-Signature")) { // two during a rotation of the secret
		text, v1 := strings.CutPrefix(signature, "v1,")
		if got, err := base64.StdEncoding.DecodeString(text); v1 && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return refuse("no signature fits")
}
