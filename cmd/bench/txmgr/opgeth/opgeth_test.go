package opgeth

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/stretchr/testify/require"
)

// funder is the account that a stack pays its own from, unless it is told another: anvil's first.
var funder = common.HexToAddress("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")

// patience is how long what is awaited may take, on a busy machine.
const patience = 3 * time.Minute

// TestUpdatesBecomeFinal has the API and the relayer, as processes of their own, carry out updates on op-geth. They
// read the chain through a gate that counts what they ask for, and in the end changes what they are answered.
func TestUpdatesBecomeFinal(t *testing.T) {
	log.SetDefault(log.NewLogger(log.NewTerminalHandlerWithLevel(os.Stderr, log.LevelError, false)))
	programs := build(t)
	began := time.Now()
	chain, err := Start(t.TempDir(), funder)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, chain.Close()) })
	gate := newGate(t, chain.URL)
	s := startStack(t, programs, gate)
	t.Logf("after %s: the stack is up", seconds(began))

	s.load(t, "--rate", "250", "--duration", "5s", "--projects", "3", "--signed", "40", "--group", "25")
	t.Logf("after %s: all is accepted", seconds(began))
	findings := s.audit(t)
	require.GreaterOrEqual(t, findings.Updates.Applied, 1_000)
	require.Empty(t, s.unverified(t), "headers and receipts can be checked")
	var profile struct {
		Unverified []string `json:"unverified"`
	}
	require.NoError(t, json.Unmarshal(s.run(t, "chain", "--json"), &profile))
	require.Equal(t, []string{}, profile.Unverified, "and the tool says so")
	require.Zero(t, s.contradictions(t), "and are what they shall be")
	calls := gate.counted("relayer", "api")
	require.Positive(t, calls["eth_getBlockReceipts"], "receipts are read by the block")
	require.Zero(t, calls[alone], "none is believed without its root: %v", calls)
	require.Equal(t, 1, chain.oracle(t).Sign(), "the fee oracle knows a fee of L1")
	fees := chain.fees(t)
	t.Logf("after %s: %d updates final, %s; %d blocks with %d deposits; %d transactions paid %s gwei for gas and %s "+
		"gwei to L1; receipts asked for alone: %d; calls %v",
		seconds(began), findings.Updates.Applied, findings, fees.blocks, fees.deposits, fees.transactions, gwei(fees.gas),
		gwei(fees.l1),
		calls[alone], calls)
	require.Equal(t, 1, fees.l1.Sign(), "transactions pay an L1 fee")

	// Verified is what makes a difference: an answer that is not what the block holds is dropped.
	for _, lie := range []struct{ about, is, becomes string }{
		{"the nonce of a deposit", `"depositNonce":"0x`, `"depositNonce":"0x1`},
		{"the status of a transaction", `"status":"0x1"`, `"status":"0x0"`},
	} {
		before := s.contradictions(t)
		gate.lie(lie.is, lie.becomes)
		s.load(t, "--rate", "50", "--duration", "1s")
		require.Eventually(t, func() bool { return s.contradictions(t) > before }, patience, 100*time.Millisecond,
			"no service finds the lie about %s", lie.about)
		gate.lie("", "")
	}
	findings = s.audit(t)
	t.Logf("after %s: two lies about receipts were found, and all is final: %s", seconds(began), findings)
}

func seconds(since time.Time) string { return time.Since(since).Round(100 * time.Millisecond).String() }

func gwei(wei *big.Int) string { return new(big.Int).Div(wei, big.NewInt(1e9)).String() }

// stack is a stack of processes (pkg/devnet/rig/stack).
type stack struct {
	programs, dir string
	info          struct {
		AdminURLs []string `json:"adminUrls"`
	}
}

// build builds the stack's programs from the main module, and the load generator.
func build(t *testing.T) (programs string) {
	t.Helper()
	programs = t.TempDir() + string(filepath.Separator)
	for _, args := range [][]string{
		{"-C", "../../../..", "-o", programs, "./cmd/api", "./cmd/relayer", "./cmd/scorelay", "./pkg/devnet/rig/stack/stack"},
		{"-C", "../..", "-o", programs, "."},
	} {
		out, err := exec.Command("go", append([]string{"build"}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return programs
}

// startStack starts a stack behind the gate.
func startStack(t *testing.T, programs string, gate *gate) *stack {
	t.Helper()
	if os.Getenv("SCORELAY_REQUIRE_REDIS_SERVER") != "" {
		_, err := exec.LookPath("redis-server")
		require.NoError(t, err)
	}
	s := &stack{programs: programs, dir: t.TempDir()}
	cmd := exec.Command(filepath.Join(programs, "stack"), "--programs", programs, "--data-dir", s.dir, "--lanes", "2",
		"--chain-rpc", gate.URL+"/tool", "--confirmations", "0", "--block-time", Interval.String(),
		"--set", "api:SCORELAY_CHAIN_RPC="+gate.URL+"/api", "--set", "relayer:SCORELAY_CHAIN_RPC="+gate.URL+"/relayer")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case err := <-ended:
			require.NoError(t, err, "%s", &said)
		case <-time.After(patience):
			_ = cmd.Process.Kill()
			t.Errorf("the stack did not end: %s", &said)
		}
		if t.Failed() {
			s.lines(t, func(log, line string) {
				if strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, `"level":"ERROR"`) {
					t.Logf("%s: %s", log, line)
				}
			})
		}
	})
	require.Eventually(t, func() bool {
		raw, err := os.ReadFile(filepath.Join(s.dir, "dev.json"))
		return err == nil && json.Unmarshal(raw, &s.info) == nil
	}, patience, 100*time.Millisecond, "the stack did not come up")
	return s
}

