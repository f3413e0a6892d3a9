package dev

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// defaults sets settings, a pointer to a struct with kong tags, to the tags' defaults. It ignores the environment.
func defaults(settings any) error {
	parser, err := kong.New(settings)
	if err != nil {
		return fmt.Errorf("couldn't read the settings: %w", err)
	}
	for _, flag := range parser.Model.Flags {
		if flag.Name == "help" {
			continue
		}
		flag.Tag.Envs = nil
		if err := flag.Reset(); err != nil {
			return fmt.Errorf("couldn't set the default of %s: %w", flag.Name, err)
		}
	}
	return nil
}
