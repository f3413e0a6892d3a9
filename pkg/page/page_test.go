package page

import (
	"math"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/score"
)

// TestASessionIsOpenedWhereItWasSealed: by every API of the deployment, until it ends, and as it was sealed only.
func TestASessionIsOpenedWhereItWasSealed(t *testing.T) {
	t.Parallel()
	sealers := make([]*Sessions, 3)
	for i, secret := range []string{"one deployment's secret", "one deployment's secret", "another's, sixteen"} {
		var err error
		sealers[i], err = NewSessions([]byte(secret), "", "/")
		require.NoError(t, err)
	}
	now := time.Now()
	sealed := sealers[0].seal("scorelay_key", now.Add(SessionTime))
	require.NotEqual(t, sealed, sealers[0].seal("scorelay_key", now.Add(SessionTime)), "two sessions of a key cannot be told to be of one")
	require.NotContains(t, sealed, "scorelay")
	require.Less(t, len(sealers[0].seal(strings.Repeat("k", 71), now)), 200)
	require.Equal(t, "scorelay_key", sealers[1].open(sealed, now.Add(SessionTime-2*time.Second)))
	require.Empty(t, sealers[1].open(sealed, now.Add(SessionTime)))
	require.Empty(t, sealers[2].open(sealed, now))
	others, err := NewSessions([]byte("one deployment's secret"), "-others", "/")
	require.NoError(t, err)
	require.Empty(t, others.open(sealed, now), "other screens, under the same secret")
	for i := range sealed {
		changed := []byte(sealed)
		changed[i] ^= 1
		require.NotEqual(t, "scorelay_kez", sealers[0].open(string(changed), now))
		if got := sealers[0].open(string(changed), now); got != "" { // the last character has bits that say nothing
			require.Equal(t, len(sealed)-1, i)
		}
	}
	require.Empty(t, sealers[0].open("", now))
	require.Empty(t, sealers[0].open("AAAA", now))
}

// TestAPlainCookieCountsAtThisMachineAlone, and behind one that only a browser over TLS can have.
func TestAPlainCookieCountsAtThisMachineAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ host, header, cookies, want string }{
		{"127.0.0.1:3000", "", "scorelay=plain", "plain"},
		{"[::1]:3000", "", "scorelay=plain", "plain"},
		{"localhost", "http", "scorelay=plain", "plain"},
		{"localhost", "https", "scorelay=plain", ""},
		{"localhost:3000", "", "scorelay=plain; __Host-scorelay=secure", "secure"},
		{"scores.example", "", "scorelay=plain", ""},
		{"scores.example", "", "scorelay=plain; __Host-scorelay=secure", "secure"},
		{"127.0.0.1.example", "", "scorelay=plain", ""},
		{"", "", "scorelay=plain", ""},
	} {
		r := &http.Request{Host: c.host, Header: http.Header{"Cookie": {c.cookies}, "X-Forwarded-Proto": {c.header}}}
		require.Equal(t, c.want, (&Sessions{}).sent(r), c)
	}
}

// TestAPostIsOfTheSessionThatItsCookieHolds: until it ends, and under the cookie's own name.
func TestAPostIsOfTheSessionThatItsCookieHolds(t *testing.T) {
	t.Parallel()
	s, err := NewSessions([]byte("one deployment's secret"), "-here", "/here")
	require.NoError(t, err)
	for _, c := range []struct {
		cookie string
		left   time.Duration
		ours   bool
	}{{"scorelay-here", time.Minute, true}, {"scorelay-here", -time.Second, false}, {"scorelay", time.Minute, false}} {
		r := &http.Request{Method: http.MethodPost, Host: "localhost", Header: http.Header{"Cookie": {c.cookie + "=" + s.seal("holder", time.Now().Add(c.left))}}}
		r.Header.Set("X-CSRF-Token", s.Token(r))
		require.Equal(t, c.ours, s.Ours(r), c)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		require.False(t, s.Ours(r), c)
	}
}

