package score

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CSVCell is a name as a cell of CSV. Owners choose names, and spreadsheets run a cell that begins like a formula. They split a file at
// a separator of their own, which the quotes of this one do not keep them from: so an apostrophe stands where a formula would begin, at
// the name's beginning or behind a separator, and where an apostrophe does. A reader who takes one away at each of these has every name as it is.
func CSVCell(name string) string {
	var out strings.Builder
	for len(name) > 0 {
		begins := strings.TrimLeftFunc(name, func(r rune) bool { return r == '"' || unicode.IsSpace(r) || !unicode.IsPrint(r) })
		if first, _ := utf8.DecodeRuneInString(begins); strings.ContainsRune("=+-@'＝＋－＠", first) {
			out.WriteByte('\'')
		}
		end := strings.IndexAny(name, ",;\t\r\n") + 1
		if end == 0 {
			end = len(name)
		}
		out.WriteString(name[:end])
		name = name[end:]
	}
	return out.String()
}
