package pkg_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocumentsLeadSomewhere: every link of a document to a file or a heading of ours finds it.
func TestDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	var documents []string
	for _, pattern := range []string{"../*.md", "../docs/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		documents = append(documents, found...)
	}
	require.Greater(t, len(documents), 5)
	for _, document := range documents {
		for _, match := range link.FindAllStringSubmatch(read(t, document), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := document
			if target != "" {
				file = filepath.Join(filepath.Dir(document), target)
				_, err := os.Stat(file)
				require.NoError(t, err, "%s links to %s", document, match[1])
			}
			if anchor != "" {
				require.Contains(t, anchors(read(t, file)), anchor, "%s links to %s", document, match[1])
			}
		}
	}
}

// commands are those of the README that are no example of docs/examples, and where each is run: by the gate, or by the
// trial of the compose file.
var commands = map[string]struct{ file, text string }{
	"git clone https://github.com/scorelay/scorelay && cd scorelay": {"../.ci/run", " clone https://github.com/scorelay/scorelay && cd scorelay "},
	"go run ./cmd/scorelay dev":                                     {"../.ci/run", "\n  go run ./cmd/scorelay dev "},
	"go test ./...":                                                 {"../.ci/run", "\n  go test ./...\n"},
	"cd docs/examples && npm ci":                                    {"../.ci/run", "\n  (cd docs/examples && npm ci "},
	"docker compose up --wait":                                      {"../deploy/try.sh", "compose up --wait"},
	"key=$(docker compose run --rm -T scorelay keys create demo)":   {"../deploy/try.sh", "key=$(tool keys create "},
	"SCORELAY_API_KEY=$key node docs/examples/web3.mjs":             {"../deploy/try.sh", "\n  SCORELAY_API_KEY=$key inside node docs/examples/web3.mjs\n"},
}

// TestREADME: it is short, and what it tells people to run is run by tests: its examples are files of docs/examples, which
// test.mjs there runs, and each of its commands is in the gate or in the trial of the compose file.
func TestREADME(t *testing.T) {
	t.Parallel()
	text := read(t, "../README.md")
	require.LessOrEqual(t, len(strings.Fields(text)), 900, "words")
	examples := read(t, "../docs/examples/test.mjs")
	blocks := regexp.MustCompile("(?ms)^```(sh|js)\n(.*?)^```$").FindAllStringSubmatch(text, -1)
	require.Len(t, blocks, strings.Count(text, "\n```sh\n")+strings.Count(text, "\n```js\n"))
	for _, block := range blocks {
		if name := regexp.MustCompile(`^(?:#|//) docs/examples/([a-z0-9.-]+): `).FindStringSubmatch(block[2]); name != nil {
			require.Equal(t, read(t, "../docs/examples/"+name[1]), block[2], "the README shows another %s", name[1])
			require.Contains(t, examples, "'"+name[1]+"'", "the tests of docs/examples do not run %s", name[1])
			continue
		}
		for _, line := range strings.Split(strings.TrimSpace(block[2]), "\n") {
			run, ok := commands[line]
			require.True(t, ok, "no test runs this command of the README: %s", line)
			require.Contains(t, read(t, run.file), run.text, line)
		}
	}
	_, sdk, found := strings.Cut(text, "\n```go\n")
	require.True(t, found)
	sdk, _, _ = strings.Cut(sdk, "```")
	require.Contains(t, strings.ReplaceAll(read(t, "../pkg/sdk/example_test.go"), "\n\t", "\n"), sdk, "it is a part of the SDK's example, which go test runs")
	for name := range strings.SplitSeq("sdk.mjs fetch.mjs update.sh create-project.sh web3.mjs ethers.mjs viem.mjs clients.mjs", " ") {
		require.Contains(t, text, name)
		require.Contains(t, examples, "'"+name+"'")
	}
}

// TestDocumentsTellMeasuredGas: the figures in prose are those of the committed measurement.
func TestDocumentsTellMeasuredGas(t *testing.T) {
	t.Parallel()
	var measured map[string]any
	require.NoError(t, json.Unmarshal([]byte(read(t, "../cmd/bench/gas/testdata/gas.json")), &measured))
	for _, row := range []string{"existing_consecutive_100", "existing_random_100"} {
		gas := int(measured[row].(float64))
		figure := fmt.Sprintf("%d,%03d", gas/1000, gas%1000)
		require.Contains(t, read(t, "../README.md"), figure, row)
	}
}

