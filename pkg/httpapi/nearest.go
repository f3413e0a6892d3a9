package httpapi

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scorelay/scorelay/pkg/score"
)

// mostListed bounds the names that a refusal of an unknown one lists.
const mostListed = 10

// thereAre lists names, those first that are nearest to the one that came.
func thereAre(came string, names []string) string {
	far := make(map[string]int, len(names))
	for _, name := range names {
		far[name] = distance(came[:min(len(came), score.MaxNameBytes)], name)
	}
	names = slices.Compact(slices.SortedFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(far[a], far[b]), strings.Compare(a, b))
	}))
	listed := make([]string, min(len(names), mostListed))
	for i := range listed {
		listed[i] = strconv.Quote(names[i])
	}
	text := "there are " + strings.Join(listed, ", ")
	if more := len(names) - len(listed); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// distance is how many bytes make one text of the other: put in, left out or replaced (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1) // from a's beginning to each beginning of b
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
