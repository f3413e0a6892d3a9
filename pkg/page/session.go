package page

import (
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// SessionTime is a session's lifetime. Use does not extend it: a copied cookie ends with it.
const SessionTime = 12 * time.Hour

// Browsers accept the __Host- prefix only over TLS, for this host and all paths.
const (
	secureCookie = "__Host-scorelay"
	plainCookie  = "scorelay" // for http:// at a loopback address, and valid only there
)

// Sessions manages the sessions of the screens below a path. It is safe for concurrent use.
type Sessions struct {
	aead   cipher.AEAD
	tokens []byte // key of CSRF tokens
	suffix string // of the cookies' names
	path   string // of the plain cookie, which a browser sends to every port of the host
	origin *http.CrossOriginProtection
}

// NewSessions derives keys from a secret of at least 16 bytes and the suffix. Processes with the same ones can open
// each other's sessions.
func NewSessions(secret []byte, suffix, path string) (*Sessions, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "scorelay page session 1"+suffix, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	tokens, err := hkdf.Key(sha256.New, secret, nil, "scorelay page token 1"+suffix, 32)
	return &Sessions{aead, tokens, suffix, path, http.NewCrossOriginProtection()}, err
}

func (s *Sessions) seal(holder string, until time.Time) string {
	plain := append(binary.BigEndian.AppendUint64(nil, uint64(until.Unix())), holder...)
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, nil))
}

// open returns the holder in a cookie value; empty if it is forged or has ended.
func (s *Sessions) open(value string, now time.Time) string {
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return ""
	}
	plain, err := s.aead.Open(nil, nil, sealed, nil)
	if err != nil || len(plain) < 8 || now.Unix() >= int64(binary.BigEndian.Uint64(plain)) {
		return ""
	}
	return string(plain[8:])
}

func (s *Sessions) Begin(w http.ResponseWriter, r *http.Request, holder string) {
	http.SetCookie(w, s.cookie(r.Header.Get("Origin"), s.seal(holder, time.Now().Add(SessionTime))))
}

func (s *Sessions) End(w http.ResponseWriter) {
	for _, origin := range []string{"", "http://localhost"} {
		c := s.cookie(origin, "")
		c.MaxAge = -1
		http.SetCookie(w, c)
	}
}

// Holder returns the holder of a request's valid session, or "".
func (s *Sessions) Holder(r *http.Request) string { return s.open(s.sent(r), time.Now()) }

// Token returns the CSRF token of the request's session. An attacker can make a browser send the cookie, but cannot
// read the token.
func (s *Sessions) Token(r *http.Request) string {
	mac := hmac.New(sha256.New, s.tokens)
	mac.Write([]byte(s.sent(r)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// SameOrigin reports false if a page of another origin sent the request.
func (s *Sessions) SameOrigin(r *http.Request) bool { return s.origin.Check(r) == nil }

// Ours reports whether a screen of the request's session sent it: same origin, and the session's token in the header
// X-CSRF-Token or the form field csrf. Origin, token and the strict cookie overlap, so one may fail.
func (s *Sessions) Ours(r *http.Request) bool {
	return s.Holder(r) != "" && s.SameOrigin(r) &&
		hmac.Equal([]byte(cmp.Or(r.Header.Get("X-CSRF-Token"), r.PostFormValue("csrf"))), []byte(s.Token(r)))
}

// sent returns the value of a request's cookie, or "". An attacker on a sibling of the host, or on its network
// without TLS, can plant a plain cookie with their own session. So that cookie counts only if the browser requested a
// loopback address, without TLS.
func (s *Sessions) sent(r *http.Request) string {
	names := []string{secureCookie}
	if host := (&url.URL{Host: r.Host}).Hostname(); loopback(host) && r.TLS == nil && !strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		names = append(names, plainCookie)
	}
	for _, name := range names {
		if c, err := r.Cookie(name + s.suffix); err == nil && c.Value != "" {
			return c.Value
		}
	}
	return ""
}

// cookie returns a session's cookie for a browser at this origin. Without TLS only the plain cookie works, on
// loopback, where requests cross no network.
func (s *Sessions) cookie(origin, value string) *http.Cookie {
	c := &http.Cookie{
		Name: secureCookie + s.suffix, Value: value, Path: "/", MaxAge: int(SessionTime / time.Second), Secure: true, HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	}
	if u, err := url.Parse(origin); err == nil && u.Scheme == "http" && loopback(u.Hostname()) {
		c.Name, c.Path, c.Secure = plainCookie+s.suffix, s.path, false
	}
	return c
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
