package dev

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// defaults fills settings (a pointer to a struct with kong tags) with their defaults, the environment left aside.
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

// environ writes settings (a pointer to a struct with kong tags) as environment variables, for a process that shall
// run with exactly these. It holds the secrets in the clear, for the environment of a child process only.
func environ(settings any) []string {
	var out []string
	appendEnviron(reflect.ValueOf(settings).Elem(), &out)
	return out
}

func appendEnviron(v reflect.Value, out *[]string) {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if _, embedded := field.Tag.Lookup("embed"); embedded {
			appendEnviron(value, out)
			continue
		}
		if variable := field.Tag.Get("env"); variable != "" {
			*out = append(*out, variable+"="+plain(value))
		}
	}
}

// plain writes a setting as its parser reads it.
func plain(v reflect.Value) string {
	if v.Kind() == reflect.Slice {
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = plain(v.Index(i))
		}
		return strings.Join(parts, ",")
	}
	if v.Kind() == reflect.String {
		return v.String() // a Secret too, whose formatted form says nothing
	}
	return fmt.Sprint(v.Interface())
}