// run runs a command of the tool, and returns what it printed.
func (s *stack) run(t *testing.T, args ...string) []byte {
	t.Helper()
	return s.runOf(t, "scorelay", args...)
}

func (s *stack) runOf(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(filepath.Join(s.programs, program), append(args, "--data-dir", s.dir)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, "%s %s", out, &errs)
	return out
}

// load sends signed updates by HTTP. All must be accepted.
func (s *stack) load(t *testing.T, args ...string) {
	t.Helper()
	var sent struct{ Sent, Accepted int }
	require.NoError(t, json.Unmarshal(s.runOf(t, "bench", append([]string{"load", "--json"}, args...)...), &sent))
	require.Positive(t, sent.Accepted)
	require.Equal(t, sent.Sent, sent.Accepted)
}

// findings of an audit.
type findings struct {
	Updates struct{ Accepted, Applied, Duplicate, Rejected, Pending, Lost int }
	Doubled int
}

func (f *findings) String() string {
	u := f.Updates
	return fmt.Sprintf("accepted %d = applied %d + duplicate %d + rejected %d, pending %d, lost %d, doubled %d",
		u.Accepted, u.Applied,
		u.Duplicate, u.Rejected, u.Pending, u.Lost, f.Doubled)
}

// audit waits until all that was accepted is final, and has the audit find that nothing is lost or doubled, and no
// score differs.
func (s *stack) audit(t *testing.T) *findings {
	t.Helper()
	var f findings
	require.NoError(t, json.Unmarshal(s.run(t, "audit", "--wait", patience.String(), "--json"), &f))
	require.Equal(t, f.Updates.Accepted, f.Updates.Applied, "%s", &f)
	return &f
}

// lines calls f with each line of the services' logs.
func (s *stack) lines(t *testing.T, f func(log, line string)) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(s.dir, "logs", "*.log"))
	require.NoError(t, err)
	require.NotEmpty(t, logs)
	for _, path := range logs {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(string(raw)) {
			f(filepath.Base(path), strings.TrimSpace(line))
		}
	}
}

// doubts are what a service warns of where it takes endpoints at their word, or does not believe one.
var doubts = regexp.MustCompile(`cannot be checked|not verified|contradict|differ|do not hash|none proves|` +
	`not believed|at their word|at its word`)

// unverified are the lines that warn of what is not verified.
func (s *stack) unverified(t *testing.T) (lines []string) {
	t.Helper()
	s.lines(t, func(log, line string) {
		if !strings.Contains(line, `"level":"INFO"`) && doubts.MatchString(line) {
			lines = append(lines, log+": "+line)
		}
	})
	return lines
}

// contradictions counts the answers that the services have found false so far.
func (s *stack) contradictions(t *testing.T) (n int) {
	t.Helper()
	const name = "scorelay_chain_contradictions_total"
	series := 0
	for _, url := range s.info.AdminURLs {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if rest, is := strings.CutPrefix(lines.Text(), name+"{"); is {
				value, err := strconv.ParseFloat(rest[strings.LastIndexByte(rest, ' ')+1:], 64)
				require.NoError(t, err)
				n, series = n+int(value), series+1
			}
		}
		require.NoError(t, answer.Body.Close())
		cancel()
	}
	require.Equal(t, len(s.info.AdminURLs), series, "each service has one endpoint, and says how it does")
	return n
}

// oracle asks the chain's fee oracle what 100 bytes that are zero cost on L1, wei.
func (c *Chain) oracle(t *testing.T) *big.Int {
	t.Helper()
	data := append(crypto.Keccak256([]byte("getL1Fee(bytes)"))[:4], common.BigToHash(big.NewInt(32)).Bytes()...)
	data = append(append(data, common.BigToHash(big.NewInt(100)).Bytes()...), make([]byte, 128)...)
	var fee hexutil.Bytes
	require.NoError(t, c.Client.CallContext(t.Context(), &fee, "eth_call",
		map[string]any{"to": "0x420000000000000000000000000000000000000F", "data": hexutil.Bytes(data)}, "latest"))
	require.Len(t, fee, 32)
	return new(big.Int).SetBytes(fee)
}

// fees are what the chain's transactions paid so far, wei.
type fees struct {
	blocks, deposits, transactions int
	gas, l1                        *big.Int
}

// fees reads every receipt of the chain, past the gate.
func (c *Chain) fees(t *testing.T) fees {
	t.Helper()
	var head hexutil.Uint64
	require.NoError(t, c.Client.CallContext(t.Context(), &head, "eth_blockNumber"))
	paid := fees{gas: new(big.Int), l1: new(big.Int)}
	for number := hexutil.Uint64(1); number <= head; number++ {
		var receipts []struct {
			Type    hexutil.Uint64 `json:"type"`
			Status  hexutil.Uint64 `json:"status"`
			GasUsed hexutil.Uint64 `json:"gasUsed"`
			Price   *hexutil.Big   `json:"effectiveGasPrice"`
			L1Fee   *hexutil.Big   `json:"l1Fee"`
		}
		require.NoError(t, c.Client.CallContext(t.Context(), &receipts, "eth_getBlockReceipts", number))
		require.NotEmpty(t, receipts)
		require.EqualValues(t, types.DepositTxType, receipts[0].Type, "block %d begins with L1's attributes", number)
		require.EqualValues(t, types.ReceiptStatusSuccessful, receipts[0].Status)
		paid.blocks++
		for _, receipt := range receipts {
			if receipt.Type == types.DepositTxType {
				paid.deposits++
				continue
			}
			paid.transactions++
			gas := new(big.Int).SetUint64(uint64(receipt.GasUsed))
			paid.gas.Add(paid.gas, gas.Mul(gas, receipt.Price.ToInt()))
			paid.l1.Add(paid.l1, receipt.L1Fee.ToInt())
		}
	}
	return paid
}