// TestAnExplorerIsOneThatScreensMayLinkTo: over TLS or at this machine, with nothing in its address that is for no one else.
func TestAnExplorerIsOneThatScreensMayLinkTo(t *testing.T) {
	t.Parallel()
	for address, is := range map[string]bool{
		"https://etherscan.io": true, "https://scan.example:8443/chain/": true, "http://127.0.0.1:5100": true, "http://[::1]/": true, "http://localhost": true,
		"": false, "etherscan.io": false, "https://": false, "http://etherscan.io": false, "http://127.0.0.1.example": false, "javascript://etherscan.io/%0aalert(1)": false,
		"https://user@etherscan.io": false, "https://user:hush@etherscan.io": false, "https://etherscan.io/?key=hush": false, "https://etherscan.io/#/": false, "https://a b": false,
	} {
		require.Equal(t, is, IsExplorer(address), address)
	}
	require.Equal(t, "https://etherscan.io/block/7", explorer("https://etherscan.io/")(uint64(7)))
	require.Empty(t, explorer("")(uint64(7)))
}

// TestNoNameLooksLikeAnother: what is shown has no character that cannot be seen, and ordinary text of any script stays as it is.
func TestNoNameLooksLikeAnother(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Réputation 評判 שלום نقاط 🎮": "Réputation 評判 שלום نقاط 🎮",
		"a\u202Eb":                   "a[U+202E]b",
		"a\u200Bb\u2060\uFEFF\u00AD": "a[U+200B]b[U+2060][U+FEFF][U+00AD]",
		"\u3164\u115F\u2800\uFE0F\u00A0\U000E0041": "[U+3164][U+115F][U+2800][U+FE0F][U+00A0][U+E0041]",
		"\x00\x1b\x7f\xff":                         "[U+0000][U+001B][U+007F][U+FFFD]",
	} {
		require.Equal(t, want, visible(text))
	}
}

func TestNumbersForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", -1000: "−1,000", 1234567: "1,234,567", math.MinInt64: "−9,223,372,036,854,775,808"} {
		require.Equal(t, want, grouped(n))
	}
	require.Equal(t, "18,446,744,073,709,551,615", grouped(uint64(math.MaxUint64)))
	for wei, want := range map[int64]string{0: "0", 1: "0.000000000000000001", 7_000_000_000_000: "0.000007", 6_453_126_000_000: "0.000006453", 1_500_000_000_000_000_000: "1.500000"} {
		require.Equal(t, want, ether(big.NewInt(wei)))
	}
	require.Equal(t, "1,234,567", ether(new(big.Int).Mul(big.NewInt(1_234_567_999), big.NewInt(1e15))))
	for wei, want := range map[int64]string{0: "0", 1: "0.000000001", 10_000_000_000: "10", 1_500_000_007: "1.500000007", 1_200_000_000_000: "1200"} {
		require.Equal(t, want, gwei(big.NewInt(wei)))
	}
	now := time.Now()
	for before, want := range map[time.Duration]string{-time.Minute: "0 s ago", 59 * time.Second: "59 s ago", 90 * time.Minute: "1 h ago", 25 * time.Hour: "1 d ago"} {
		require.Equal(t, want, ago(now, now.Add(-before)))
	}
}

// TestASparklineIsOfDays, the highest as high as the picture; there is none of nothing.
func TestASparklineIsOfDays(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)
	p := sparkline([]uint64{1000, 0, 2000}, from)
	require.Equal(t, "M1 50h198V100h-198zM401 0h198V100h-198z", p.Path)
	require.Equal(t, "Updates applied by day, 2026-10-31 to 2026-11-02, 2,000 updates at most", p.Label)
	require.Nil(t, sparkline(make([]uint64, 30), from))
}

// TestAPlotStaysWithinItsPicture: any updates do.
func TestAPlotStaysWithinItsPicture(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(1_700_000_000, 0)
		var updates []score.Execution
		var is int64
		for range rapid.IntRange(0, 20).Draw(t, "updates") {
			e := score.Execution{Points: rapid.Int64Range(-math.MaxInt32, math.MaxInt32).Draw(t, "points"), Time: at, Outcome: score.Outcome(rapid.IntRange(0, 1).Draw(t, "outcome"))}
			if e.Outcome == score.Applied {
				is += e.Points
			}
			at = at.Add(time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "later")) * time.Second)
			updates = append([]score.Execution{e}, updates...)
		}
		p := cumulative(updates, is)
		if p == nil {
			return
		}
		for _, step := range strings.FieldsFunc(strings.TrimPrefix(p.Path, "M0 "), func(r rune) bool { return r == 'H' || r == 'V' }) {
			value, ok := new(big.Float).SetString(step)
			require.True(t, ok, p.Path)
			f, _ := value.Float64()
			require.GreaterOrEqual(t, f, -0.1)
			require.LessOrEqual(t, f, plotWidth+0.1)
		}
		require.Contains(t, p.Label, "now "+grouped(is))
	})
}
