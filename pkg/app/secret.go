package app

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// Secret is a setting that must not appear in logs: a key, a password, an address that may contain one. Every way to
// print it shows only whether it is set.
type Secret string

// Reveal returns the value itself.
func (s Secret) Reveal() string { return string(s) }

// String is "[set]" or "[not set]".
func (s Secret) String() string {
	if s == "" {
		return "[not set]"
	}
	return "[set]"
}

// telling tells whether the value itself is secret: of addresses, separated by commas, whether one holds more than where a server is.
func (s Secret) telling() bool {
	for text := range strings.SplitSeq(string(s), ",") {
		if !strings.Contains(text, "://") {
			return text != ""
		}
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || u.User != nil || (strings.HasPrefix(u.Scheme, "http") && (strings.Trim(u.Path, "/") != "" || u.RawQuery != "")) {
			return true
		}
	}
	return false
}

// Format makes every verb of fmt write the form of String.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// LogValue is the form of String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText writes the form of String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
