package pkg_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

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

// TestDocumentsTellMeasuredGas: the figures in prose are those of the committed measurement.
func TestDocumentsTellMeasuredGas(t *testing.T) {
	t.Parallel()
	var measured map[string]any
	require.NoError(t, json.Unmarshal([]byte(read(t, "../cmd/scorelay/internal/gas/testdata/gas.json")), &measured))
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
