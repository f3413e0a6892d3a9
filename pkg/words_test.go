package pkg_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// glossary is the page that says which word means what; its last table lists words that others stand for.
const glossary = "../docs/glossary.md"

// TestWords holds code and pages to the glossary: none of the words that it replaces is in a name, a comment, a message or
// a page.
func TestWords(t *testing.T) {
	replaced := replacedWords(t)
	for path, text := range texts(t) {
		for n, line := range strings.Split(text, "\n") {
			plain := " " + plainWords(line) + " "
			for not, but := range replaced {
				if strings.Contains(plain, " "+not+" ") {
					t.Errorf("%s:%d: %q: the glossary has %s instead", path, n+1, not, but)
				}
			}
		}
	}
}

// replacedWords reads the glossary's table of words that are not used.
func replacedWords(t *testing.T) map[string]string {
	page, err := os.ReadFile(glossary)
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| not | but |\n")
	require.True(t, found, "%s has no table of words that are not used", glossary)
	words := map[string]string{}
	for _, line := range strings.Split(table, "\n")[1:] {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			break
		}
		for not := range strings.SplitSeq(cells[1], ",") {
			words[plainWords(not)] = strings.TrimSpace(cells[2])
		}
	}
	require.NotEmpty(t, words)
	return words
}

// texts are what people write and read here, by path. Generated files say nothing of their own.
func texts(t *testing.T) map[string]string {
	kinds := []string{".go", ".md", ".sol", ".mjs", ".ts", ".yaml", ".yml"}
	skip := []string{"node_modules", "bindings", "testdata", "out", "cache", "bin", ".git", ".scorelay"}
	own := []string{filepath.Clean(glossary), "../CHANGELOG.md", "words_test.go"}
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skip, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !slices.Contains(kinds, filepath.Ext(path)) || slices.Contains(own, path):
			return nil
		}
		text, err := os.ReadFile(path)
		found[strings.TrimPrefix(path, "../")] = string(text)
		return err
	}))
	return found
}

var (
	wordStart = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	noWord    = regexp.MustCompile(`[^a-z0-9]+`)
)

// plainWords is a text's words in lower case, one space between them; a name in camel case is several.
func plainWords(text string) string {
	text = strings.ToLower(wordStart.ReplaceAllString(text, "$1 $2"))
	return strings.TrimSpace(noWord.ReplaceAllString(text, " "))
}
