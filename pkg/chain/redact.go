package chain

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// leastSecret is how many bytes a part of a URL has at least to be taken for a secret: shorter ones are words, such as v2.
const leastSecret = 6

// secretsOf replaces what a URL has besides scheme and host, whole and in parts, as they are spelt and as they are meant.
func secretsOf(rawURL string) *strings.Replacer {
	u, _ := url.Parse(rawURL) // Dial did it before
	_, whole, _ := strings.Cut(rawURL, "://")
	parts := append(strings.FieldsFunc(whole, func(r rune) bool { return strings.ContainsRune("/?&=:@#", r) }), whole, u.RequestURI())
	for _, part := range parts {
		meant, _ := url.QueryUnescape(part)
		parts = append(parts, meant)
	}
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, part := range parts {
		if len(part) >= leastSecret && !strings.Contains(u.Host, part) {
			pairs = append(pairs, part, "…")
		}
	}
	return strings.NewReplacer(pairs...)
}

// redact has an error of the endpoint's client say nothing of the URL: net/http puts it into some, and nodes and gateways echo keys.
// What it is, and so what it means, stays.
func (e *endpoint) redact(err error) error {
	if withURL := (*url.Error)(nil); errors.As(err, &withURL) {
		err = withURL.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s%.0w", e.secrets.Replace(err.Error()), err) // wrapped, and of its text nothing
}
