package app

import (
	"fmt"
	"reflect"
	"strings"
)

// Environ writes settings (a pointer to a struct with kong tags) as environment variables, for a process that shall
// run with exactly these. Secrets are in it: it is for a child's environment, not for people's eyes.
func Environ(settings any) []string {
	var out []string
	environ(reflect.ValueOf(settings).Elem(), &out)
	return out
}

func environ(v reflect.Value, out *[]string) {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if _, embedded := field.Tag.Lookup("embed"); embedded {
			environ(value, out)
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
