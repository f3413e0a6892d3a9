package overview

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// Age formats seconds in at most seven characters. Negative ages, from clocks that differ, count as 0.
func Age(seconds float64) string {
	seconds = max(0, seconds)
	switch {
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.0f min", seconds/60)
	case seconds < 48*3600:
		return fmt.Sprintf("%.0f h", seconds/3600)
	case seconds < 1000*86400:
		return fmt.Sprintf("%.0f d", seconds/86400)
	}
	return ">999 d"
}

func Bytes(n uint64) string {
	switch {
	case n < 1e6:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// etherUp formats a positive amount of wei in ether, rounded up to two digits.
func etherUp(wei *big.Int) string {
	ether, _ := new(big.Float).Quo(new(big.Float).SetInt(wei), big.NewFloat(1e18)).Float64()
	decimals := 1 - int(math.Floor(math.Log10(ether)))
	unit := math.Pow10(-decimals)
	return strconv.FormatFloat(math.Ceil(ether/unit)*unit, 'f', max(0, decimals), 64)
}
