package score

import (
	"encoding/csv"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCSVCell: no name is a formula, and one apostrophe less, at its beginning and behind each separator, is the name.
func TestCSVCell(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"=1+1", "+1", "-1", "@SUM(A1)", " =1", "\u200b=1", "\ufeff=1", "\u00a0+1", "\x00=1", "＝1", "＋1", "－1", "＠x", "'", "'=1", " 'x", "\"=1",
	} {
		require.Equal(t, "'"+name, CSVCell(name), "%q", name)
	}
	for _, name := range []string{"", " ", "a=1", "1+1", "buy", "über", "日本", "\xff", "a'b", "a,\"b\"", strings.Repeat(" ", 9)} {
		require.Equal(t, name, CSVCell(name), "%q", name)
	}
	for name, want := range map[string]string{
		"x;=cmd|' /C calc'!A0;": "x;'=cmd|' /C calc'!A0;", "x,-1": "x,'-1", "x\t=1": "x\t'=1", "x\n=1": "x\n'=1", "x\r=1": "x\r'=1", "x;\u200b＝1": "x;'\u200b＝1",
		`x;""=1`: `x;'""=1`, "=1;=1": "'=1;'=1", "x;;=1": "x;;'=1", "x;\t=1": "x;'\t'=1", "\t=1": "'\t'=1", "\r\n=1": "'\r'\n'=1", "x;'=1": "x;''=1", "x; 'y'": "x;' 'y'",
		"x;": "x;", "x; y=1": "x; y=1", "x; \"y\"": "x; \"y\"", ";": ";",
	} {
		require.Equal(t, want, CSVCell(name), "%q", name)
	}
	added := regexp.MustCompile("(^|[,;\t\r\n])'")
	formula := regexp.MustCompile(`^[\pZ\pC"]*[=+\-@＝＋－＠]`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom([]rune("x=+-@'＝\",;\t\r\n \u200b")), 0, 12, -1).Draw(t, "name")
		cell := CSVCell(name)
		require.Equal(t, name, added.ReplaceAllString(cell, "$1"))
		var file strings.Builder
		out := csv.NewWriter(&file)
		require.NoError(t, out.Write([]string{"x", cell, cell, "1"}))
		out.Flush()
		for _, separators := range []string{";", "\t", ",", ";\t,"} { // and lines end, where a quote does not begin the cell
			for _, each := range strings.FieldsFunc(file.String(), func(r rune) bool { return strings.ContainsRune(separators+"\r\n", r) }) {
				require.False(t, formula.MatchString(each), "%q in %q", each, file.String())
			}
		}
	})
}
