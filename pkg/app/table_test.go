package app

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// SettingsTable writes the settings of a command line as a Markdown table, for the documentation: cli is a pointer to a struct
// with kong tags.
func SettingsTable(cli any) (string, error) {
	parser, err := kong.New(cli)
	if err != nil {
		return "", fmt.Errorf("couldn't read the settings: %w", err)
	}
	var b strings.Builder
	b.WriteString("| Variable | Flag | Default | Meaning |\n|---|---|---|---|\n")
	for _, flag := range parser.Model.Flags {
		if flag.Hidden || len(flag.Tag.Envs) == 0 {
			continue
		}
		variable := "`" + flag.Tag.Envs[0] + "`"
		if isSecret(flag) {
			variable += " (or `_FILE`)"
		}
		byDefault := ""
		if flag.Default != "" {
			byDefault = "`" + flag.Default + "`"
		}
		fmt.Fprintf(&b, "| %s | `--%s` | %s | %s |\n", variable, flag.Name, byDefault, strings.ReplaceAll(flag.Help, "|", "\\|"))
	}
	return b.String(), nil
}
