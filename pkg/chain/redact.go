package chain

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// leastSecret is the minimum length of a secret in a URL, in bytes. Shorter parts are words, such as v2.
const leastSecret = 6

// secretsOf returns a replacer that hides all of a URL except scheme and host, as a whole and in parts, escaped and
// unescaped.
func secretsOf(rawURL string) *strings.Replacer {
	u, _ := url.Parse(rawURL) // validated by Dial
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

// redact removes the URL from an error, since net/http includes it in some, and nodes and gateways echo keys. The
// error still matches its cause.
func (e *endpoint) redact(err error) error {
	if withURL := (*url.Error)(nil); errors.As(err, &withURL) {
		err = withURL.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s%.0w", e.secrets.Replace(err.Error()), err) // wraps err, but hides its text
}
