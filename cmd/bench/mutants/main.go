// Mutants plants one-line bugs in Scorelay, one at a time, and reports which tests find each.
//
//	go run ./mutants [-only N]
//
// A bug is planted by an overlay of the Go command, so the working tree stays as it is. First the tests of its
// packages run, then the relayer's simulation. The run fails if a bug survives all.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	root := flag.String("root", "../..", "folder of Scorelay")
	only := flag.Int("only", 0, "number of the one bug to plant; 0: all")
	flag.Parse()
	survive := 0
	for i := range bugs {
		if *only != 0 && *only != i+1 {
			continue
		}
		began := time.Now()
		found, err := plant(*root, &bugs[i])
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutants:", err)
			os.Exit(1)
		}
		if found == "" {
			survive++
			found = "SURVIVES"
		}
		fmt.Printf("%2d  %-80s %-50s %4.0f s\n", i+1, bugs[i].name, found, time.Since(began).Seconds())
	}
	if survive > 0 {
		fmt.Fprintf(os.Stderr, "mutants: %d survive\n", survive)
		os.Exit(1)
	}
}

// mutate returns the file's path and its text with the bug.
func (b *bug) mutate(root string) (path string, text []byte, err error) {
	if path, err = filepath.Abs(filepath.Join(root, b.file)); err != nil {
		return "", nil, err
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	if n := bytes.Count(whole, []byte(b.from)); n != 1 {
		return "", nil, fmt.Errorf("%q is in %s %d times, not once: plant the bug %q at its new place", b.from, b.file, n, b.name)
	}
	return path, bytes.Replace(whole, []byte(b.from), []byte(b.to), 1), nil
}

// plant returns the test that finds the bug; empty if it survives.
func plant(root string, b *bug) (found string, err error) {
	path, text, err := b.mutate(root)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	mutant, overlay := filepath.Join(dir, filepath.Base(path)), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutant}})
	if err != nil {
		return "", err
	}
	for name, data := range map[string][]byte{mutant: text, overlay: replace} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return "", err
		}
	}
	own := filepath.Dir(b.file)
	if filepath.Base(own) == "lua" { // scripts of the package above
		own = filepath.Dir(own)
	}
	tests := append([]string{"./" + own}, b.packages...)
	if b.race {
		return test(root, overlay, append([]string{"-race", "-short"}, tests...)...)
	}
	if found, err = test(root, overlay, tests...); found != "" || err != nil {
		return found, err
	}
	return test(root, overlay, "-run", "^TestSimulation", "./pkg/relay")
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)|^(panic: .*|WARNING: DATA RACE)$`)

// test returns the first failing test; empty if all pass.
func test(root, overlay string, args ...string) (found string, err error) {
	command := exec.Command("go", append([]string{"test", "-count=1", "-failfast", "-timeout=5m", "-overlay=" + overlay}, args...)...)
	command.Dir = root
	out, err := command.CombinedOutput()
	if err == nil {
		return "", nil
	}
	m := failure.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("%w:\n%s", err, out)
	}
	return string(append(m[1], m[2]...)), nil
}
