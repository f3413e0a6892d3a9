package pkg_test

import (
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateWords = flag.Bool("update-words", false, "write the limits of TestWords, which may only fall")

// wordLimits is the file of the limits that TestWords holds comments to.
const wordLimits = "words.json"

// slack is how far a rate may exceed its limit, so that a single comment fails nobody's test. An update never raises a limit.
const slack = 1.0

// wide counts lines of comments with more than 120 columns.
const wide = "over 120 columns"

// constructions are those that CONTRIBUTING.md advises against. Comments may use each of them less often over time.
var constructions = map[string]*regexp.Regexp{
	"tell, say":      regexp.MustCompile(`(?i)\b(tell|tells|telling|told|say|says|saying|said)\b`),
	"what as a noun": regexp.MustCompile(`(?i)\bwhat (is|are|was|were|has|have|had|it|they|a|an|the|that|waits?|came|comes|becomes?|became|happens?|happened|[a-z]+s)\b`),
	"who, whose":     regexp.MustCompile(`(?i)\b(who|whom|whose)\b`),
	"negatives":      regexp.MustCompile(`(?i)\b(no|not|none|nor|never|without|cannot|nothing|nobody|neither|can't|don't|doesn't|isn't|aren't|won't)\b`),
	"tells whether":  regexp.MustCompile(`(?i)\btells? whether\b`),
	"over 30 words":  regexp.MustCompile(`(?:[^\s.!?]+(?:[.!?][^\s.!?]+)*\s+){30,}[^\s.!?]+`),
}

// limits are the rates of all comments, for 10,000 words, and the counts of the files that are above them.
type limits struct {
	Rates map[string]float64        `json:"rates"`
	Files map[string]map[string]int `json:"files"`
}

// allows returns how often a construction may occur in a file of so many words.
func (l *limits) allows(file, construction string, words int) int {
	average := int(math.Ceil(l.Rates[construction]*float64(words)/10_000)) + 1
	return max(average, l.Files[file][construction])
}

// TestWords compares the constructions in the comments of Go files, without tests and generated files, with their limits: those of the whole
// tree, and in each file the average or the file's own count.
func TestWords(t *testing.T) {
	t.Parallel()
	var limit limits
	text, err := os.ReadFile(wordLimits)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &limit))

	words, total := 0, map[string]int{wide: 0}
	found, wordsOf := map[string]map[string]int{}, map[string]int{}
	for file, comments := range goComments(t) {
		wordsOf[file], found[file] = len(strings.Fields(comments.text)), map[string]int{wide: comments.wide}
		total[wide] += comments.wide
		words += wordsOf[file]
		for name, pattern := range constructions {
			found[file][name] = len(pattern.FindAllString(comments.text, -1))
			total[name] += found[file][name]
		}
	}
	rates := map[string]float64{}
	for name := range total {
		rates[name] = math.Ceil(float64(total[name])*100_000/float64(words)) / 10
		before, known := limit.Rates[name]
		if known && rates[name] > before+slack {
			t.Errorf("%q: %.1f in 10,000 words of comments; the limit is %.1f: see CONTRIBUTING.md, Words", name, rates[name], before)
		}
		if known {
			rates[name] = min(rates[name], before)
		}
	}
	if *updateWords && !t.Failed() {
		limit = limits{Rates: rates, Files: map[string]map[string]int{}}
		for file, counts := range found {
			maps.DeleteFunc(counts, func(name string, n int) bool { return n <= limit.allows(file, name, wordsOf[file]) })
			if len(counts) > 0 {
				limit.Files[file] = counts
			}
		}
		text, err := json.MarshalIndent(limit, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(wordLimits, append(text, '\n'), 0o600))
	}
	for file, counts := range found {
		for name, n := range counts {
			if most := limit.allows(file, name, wordsOf[file]); n > most {
				t.Errorf("%s: %d times %q in its comments, of at most %d: see CONTRIBUTING.md, Words", file, n, name, most)
			}
		}
	}
}

var (
	commentLine = regexp.MustCompile(`^\s*// ?(.*)$|^.*\S\s+// (.*)$`)
	generated   = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	inlineCode  = regexp.MustCompile("`[^`]*`")
)

// comments are those of a file: each on a line of text, with a period at its end and without code.
type comments struct {
	text string
	wide int
}

// goComments returns the comments of Go files by path.
func goComments(t *testing.T) map[string]comments {
	t.Helper()
	found := map[string]comments{}
	for _, top := range []string{"pkg", "cmd"} {
		require.NoError(t, filepath.WalkDir("../"+top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil || generated.Match(source) {
				return err
			}
			var of comments
			var texts, block []string
			for _, line := range append(strings.Split(string(source), "\n"), "") {
				match := commentLine.FindStringSubmatch(line)
				text := ""
				if match != nil {
					text = match[1] + match[2]
				}
				code := strings.Contains(line, "//nolint") || slices.ContainsFunc([]string{"go:", "\t", "    "}, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
				switch {
				case match != nil && !code:
					block = append(block, text)
					if columns := len([]rune(strings.ReplaceAll(line, "\t", "    "))); columns > 120 {
						of.wide++
					}
				case len(block) > 0:
					texts, block = append(texts, strings.Join(block, " ")+"."), nil
				}
			}
			of.text = inlineCode.ReplaceAllString(strings.Join(texts, "\n"), " X ")
			found[strings.TrimPrefix(path, "../")] = of
			return nil
		}))
	}
	return found
}
