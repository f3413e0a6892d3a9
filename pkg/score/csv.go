package score

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CSVCell makes a name safe as a CSV cell: owners choose names, and spreadsheets run cells that begin like a formula.
// Some spreadsheets split a file at other separators, even within quotes. So an apostrophe precedes each formula or
// apostrophe that starts the name or follows a separator. Removing these restores the name.
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
