package score

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CSVCell is a name as a cell of CSV. Owners choose names, and spreadsheets run a cell that begins like a formula: it gets an apostrophe
// in front, and so does one that has an apostrophe there, so that a reader who takes one away has every name as it is.
func CSVCell(name string) string {
	begins := strings.TrimLeftFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	if first, _ := utf8.DecodeRuneInString(begins); strings.ContainsRune("=+-@'＝＋－＠", first) {
		return "'" + name
	}
	return name
}
