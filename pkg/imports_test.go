// Package pkg_test keeps the house's floor plan: who may import whom, and which technology lives where.
package pkg_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/scorelay/scorelay/"

// allowed lists every package and what of ours it may import, in the order data flows. A package that is not here
// fails the test: adding one is a decision, visible in review.
var allowed = map[string][]string{
	// domain, no I/O
	"pkg/score":  {},
	"pkg/wallet": {"pkg/score"},
	// pure mechanism
	"pkg/batch":                      {"pkg/score"},
	"pkg/evidence":                   {},
	"pkg/txpool":                     {},
	"pkg/registry":                   {"pkg/score", "pkg/batch", "pkg/registry/internal/bindings"},
	"pkg/registry/internal/bindgen":  {},                                              // writes the bindings
	"pkg/registry/internal/bindings": {},                                              // generated
	"pkg/registry/rig/calls":         {"pkg/score", "pkg/registry/internal/bindings"}, // for tests
	"pkg/lane":                       {"pkg/score", "pkg/registry", "pkg/evidence", "pkg/txpool"},
	"pkg/roster":                     {"pkg/score"},
	"pkg/retry":                      {},
	"pkg/event":                      {"pkg/score", "pkg/evidence", "pkg/registry", "pkg/retry", "pkg/ledger"},
	// engines: they declare the interfaces they need, adapters satisfy them
	"pkg/httpapi":                  {"pkg/score", "pkg/wallet", "pkg/batch", "docs", "pkg/retry", "pkg/page", "pkg/event", "pkg/httpapi/internal/framing"}, // docs: the pages it serves
	"pkg/httpapi/internal/framing": {},
	"pkg/page":                     {"pkg/score", "pkg/wallet"},
	"pkg/heads":                    {"pkg/evidence"},
	"pkg/relay":                    {"pkg/score", "pkg/batch", "pkg/evidence", "pkg/txpool", "pkg/lane", "pkg/roster", "pkg/registry", "pkg/heads", "pkg/retry"},
	"pkg/topup":                    {"pkg/store/kv", "pkg/score", "pkg/evidence", "pkg/txpool", "pkg/lane", "pkg/roster", "pkg/heads", "pkg/retry"},
	"pkg/index":                    {"pkg/ledger", "pkg/score", "pkg/batch", "pkg/evidence", "pkg/lane", "pkg/roster", "pkg/registry", "pkg/retry"},
	// adapters: one outside system each; documents go through pkg/store/kv
	"pkg/stream":    {"pkg/score", "pkg/lane", "pkg/retry"},
	"pkg/store/kv":  {"pkg/score", "pkg/lane", "pkg/roster", "pkg/retry"},
	"pkg/apikey":    {"pkg/score", "pkg/store/kv"},
	"pkg/webhook":   {"pkg/score", "pkg/event", "pkg/store/kv", "pkg/retry"},
	"pkg/halt":      {"pkg/score", "pkg/store/kv", "pkg/retry"},
	"pkg/status":    {"pkg/score", "pkg/redisdb"},
	"pkg/limit":     {"pkg/score", "pkg/redisdb"},
	"pkg/standings": {"pkg/score", "pkg/redisdb"},
	"pkg/chain":     {"pkg/score", "pkg/evidence", "pkg/txpool", "pkg/registry", "pkg/retry"},
	"pkg/signer":    {"pkg/retry"},
	// facts: what became final, once; and what is folded of it
	"pkg/ledger":     {"pkg/score", "pkg/evidence", "pkg/registry", "pkg/retry", "pkg/stream"},
	"pkg/ledger/rig": {"pkg/score", "pkg/evidence", "pkg/devnet/rig/model"}, // a chain, for tests
	// for callers
	"pkg/sdk": {"pkg/score", "pkg/wallet", "pkg/batch", "pkg/retry"},
	// plumbing
	"pkg/redisdb":   {},
	"pkg/lifecycle": {},
	"pkg/admin":     {},
	"pkg/backup":    {},
	// what stands on several adapters, for the tool and /ops
	"pkg/overview":   {"pkg/score", "pkg/evidence", "pkg/registry", "pkg/ledger", "pkg/lane", "pkg/roster", "pkg/topup", "pkg/stream", "pkg/store/kv", "pkg/halt", "pkg/redisdb", "pkg/chain"},
	"pkg/deadletter": {"pkg/score", "pkg/stream", "pkg/store/kv", "pkg/halt"},
	"pkg/ops":        {"pkg/score", "pkg/page", "pkg/overview", "pkg/deadletter", "pkg/apikey", "pkg/store/kv", "pkg/roster", "pkg/stream"},
	// wiring and programs
	"pkg/app":    nil, // everything but devnet, below
	"pkg/devnet": {"pkg/score", "pkg/wallet"},

	"pkg/devnet/rig/fresh":        {"pkg/devnet"},                                                                                                               // servers of one test each: clusters, anvil, links that are cut
	"pkg/devnet/rig/evm":          {},                                                                                                                           // for figures of gas
	"pkg/devnet/rig/rpcproxy":     {},                                                                                                                           // in front of a node, for tests and benchmarks
	"pkg/devnet/rig/remotesigner": {},                                                                                                                           // for tests
	"pkg/devnet/rig/model":        {"pkg/score", "pkg/wallet", "pkg/batch", "pkg/evidence", "pkg/txpool", "pkg/lane", "pkg/registry", "pkg/registry/rig/calls"}, // of chain, nodes and journal, for tests
	"pkg/devnet/rig/load":         {"pkg/score", "pkg/wallet", "pkg/sdk"},                                                                                       // backends, for tests and benchmarks
	"pkg/devnet/rig/stack":        {"pkg/score", "pkg/apikey", "pkg/app", "pkg/devnet", "pkg/retry", "pkg/sdk", "pkg/signer"},                                   // a deployment of processes, for tests and benchmarks
	"pkg/devnet/rig/stack/stack":  {"pkg/devnet/rig/stack"},                                                                                                     // its program
	"pkg/devnet/rig/lent":         {"pkg/devnet"},                                                                                                               // servers for tests
	"pkg/devnet/rig/long":         {},                                                                                                                           // which tests run
	"pkg/devnet/rig/testrand":     {"pkg/devnet/rig/long"},                                                                                                      // seeds of tests
	"pkg/devnet/rig/fault":        {"pkg/devnet/rig/long"},                                                                                                      // writes that fail
}

