package score

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CSVCell returns a name as a CSV cell that is safe in spreadsheets, which run cells that begin like a formula.
// Owners choose names, and some spreadsheets split a file at other separators, even within quotes. So an apostrophe
// precedes each formula or apostrophe that starts the name or follows a separator. Removing one apostrophe at each
// of these places restores the exact name.
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
