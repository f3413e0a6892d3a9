package app

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// Secret is a setting that must not appear in logs: a key, a password, an address that may contain one. Its printed
// forms show only whether it is set.
type Secret string

// Reveal returns the value.
func (s Secret) Reveal() string { return string(s) }

// String reports only whether the value is set.
func (s Secret) String() string {
	if s == "" {
		return "[not set]"
	}
	return "[set]"
}

// telling reports whether the value itself is secret. A list of addresses is secret if one has a user, or, in HTTP, a
// path or a query.
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

// Format writes String's form for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// LogValue returns String's form.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns String's form.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
