package score

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCSVCell: no name is a formula, and one apostrophe less is the name.
func TestCSVCell(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "\n=1", "\u200b=1", "\ufeff=1", "\u00a0+1", "\x00=1", "＝1", "＋1", "－1", "＠x", "'", "'=1", " 'x",
	} {
		require.Equal(t, "'"+name, CSVCell(name), "%q", name)
	}
	for _, name := range []string{"", " ", "a=1", "1+1", "buy", "über", "日本", "\xff", "a'b", "a,\"b\"", strings.Repeat(" ", 9)} {
		require.Equal(t, name, CSVCell(name), "%q", name)
	}
}
