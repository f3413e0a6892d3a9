// samecode reports which files of two commits differ in more than comments and white space:
//
//	go run ./.ci/samecode BEFORE [AFTER]
//
// AFTER is the working tree by default. It compares tokens: those of Go's scanner in Go files, with directives and expected outputs of examples,
// and text without comments in Lua, Solidity and TypeScript files. Other files are not compared. It exits 1 if a file differs, is new or is gone.
package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./.ci/samecode BEFORE [AFTER]")
		os.Exit(2)
	}
	compared, differ := 0, 0
	for _, file := range lines(git(append([]string{"diff", "--name-only", "--no-renames"}, os.Args[1:]...)...)) {
		code := codeOf(path.Ext(file))
		if code == nil {
			fmt.Println("not compared:", file)
			continue
		}
		compared++
		before, errBefore := show(os.Args[1], file)
		after, errAfter := os.ReadFile(file)
		if len(os.Args) == 3 {
			after, errAfter = show(os.Args[2], file)
		}
		switch {
		case errBefore != nil:
			fmt.Println("new:", file)
		case errAfter != nil:
			fmt.Println("gone:", file)
		case !slices.Equal(code(before), code(after)):
			fmt.Println("differs:", file)
		default:
			continue
		}
		differ++
	}
	fmt.Printf("%d files changed, %d identical without comments\n", compared, compared-differ)
	if differ > 0 {
		os.Exit(1)
	}
}

// codeOf returns the function that reads the code of files with an extension, nil if there is none.
func codeOf(ext string) func([]byte) []string {
	switch ext {
	case ".go":
		return goTokens
	case ".lua":
		return func(text []byte) []string { return bare(text, luaComments) }
	case ".sol", ".ts", ".mjs", ".js":
		return func(text []byte) []string { return bare(text, cComments) }
	}
	return nil
}

// Comments of Go that tools read.
var (
	directive = regexp.MustCompile(`^//(go:|nolint|export |line |\s*\+build)`)
	expected  = regexp.MustCompile(`(?i)^//\s*(unordered )?output:`)
)

func goTokens(text []byte) (tokens []string) {
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile("", files.Base(), len(text)), text, nil, scanner.ScanComments)
	output := false // an example's expected output goes to the end of its comment
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return tokens
		case tok == token.COMMENT:
			output = output || expected.MatchString(literal)
			if output || directive.MatchString(literal) {
				tokens = append(tokens, literal)
			}
		case tok == token.SEMICOLON && literal == "\n":
			tokens = append(tokens, ";")
		default:
			output = false
			tokens = append(tokens, tok.String()+literal)
		}
	}
}

var (
	quoted      = `"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
	cComments   = regexp.MustCompile(`(?s)(` + quoted + "|`(?:\\\\.|[^`\\\\])*`" + `)|//[^\n]*|/\*.*?\*/`)
	luaComments = regexp.MustCompile(`(?s)(` + quoted + `)|--[^\n]*`)
)

// bare is the words of a text without comments.
func bare(text []byte, comments *regexp.Regexp) []string {
	return strings.Fields(string(comments.ReplaceAll(text, []byte("$1 "))))
}

func show(commit, file string) ([]byte, error) {
	return exec.Command("git", "show", commit+":"+file).Output() //nolint:gosec // a developer's own arguments
}

func git(args ...string) []byte {
	out, err := exec.Command("git", args...).Output() //nolint:gosec // a developer's own arguments
	if err != nil {
		fmt.Fprintln(os.Stderr, "git", args, err)
		os.Exit(2)
	}
	return out
}

func lines(out []byte) []string { return strings.Fields(string(bytes.TrimSpace(out))) }
