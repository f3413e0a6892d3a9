package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"log/slog"
	"math/big"
	"strings"
	"time"
)

// A secret is scorelay_<id>_<random><checksum> in digits and letters. The random part encodes 256 bits. The checksum
// is a CRC-32 of everything before.
const (
	prefix         = "scorelay_"
	alphabet       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	idDigits       = 12
	randomDigits   = 43 // 62^43 > 2^256
	checksumDigits = 6  // 62^6 > 2^32
	secretLen      = len(prefix) + idDigits + 1 + randomDigits + checksumDigits
)

// Secret is an API key as its holder keeps it. It prints as its public part: prefix and id.
type Secret string

func (s Secret) Reveal() string { return string(s) }

// String hides the random part.
func (s Secret) String() string {
	if id, ok := s.id(); ok {
		return prefix + id + "_…"
	}
	return "…"
}

// LogValue hides the random part.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// id returns false unless length, prefix and checksum are right.
func (s Secret) id() (string, bool) {
	text := string(s)
	if len(text) != secretLen || !strings.HasPrefix(text, prefix) || text[len(prefix)+idDigits] != '_' {
		return "", false
	}
	body := text[:secretLen-checksumDigits]
	if text[len(body):] != checksum(body) {
		return "", false
	}
	return text[len(prefix) : len(prefix)+idDigits], true
}

func isID(text string) bool {
	return len(text) == idDigits && strings.Trim(text, alphabet) == ""
}

func (s Secret) hash() [sha256.Size]byte { return sha256.Sum256([]byte(s)) }

func newSecret() Secret {
	bits := make([]byte, 9+32) // 72 bits of id, 256 of secret
	_, _ = rand.Read(bits)
	body := prefix + base62(bits[:9], idDigits+1)[1:] + "_" + base62(bits[9:], randomDigits)
	return Secret(body + checksum(body))
}

// checksum runs for every request, so it avoids big numbers.
func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	var text [checksumDigits]byte
	for i := range text {
		text[checksumDigits-1-i] = alphabet[sum%uint32(len(alphabet))]
		sum /= uint32(len(alphabet))
	}
	return string(text[:])
}

// base62 encodes a big-endian number in exactly digits digits, which must suffice.
func base62(b []byte, digits int) string {
	n, base, rest := new(big.Int).SetBytes(b), big.NewInt(int64(len(alphabet))), new(big.Int)
	text := make([]byte, digits)
	for i := digits - 1; i >= 0; i-- {
		n.DivMod(n, base, rest)
		text[i] = alphabet[rest.Int64()]
	}
	return string(text)
}

// Key is the stored record of an API key.
type Key struct {
	ID   string `json:"id"`
	Name string `json:"name"` // the key's owner, for people
	Hash string `json:"hash"` // SHA-256 of the whole secret, hex
	Terms
	Created time.Time  `json:"created"`
	Revoked *time.Time `json:"revoked,omitempty"` // refused from this time on

	LastUsed *time.Time `json:"lastUsed,omitempty"` // set by List; accurate to some two minutes
}