// homes says which packages may import a technology; a prefix of an import path stands for all below it. Wiring opens
// the connections, devnet runs the servers.
var homes = map[string][]string{
	"github.com/gofiber/":                                     {"pkg/httpapi"},
	"github.com/valyala/fasthttp":                             {"pkg/httpapi"},
	"github.com/nats-io/nats.go":                              {"pkg/stream", "pkg/store/kv", "pkg/topup", "pkg/apikey", "pkg/webhook", "pkg/halt", "pkg/backup", "pkg/app", "pkg/devnet/rig/fresh", "pkg/devnet/rig/fault", "pkg/devnet/rig/lent", "pkg/devnet/rig/stack", "cmd/scorelay", "cmd/scorelay/internal/dev", "cmd/scorelay/internal/status", "pkg/overview", "pkg/deadletter"},
	"github.com/nats-io/jsm.go":                               {"pkg/backup"},
	"github.com/nats-io/nats-server/":                         {"pkg/devnet"},
	"github.com/redis/go-redis/":                              {"pkg/redisdb", "pkg/status", "pkg/limit", "pkg/standings", "pkg/app", "pkg/devnet", "pkg/devnet/rig/fresh"},
	"github.com/alicebob/miniredis/":                          {"pkg/devnet"},
	"github.com/ethereum/go-ethereum/rpc":                     {"pkg/chain", "pkg/signer", "pkg/devnet", "pkg/devnet/rig/fresh", "pkg/devnet/rig/remotesigner"},
	"github.com/ethereum/go-ethereum/ethclient":               {"pkg/chain", "pkg/devnet"},
	"github.com/ethereum/go-ethereum/core/vm":                 {"pkg/devnet/rig/evm"}, // the EVM, for figures; servers ask their node
	"github.com/ethereum/go-ethereum/core/state":              {"pkg/devnet/rig/evm"},
	"github.com/ethereum/go-ethereum/accounts/keystore":       {"pkg/signer"},
	"github.com/ethereum/go-ethereum/accounts/abi":            {"pkg/registry", "pkg/registry/internal/bindgen", "pkg/registry/internal/bindings"},
	"go.opentelemetry.io/otel":                                {"pkg/httpapi", "pkg/relay", "pkg/app"},
	"go.opentelemetry.io/otel/sdk":                            {"pkg/app"},
	"go.opentelemetry.io/otel/exporters":                      {"pkg/app"},
	"github.com/alecthomas/kong":                              {"pkg/app", "cmd/api", "cmd/relayer", "cmd/scorelay", "cmd/scorelay/internal/dev"},
	"github.com/goccy/go-yaml":                                {"pkg/app"},
	"github.com/aws/":                                         {"pkg/signer"},
	"code.dny.dev/ssrf":                                       {"pkg/webhook"},
	"github.com/stretchr/testify":                             {},
	"pgregory.net/rapid":                                      {"pkg/devnet/rig/testrand"}, // its seed
	"go.uber.org/goleak":                                      {},
	"testing":                                                 {"pkg/devnet/rig/fresh", "pkg/devnet/rig/long", "pkg/devnet/rig/lent", "pkg/devnet/rig/testrand", "pkg/devnet/rig/fault"},
	"log":                                                     {},
	"github.com/prometheus/client_golang/prometheus/promhttp": {"pkg/admin"},
}

