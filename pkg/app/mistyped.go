package app

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const (
	variablePrefix = "SCORELAY_"
	likelyTypo     = 2 // letters added, omitted, changed or swapped with their neighbour
)

// injected matches variables that Kubernetes and Docker links set for a service with our name as its prefix.
var injected = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)

// MistypedVariables returns a sentence for each variable in environ (NAME=value) that no program of ours reads, but
// that resembles a setting of this parser. Other unknown names are allowed. The sentences omit values.
func MistypedVariables(parser *kong.Kong, environ []string) (sentences []string) {
	mine, secret := variables(parser)
	ours := slices.Clone(mine)
	for _, settings := range []any{&APISettings{}, &RelayerSettings{}} { // all programs may share an environment
		if other, err := kong.New(settings); err == nil {
			all, secrets := variables(other)
			ours, secret = append(ours, all...), append(secret, secrets...)
		}
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		file := strings.TrimSuffix(name, "_FILE")
		switch {
		case !strings.HasPrefix(name, variablePrefix), slices.Contains(ours, name), slices.Contains(secret, file):
		case file != name && slices.Contains(mine, file):
			sentences = append(sentences, fmt.Sprintf("%s is ignored: %s is no secret, so it is not read from a file; set %s", name, file, file))
		case file != name && slices.Contains(ours, file), injected.MatchString(name):
		default:
			if meant := closest(name, mine); meant != "" {
				sentences = append(sentences, fmt.Sprintf("%s is ignored: no setting has this name; did you mean %s?", name, meant))
			}
		}
	}
	slices.Sort(sentences)
	return sentences
}

func variables(parser *kong.Kong) (all, secret []string) {
	_ = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			all = append(all, flag.Tag.Envs...)
			if isSecret(flag) {
				secret = append(secret, flag.Tag.Envs...)
			}
		}
		return next(nil)
	})
	return all, secret
}

// closest returns the most similar name, the alphabetically first of several; "" if all differ by more than
// likelyTypo.
func closest(name string, names []string) (best string) {
	least := likelyTypo + 1
	for _, candidate := range slices.Sorted(slices.Values(names)) {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance counts changes as likelyTypo does.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			changed := 1
			if a[i-1] == b[j-1] {
				changed = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