// TestOperationsNamesWhatIsThere: metrics and log lines that the runbook explains exist, letter for letter, and it
// explains every line of level error.
func TestOperationsNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			code.WriteString(read(t, path))
		}
		return err
	}))
	runbook := read(t, "../docs/operations.md")
	for _, metric := range regexp.MustCompile(`scorelay_[a-z]+_[a-z_]+`).FindAllString(runbook, -1) {
		short := strings.TrimPrefix(metric, "scorelay_relay_")
		require.True(t, strings.Contains(code.String(), `"`+short+`"`), metric)
	}
	_, table, found := strings.Cut(runbook, "\n| line | program | do |\n|---|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	var told []string
	for _, row := range strings.Split(table, "\n") {
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		for _, line := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			message := strings.TrimRight(strings.TrimSuffix(line[1], "…"), " ;:,")
			require.True(t, strings.Contains(code.String(), `"`+message), "a log line of the runbook that no program says: %s", message)
			told = append(told, message)
		}
	}
	for _, line := range regexp.MustCompile(`\.Error\("([^"]+)"`).FindAllStringSubmatch(code.String(), -1) {
		require.True(t, slices.ContainsFunc(told, func(message string) bool { return strings.HasPrefix(line[1], message) }),
			"the runbook does not tell what to do about the error %q", line[1])
	}
}

// TestEachPageOfTheRunbookHasADrill, which is a test, and go test ./... or .ci/deep runs it. A test that needs SCORELAY_LONG_TESTS is
// marked "long".
func TestEachPageOfTheRunbookHasADrill(t *testing.T) {
	t.Parallel()
	runbook, deep := read(t, "../docs/operations.md"), read(t, "../.ci/deep")
	_, table, found := strings.Cut(runbook, "\n| page | what happens | `go test` |\n|---|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	drilled := map[string]bool{}
	for row := range strings.SplitSeq(table, "\n") {
		parts := regexp.MustCompile("^\\| \\[.*\\]\\(#([^)]+)\\) \\|.*\\| `\\./([a-z/]+) -run (Test\\w+)\\$?( -timeout \\d+m -args (-[\\w.]+)(?:=\\w+)?)?`( \\(long\\))? \\|$").FindStringSubmatch(row)
		require.NotNil(t, parts, row)
		drilled[parts[1]] = true
		files, err := filepath.Glob("../" + parts[2] + "/*_test.go")
		require.NoError(t, err)
		test := ""
		for _, file := range files {
			if _, body, found := strings.Cut(read(t, file), "\nfunc "+parts[3]); found {
				test, _, _ = strings.Cut(body, "\n}\n")
			}
		}
		require.NotEmpty(t, test, "there is no such test: %s", row)
		require.Equal(t, strings.Contains(test, "\tlong.Test(t)\n"), parts[6] != "", "long: %s", row)
		if parts[5] != "" { // else `go test ./...` runs it
			require.Regexp(t, `(?m)^  go test .*\./`+parts[2]+` .*-args `+parts[5]+`\b`, deep, row)
		}
	}
	for _, chapter := range []string{"Lanes come and go", "Three in the morning", "Backups"} {
		_, pages, found := strings.Cut(runbook, "\n## "+chapter+"\n")
		require.True(t, found)
		pages, _, _ = strings.Cut(pages, "\n## ")
		for _, page := range anchors(pages) {
			require.True(t, drilled[page] || strings.HasPrefix(page, "drill"), "no drill is named for %s", page)
		}
	}
	for _, page := range []string{"pausing", "upgrades"} {
		require.True(t, drilled[page], page)
	}
}

// TestReorgsNameWhatIsThere: each row of docs/reorgs.md names functions that are declared, and tests that there are.
func TestReorgsNameWhatIsThere(t *testing.T) {
	t.Parallel()
	declared := map[string]bool{}
	declaration := regexp.MustCompile(`(?m)^func (?:\(\w* ?\*?(\w+)[^)]*\) )?(\w+)`)
	for _, root := range []string{".", "../cmd"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".go") {
				for _, found := range declaration.FindAllStringSubmatch(read(t, path), -1) {
					declared[strings.TrimPrefix(found[1]+"."+found[2], ".")] = true
				}
			}
			return err
		}))
	}
	_, table, found := strings.Cut(read(t, "../docs/reorgs.md"), "\n|---|---|---|---|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(row, " | ")
		require.Len(t, cells, 6, row)
		for _, cell := range cells[4:] {
			named := regexp.MustCompile("`([\\w.]+)`").FindAllStringSubmatch(cell, -1)
			require.NotEmpty(t, named, row)
			for _, name := range named {
				assert.True(t, declared[name[1]], "docs/reorgs.md names %s, which is not there", name[1])
			}
		}
	}
}

