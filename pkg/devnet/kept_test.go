package devnet_test

import (
	"bufio"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
)

// childDir is the environment variable that makes TestChainChild a chain of its own process, until it is killed.
const childDir = "DEVNET_CHAIN_DIR"

// TestChainChild makes blocks with a payment each and prints what is final after two confirmations: the blocks below its
// head. It is run by TestAKilledChainComesBack.
func TestChainChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("only as a child process: TestAKilledChainComesBack runs it")
	}
	c, err := devnet.StartChain(devnet.ChainOptions{Dir: dir})
	require.NoError(t, err)
	parent := common.Hash{}
	for nonce := uint64(0); ; nonce++ {
		send(t, c.Client(), nonce)
		hash := c.Commit()
		if nonce > 0 {
			fmt.Printf("final %d %s\n", nonce, parent)
		}
		parent = hash
	}
}

func TestAKilledChainComesBackWithAllThatWasFinal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run", "^TestChainChild$", "-test.v")
	child.Env = append(os.Environ(), childDir+"="+dir)
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	t.Cleanup(func() { _ = child.Process.Kill() })
	lines := bufio.NewScanner(out)
	final := map[uint64]common.Hash{}
	for lines.Scan() {
		var number uint64
		var hash string
		if n, _ := fmt.Sscanf(lines.Text(), "final %d %s", &number, &hash); n != 2 {
			continue
		}
		final[number] = common.HexToHash(hash)
		if number == 70 { // beyond an epoch, so that geth has moved blocks to its freezer
			require.NoError(t, child.Process.Kill())
		}
	}
	require.ErrorContains(t, child.Wait(), "killed")
	require.GreaterOrEqual(t, len(final), 70)

	c, err := devnet.StartChain(devnet.ChainOptions{Dir: dir})
	require.NoError(t, err)
	defer c.Close()
	for number, hash := range final {
		header, err := c.Client().HeaderByNumber(t.Context(), new(big.Int).SetUint64(number))
		require.NoError(t, err, "block %d of %d", number, len(final))
		require.Equal(t, hash, header.Hash())
	}
	head, err := c.Client().BlockNumber(t.Context())
	require.NoError(t, err)
	nonce, err := c.Client().NonceAt(t.Context(), devnet.Address(0), nil)
	require.NoError(t, err)
	require.Equal(t, head, nonce, "the state is that of the newest block")
	tx := send(t, c.Client(), nonce)
	c.Commit()
	receipt, err := c.Client().TransactionReceipt(t.Context(), tx.Hash())
	require.NoError(t, err, "it continues")
	require.Equal(t, head+1, receipt.BlockNumber.Uint64())
}

func TestAKeptChainContinuesAfterACleanStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := devnet.StartChain(devnet.ChainOptions{Dir: dir})
	require.NoError(t, err)
	tx := send(t, c.Client(), 0)
	block := c.Commit()
	c.Close()

	c, err = devnet.StartChain(devnet.ChainOptions{Dir: dir})
	require.NoError(t, err)
	receipt, err := c.Client().TransactionReceipt(t.Context(), tx.Hash())
	require.NoError(t, err)
	require.Equal(t, block, receipt.BlockHash)
	send(t, c.Client(), 1)
	c.Commit()
	head, err := c.Client().HeaderByNumber(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, block, head.ParentHash)
	_, err = devnet.StartChain(devnet.ChainOptions{Dir: dir})
	require.ErrorContains(t, err, "datadir already used")
	c.Close()

	_, err = devnet.StartChain(devnet.ChainOptions{Dir: dir, Accounts: 3})
	var other *core.GenesisMismatchError
	require.ErrorAs(t, err, &other, "another genesis is refused")
}