func TestImports(t *testing.T) {
	t.Parallel()
	for file, imports := range sources(t) {
		dir := path.Dir(file)
		for _, imported := range imports {
			if ours, ok := strings.CutPrefix(imported, module); ok {
				require.Truef(t, mayImport(dir, ours), "%s must not import %s", file, ours)
				continue
			}
			if tech, ok := technology(imported); ok {
				require.Containsf(t, homes[tech], dir, "%s must not import %s: see the table of homes", file, imported)
			}
		}
	}
}

// TestBuckets: documents are read and written by package kv alone, which knows what a copy that is behind may answer.
func TestBuckets(t *testing.T) {
	t.Parallel()
	names := regexp.MustCompile(`jetstream\.KeyValue\b|\.KeyValue\(`)
	for file := range sources(t) {
		dir := path.Dir(file)
		if dir == "pkg/store/kv" || dir == "pkg/stream" || strings.Contains(dir+"/", "/rig/") { // package stream makes the buckets
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		require.NoError(t, err)
		require.False(t, names.Match(text), "%s opens a bucket: use package kv", file)
	}
}

// TestSeeds: what tests draw follows from testrand's seed alone, so that the gate tries the same in each run.
func TestSeeds(t *testing.T) {
	t.Parallel()
	rapid, seeded := map[string]bool{}, map[string]bool{} // folders
	files := token.NewFileSet()
	for _, root := range []string{".", "../cmd", "../deploy"} {
		require.NoError(t, filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(p, "_test.go") {
				return err
			}
			parsed, err := parser.ParseFile(files, p, nil, 0)
			require.NoError(t, err)
			for _, spec := range parsed.Imports {
				switch imported, _ := strconv.Unquote(spec.Path.Value); imported {
				case "pgregory.net/rapid":
					rapid[filepath.Dir(p)] = true
				case module + "pkg/devnet/rig/testrand":
					seeded[filepath.Dir(p)] = true
				case "math/rand":
					t.Errorf("%s: tests use math/rand/v2", p)
				case "math/rand/v2":
					require.Nil(t, spec.Name, "%s: math/rand/v2 has no other name in tests", p)
				}
			}
			for _, use := range unseeded(parsed) {
				t.Errorf("%s: %s differs in each run: use testrand", files.Position(use.Pos()), use.Sel.Name)
			}
			return nil
		}))
	}
	require.Greater(t, len(rapid), 10)
	for folder := range rapid {
		require.True(t, seeded[folder], "%s uses rapid: a test there must import testrand, which gives rapid its seed", folder)
	}
}

// unseeded lists the uses of math/rand/v2 without a seed, and of the clock as one.
func unseeded(file *ast.File) (uses []*ast.SelectorExpr) {
	ast.Inspect(file, func(n ast.Node) bool {
		use, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, ok := use.X.(*ast.Ident)
		global := ok && from.Name == "rand" && slices.Contains([]string{
			"ExpFloat64", "Float32", "Float64", "Int", "Int32", "Int32N", "Int64", "Int64N", "IntN", "N", "NormFloat64", "Perm",
			"Shuffle", "Uint", "Uint32", "Uint32N", "Uint64", "Uint64N", "UintN",
		}, use.Sel.Name)
		if global || slices.Contains([]string{"UnixNano", "UnixMicro"}, use.Sel.Name) {
			uses = append(uses, use)
		}
		return true
	})
	return uses
}

func mayImport(dir, imported string) bool {
	switch {
	case strings.HasPrefix(imported, "cmd/"):
		return strings.Contains(imported, "/internal/") // a program's own parts; the compiler keeps others out
	case strings.Contains(imported+"/", "/rig/"):
		return strings.Contains(dir+"/", "/rig/") && slices.Contains(allowed[dir], imported) // else for tests only
	case imported == "pkg/devnet": // no embedded server is linked into api or relayer
		return strings.HasPrefix(dir, "cmd/scorelay") || slices.Contains(allowed[dir], imported)
	case dir == "pkg/app" || strings.HasPrefix(dir, "cmd/"):
		return true
	}
	return slices.Contains(allowed[dir], imported)
}

// technology finds the longest listed prefix of an import. A name without a dot is a package of the standard library
// and stands for itself only.
func technology(imported string) (best string, ok bool) {
	for tech := range homes {
		below := strings.Contains(tech, ".") && strings.HasPrefix(imported, strings.TrimSuffix(tech, "/")+"/")
		if (imported == tech || below) && len(tech) > len(best) {
			best, ok = tech, true
		}
	}
	return best, ok
}

// sources lists the imports of every non-test Go file, and fails for a package that the table does not know. Modules of
// their own, such as the benchmark's, are not the product's.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, root := range []string{".", "../cmd"} {
		require.NoError(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && isModule(p) {
				return filepath.SkipDir
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
				return err
			}
			file := path.Join("pkg", filepath.ToSlash(p))
			if dir := path.Dir(file); strings.HasPrefix(dir, "pkg/") {
				require.Contains(t, allowed, dir, "a package that the table of imports does not know")
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, spec := range parsed.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				out[file] = append(out[file], imported)
			}
			return nil
		}))
	}
	return out
}

// isModule tells whether a directory is the root of a module.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
