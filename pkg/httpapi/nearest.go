package httpapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scorelay/scorelay/pkg/score"
)

const mostListed = 10

// thereAre returns a text such as 'there are "x", "y" and 3 more'. The names most similar to came come first.
func thereAre(came string, names []string) string {
	far := make(map[string]int, len(names))
	for _, name := range names {
		far[name] = distance(came[:min(len(came), score.MaxNameBytes)], name)
	}
	names = slices.Compact(slices.SortedFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(far[a], far[b]), strings.Compare(a, b))
	}))
	text := "there are"
	for _, name := range names[:min(len(names), mostListed)] {
		text += fmt.Sprintf(" %q,", name)
	}
	if more := len(names) - mostListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.TrimSuffix(text, ","), more)
	}
	return strings.TrimSuffix(text, ",")
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances from a prefix of a to each prefix of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0]++
		for j := range len(b) {
			replaced := corner
			if a[i] != b[j] {
				replaced++
			}
			corner = row[j+1]
			row[j+1] = min(replaced, corner+1, row[j]+1)
		}
	}
	return row[len(b)]
}
