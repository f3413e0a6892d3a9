package chain_test

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
)

// TestHealth: each endpoint as its last exchanges showed it, which cost nothing to ask for.
func TestHealth(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		b := n.include(t, n.tx(t, 0))
		p := newProxy(t, n.url)
		c := dial(t, chain.Config{URLs: []string{p.URL, "http://127.0.0.1:1"}})
		for _, h := range c.Health() {
			require.True(t, h.Up, "nothing speaks against it yet")
			require.Zero(t, h.Newest)
		}
		for range 3 {
			_, err := c.Latest(t.Context())
			require.NoError(t, err)
		}
		asked := p.bodies()
		require.Eventually(t, func() bool { return !c.Health()[1].Up }, 2*time.Minute, 10*time.Millisecond)
		health := c.Health()
		require.Equal(t, asked, p.bodies())
		require.True(t, health[0].Up)
		require.Equal(t, b.Number, health[0].Newest)
		require.NotZero(t, health[0].Took)
		require.Equal(t, chain.Health{Endpoint: "127.0.0.1:1", Why: "failing"}, health[1])
	})
}

// TestAccounts are as of the block that is asked for.
func TestAccounts(t *testing.T) {
	onBoth(t, func(t *testing.T, n *anyNode) {
		b := n.include(t, n.tx(t, 0))
		c := dial(t, chain.Config{URLs: []string{n.url}})
		who := []common.Address{n.address(0), {0xee}}
		now, err := c.Accounts(t.Context(), b.Number, who)
		require.NoError(t, err)
		before, err := c.Accounts(t.Context(), b.Number-1, who)
		require.NoError(t, err)
		require.Equal(t, []uint64{1, 0, 0, 0}, []uint64{now[0].Nonce, now[1].Nonce, before[0].Nonce, before[1].Nonce})
		require.Equal(t, 1, before[0].Balance.Cmp(now[0].Balance), "it paid")
		require.Zero(t, now[1].Balance.Sign())
		_, err = c.Accounts(t.Context(), b.Number+1_000, who)
		require.Error(t, err)
	})
}
