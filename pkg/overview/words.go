package overview

import "fmt"

// Age writes seconds in at most seven characters. Clocks differ: what is ahead of ours is now.
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

// Bytes writes an amount of data.
func Bytes(n uint64) string {
	switch {
	case n < 1e6:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
