package chain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// longRefusal is an endpoint's refusal with as much data as an answer may have.
type longRefusal struct{ data string }

func (longRefusal) Error() string    { return "execution reverted: " + strings.Repeat("x", 1<<20) }
func (longRefusal) ErrorCode() int   { return 3 }
func (e longRefusal) ErrorData() any { return e.data }

func TestOfALongRefusalLittleIsKept(t *testing.T) {
	t.Parallel()
	revert := asRevert(longRefusal{"0x" + strings.Repeat("ab", 2<<20)})
	require.NotNil(t, revert)
	require.Len(t, revert.Data, maxRevert)
	require.Len(t, revert.Text, maxRevert)
}