// TestThreatsAreChecked: the tests that the threat model points to are there.
func TestThreatsAreChecked(t *testing.T) {
	t.Parallel()
	var tests strings.Builder
	for _, root := range []string{".", "../cmd", "../contracts/test"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && (strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".sol")) {
				tests.WriteString(read(t, path))
			}
			return err
		}))
	}
	named := regexp.MustCompile("`((?:Test|test|invariant)\\w+)`").FindAllStringSubmatch(read(t, "../docs/threats.md"), -1)
	require.Greater(t, len(named), 30)
	for _, name := range named {
		require.True(t, strings.Contains(tests.String(), "func "+name[1]+"(") || strings.Contains(tests.String(), "function "+name[1]+"("),
			"docs/threats.md points to %s, which is no test", name[1])
	}
}

// TestLifeOfAnUpdateNamesFunctionsThatAreThere: each `Type.method` and `package.Name` of the walk through the code is declared.
func TestLifeOfAnUpdateNamesFunctionsThatAreThere(t *testing.T) {
	t.Parallel()
	declared := map[string]bool{}
	declaration := regexp.MustCompile(`(?m)^(?:func (?:\(\w* ?\*?(\w+)[^)]*\) )?|type )(\w+)`)
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			for _, found := range declaration.FindAllStringSubmatch(read(t, path), -1) {
				declared[found[1]+"."+found[2]] = true
				declared[filepath.Base(filepath.Dir(path))+"."+found[2]] = true
			}
		}
		return err
	}))
	named := regexp.MustCompile("`([A-Za-z]+\\.[A-Za-z]+)`").FindAllStringSubmatch(read(t, "../docs/life-of-an-update.md"), -1)
	require.Greater(t, len(named), 20)
	for _, name := range named {
		if !strings.HasSuffix(name[1], ".go") {
			require.True(t, declared[name[1]], "docs/life-of-an-update.md names %s, which is not there", name[1])
		}
	}
	text := read(t, "../docs/life-of-an-update.md")
	placed := regexp.MustCompile("`[A-Za-z]+\\.([A-Za-z]+)`,?\\s\\(?\\[[a-z]+\\.go\\]\\(\\.\\./([^)]+\\.go)\\)").FindAllStringSubmatch(text, -1)
	require.Greater(t, len(placed), 20)
	for _, name := range placed {
		require.True(t, regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type )`+name[1]+`\b`).MatchString(read(t, filepath.Join("..", name[2]))), "docs/life-of-an-update.md says that %s is in %s", name[1], name[2])
	}
}

// TestContributingSaysWhatBelongsInEachPackage: its table names every directory of packages and programs, and none that is not there.
func TestContributingSaysWhatBelongsInEachPackage(t *testing.T) {
	t.Parallel()
	_, table, found := strings.Cut(read(t, "../CONTRIBUTING.md"), "\n| package | what belongs there |\n|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	named := map[string]bool{}
	for _, name := range regexp.MustCompile("`((?:pkg|cmd)/[a-z/]+)`").FindAllStringSubmatch(table, -1) {
		named[name[1]] = true
		require.DirExists(t, filepath.Join("..", name[1]))
	}
	for _, root := range []string{"pkg", "cmd"} {
		entries, err := os.ReadDir(filepath.Join("..", root))
		require.NoError(t, err)
		for _, entry := range entries {
			of := root + "/" + entry.Name()
			inside := slices.ContainsFunc(slices.Collect(maps.Keys(named)), func(name string) bool { return strings.HasPrefix(name, of+"/") })
			if entry.IsDir() && !inside {
				require.True(t, named[of], "CONTRIBUTING.md does not say what belongs in %s", of)
			}
		}
	}
}

// anchors are the names that GitHub gives a document's headings.
func anchors(text string) []string {
	var out []string
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		slug := notSlug.ReplaceAllString(strings.ToLower(match[1]), "")
		out = append(out, strings.ReplaceAll(slug, " ", "-"))
	}
	return out
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
