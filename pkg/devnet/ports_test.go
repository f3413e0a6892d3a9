package devnet

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestAServerWhosePortWasTakenStartsOnAnother, unless the port is fixed or it failed otherwise. A fixed port may be free a
// moment later.
func TestAServerWhosePortWasTakenStartsOnAnother(t *testing.T) {
	t.Parallel()
	taken, broken := errors.New("bind: Address already in use"), errors.New("the store is broken")
	for _, c := range []struct {
		port  int
		fails []error
		tries int
		err   error
	}{
		{0, []error{taken, taken}, 3, nil},
		{0, []error{broken}, 1, broken},
		{4222, []error{taken, taken}, 3, nil},
		{4222, []error{taken, broken}, 2, broken},
		{4222, slices.Repeat([]error{taken}, 1000), 102, taken},
	} {
		synctest.Test(t, func(t *testing.T) {
			var tried []int
			_, err := OnPort(c.port, func(port int) (struct{}, error) {
				tried = append(tried, port)
				if len(tried) <= len(c.fails) {
					return struct{}{}, c.fails[len(tried)-1]
				}
				return struct{}{}, nil
			})
			require.ErrorIs(t, err, c.err)
			require.Len(t, tried, c.tries)
		})
	}
}
