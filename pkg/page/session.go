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

// sessions seal API keys.
type sessions struct {
	aead   cipher.AEAD
	tokens []byte // key of what a session's posts must hold
}

// newSessions derives the key that all APIs of a deployment have; secret is the deployment's, at least 16 bytes.
func newSessions(secret []byte) (*sessions, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "scorelay page session 1", 32)
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
	tokens, err := hkdf.Key(sha256.New, secret, nil, "scorelay page token 1", 32)
	return &sessions{aead, tokens}, err
}

// token is what a post of a session must hold, beside the cookie: who can have a browser send the cookie cannot read it.
func (s *sessions) token(session string) string {
	mac := hmac.New(sha256.New, s.tokens)
	mac.Write([]byte(session))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// seal is a cookie's value that holds the API key until then.
func (s *sessions) seal(key string, until time.Time) string {
	plain := append(binary.BigEndian.AppendUint64(nil, uint64(until.Unix())), key...)
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, nil))
}

// open is the API key in a cookie's value; empty of one that was not sealed here, or has ended.
func (s *sessions) open(value string, now time.Time) string {
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

// Key is the API key of a request's session; empty without one that holds.
func (p *Page) Key(r *http.Request) string { return p.sessions.open(sessionOf(r, ""), time.Now()) }

// sessionOf is the value of a request's cookie; empty without one. Anyone who can answer for a sibling of the page's host, or on its network without TLS, can have a
// browser send the plain cookie, with a session of their own in it: so it counts only where the browser itself asked for this machine, and not over TLS.
func sessionOf(r *http.Request, suffix string) string {
	names := []string{secureCookie}
	if host := (&url.URL{Host: r.Host}).Hostname(); loopback(host) && r.TLS == nil && !strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		names = append(names, plainCookie)
	}
	for _, name := range names {
		if c, err := r.Cookie(name + suffix); err == nil && c.Value != "" {
			return c.Value
		}
	}
	return ""
}

// Ours tells whether a screen of the request's session sent it: its origin is the page's, and it holds the session's token, in the header X-CSRF-Token or the
// form's field csrf. Either would do with a cookie that is strict; together they do where one of the three is broken.
func (p *Page) Ours(r *http.Request) bool {
	is := sessionOf(r, "")
	return is != "" && p.origin.Check(r) == nil &&
		hmac.Equal([]byte(cmp.Or(r.Header.Get("X-CSRF-Token"), r.PostFormValue("csrf"))), []byte(p.sessions.token(is)))
}

// cookie holds a session for a browser that shows the page at this origin. Without TLS a browser keeps only the plain one, which is for this
// machine alone: what is sent there is on no network.
func cookie(origin, value string) *http.Cookie {
	c := &http.Cookie{
		Name: secureCookie, Value: value, Path: "/", MaxAge: int(SessionTime / time.Second), Secure: true, HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	}
	if u, err := url.Parse(origin); err == nil && u.Scheme == "http" && loopback(u.Hostname()) {
		c.Name, c.Secure = plainCookie, false
	}
	return c
}

// gone has a browser forget the session, whichever cookie holds it.
func gone(w http.ResponseWriter) {
	for _, origin := range []string{"", "http://localhost"} {
		c := cookie(origin, "")
		c.MaxAge = -1
		http.SetCookie(w, c)
	}
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
