package page

import (
	"fmt"
	"html/template"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ethereum/go-ethereum/common"
)

// Names go through visible; html/template escapes everything.
var functions = template.FuncMap{
	"short": func(id any) string { return short(fmt.Sprint(id)) }, "explorer": explorer(""), "num": grouped[uint64], "score": grouped[int64], "signed": signed, "ether": ether, "fee": func(wei uint64) string { return ether(new(big.Int).SetUint64(wei)) },
	"name": visible, "icon": icon, "address": address,
	"ago":  func(t time.Time) string { return ago(time.Now(), t) },
	"now":  time.Now,
	"utc":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") + " UTC" },
	"iso":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"day":  func(t time.Time) string { return t.UTC().Format("2006-01-02") },
	"per":  func(of, by uint64) uint64 { return of / max(by, 1) },
	"rows": func(rows []execution, wallets bool) executions { return executions{rows, wallets} },
	"link": func(path string, a common.Address) walletLink { return walletLink{path + "/wallets/" + a.Hex(), a} },
}

// executions is for the template of that name.
type executions struct {
	Rows    []execution
	Wallets bool // adds the wallets' column
}

// walletLink is for the template "wallet".
type walletLink struct {
	Path    string
	Address common.Address
}

func short(id string) string {
	if len(id) <= 12 {
		return id
	}
	return id[:6] + "…" + id[len(id)-4:]
}

func grouped[T int64 | uint64](n T) string {
	digits := strings.TrimPrefix(fmt.Sprint(n), "-")
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if n < 0 {
		return "−" + digits
	}
	return digits
}

func signed(points int64) string {
	if points > 0 {
		return "+" + grouped(points)
	}
	return grouped(points)
}

// gwei formats wei exactly.
func gwei(wei *big.Int) string {
	text := new(big.Rat).SetFrac(wei, big.NewInt(1e9)).FloatString(9)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// ether formats wei in ETH with six decimals, or four significant digits below 0.001. From 1,000 on it truncates to
// whole ETH.
func ether(wei *big.Int) string {
	value, _ := new(big.Rat).SetFrac(wei, big.NewInt(1e18)).Float64()
	switch {
	case value == 0:
		return "0"
	case value >= 1000:
		return grouped(new(big.Int).Quo(wei, big.NewInt(1e18)).Uint64())
	case value < 0.001:
		return strings.TrimRight(strconv.FormatFloat(value, 'f', 3-int(math.Floor(math.Log10(value))), 64), "0")
	default:
		return strconv.FormatFloat(value, 'f', 6, 64)
	}
}

func ago(now, then time.Time) string {
	for _, unit := range []struct {
		is   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if n := now.Sub(then) / unit.is; n > 0 {
			return grouped(int64(n)) + " " + unit.name + " ago"
		}
	}
	return strconv.Itoa(max(0, int(now.Sub(then)/time.Second))) + " s ago"
}

// visible replaces invisible and direction-changing characters by their code, so that names cannot imitate others.
func visible(text string) string {
	var out strings.Builder
	for _, r := range text {
		hidden := !unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u2800'
		if hidden || r == unicode.ReplacementChar {
			fmt.Fprintf(&out, "[U+%04X]", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// icon returns an image to recognize an address: five by five cells, symmetric.
func icon(a common.Address) template.HTML {
	var path strings.Builder
	for cell := range 15 {
		if a[cell%20]&1 == 0 {
			continue
		}
		x, y := cell%3, cell/3
		fmt.Fprintf(&path, "M%d %dh1v1h-1z", x, y)
		if x < 2 {
			fmt.Fprintf(&path, "M%d %dh1v1h-1z", 4-x, y)
		}
	}
	hue := (int(a[16])<<8 | int(a[17])) % 360
	return template.HTML(fmt.Sprintf(`<svg class="icon" viewBox="0 0 5 5" aria-hidden="true"><path fill="hsl(%d 60%% 55%%)" d="%s"/></svg>`, hue, path.String())) //nolint:gosec // numbers only
}
