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

// SessionTime is how long a session lasts. It is not prolonged by use: a cookie that was copied ends with it.
const SessionTime = 12 * time.Hour

// The session's cookie. A browser takes the first name over TLS only, for this host and all its paths.
const (
	secureCookie = "__Host-scorelay"
	plainCookie  = "scorelay" // at a loopback address without TLS, and believed there alone
)

// Sessions are those of the screens below a path. Each is sealed into its browser's cookie, and no server keeps a state of it. They are safe for
// concurrent use.
type Sessions struct {
	aead   cipher.AEAD
	tokens []byte // key of what a session's posts must hold
	suffix string // of the cookies' names
	path   string // of the plain cookie, which a browser sends to each port of the host
	origin *http.CrossOriginProtection
}

// NewSessions derives their keys from a secret of at least 16 bytes and the suffix: each process with the same ones opens them.
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

// seal is a cookie's value that tells the session's holder until then.
func (s *Sessions) seal(holder string, until time.Time) string {
	plain := append(binary.BigEndian.AppendUint64(nil, uint64(until.Unix())), holder...)
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, nil))
}

// open is the holder that a cookie's value tells; empty of one that was not sealed here, or has ended.
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

// Begin has the browser that sent the request keep a session of a holder, for SessionTime.
func (s *Sessions) Begin(w http.ResponseWriter, r *http.Request, holder string) {
	http.SetCookie(w, s.cookie(r.Header.Get("Origin"), s.seal(holder, time.Now().Add(SessionTime))))
}

// End has the browser forget its session, whichever cookie holds it.
func (s *Sessions) End(w http.ResponseWriter) {
	for _, origin := range []string{"", "http://localhost"} {
		c := s.cookie(origin, "")
		c.MaxAge = -1
		http.SetCookie(w, c)
	}
}

// Holder is whose session a request has; empty without one that holds.
func (s *Sessions) Holder(r *http.Request) string { return s.open(s.sent(r), time.Now()) }

// Token is what a post of the request's session must hold, beside the cookie: who can have a browser send the cookie cannot read it.
func (s *Sessions) Token(r *http.Request) string {
	mac := hmac.New(sha256.New, s.tokens)
	mac.Write([]byte(s.sent(r)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// SameOrigin tells whether no other origin's page sent the request.
func (s *Sessions) SameOrigin(r *http.Request) bool { return s.origin.Check(r) == nil }

// Ours tells whether a screen of the request's session sent it: its origin is this one, and it holds the session's token, in the header X-CSRF-Token or the
// form's field csrf. Either would do with a cookie that is strict; together they do where one of the three is broken.
func (s *Sessions) Ours(r *http.Request) bool {
	return s.Holder(r) != "" && s.SameOrigin(r) &&
		hmac.Equal([]byte(cmp.Or(r.Header.Get("X-CSRF-Token"), r.PostFormValue("csrf"))), []byte(s.Token(r)))
}

// sent is the value of a request's cookie; empty without one. Anyone who can answer for a sibling of the page's host, or on its network without TLS, can have a
// browser send the plain cookie, with a session of their own in it: so it counts only where the browser itself asked for this machine, and not over TLS.
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

// cookie holds a session for a browser that shows its screens at this origin. Without TLS a browser keeps only the plain one, which is for this
// machine alone: what is sent there is on no network.
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
