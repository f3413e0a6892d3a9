package dev

import (
	"fmt"
	"reflect"
	"strings"

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

// environ returns settings as environment variables, secrets in plain text.
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

func plain(v reflect.Value) string {
	if v.Kind() == reflect.Slice {
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = plain(v.Index(i))
		}
		return strings.Join(parts, ",")
	}
	if v.Kind() == reflect.String {
		return v.String() // also of a Secret, which fmt would redact
	}
	return fmt.Sprint(v.Interface())
}
