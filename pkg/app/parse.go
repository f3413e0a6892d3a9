package app

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
)

const configFlag = "config"

type ConfigFile struct {
	Config string `name:"config" env:"SCORELAY_CONFIG" placeholder:"FILE" help:"YAML file of settings, named like the flags. Flags and environment variables win over it."`
}

// NewParser parses a command line into cli, a pointer to a struct with kong tags that embeds ConfigFile.
func NewParser(name, description string, cli any, options ...kong.Option) (*kong.Kong, error) {
	files := &files{getenv: os.LookupEnv, read: os.ReadFile}
	return kong.New(cli, append([]kong.Option{
		kong.Name(name), kong.Description(description), kong.Resolvers(files),
		kong.Vars{"version": Version()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	}, options...)...)
}

// files resolves secrets from VARIABLE_FILE, and everything from the settings file.
type files struct {
	getenv func(string) (string, bool)
	read   func(string) ([]byte, error)

	path   string         // of the settings file in values
	values map[string]any // nil until a file was read
}

// Resolve is called for every flag that the command line omits. The returned value would override the flag's
// variable, so it is nil if that is set.
func (f *files) Resolve(ctx *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	fromFile, named, err := f.secret(flag)
	if err != nil {
		return nil, err
	}
	for _, env := range flag.Tag.Envs {
		if _, set := f.getenv(env); set {
			if named {
				return nil, fmt.Errorf("%s and %s_FILE are both set; unset one of them", env, env)
			}
			return nil, nil
		}
	}
	if named {
		return fromFile, nil
	}
	if err := f.load(ctx); err != nil {
		return nil, err
	}
	return text(f.values[flag.Name]), nil
}

// secret reads the file that VARIABLE_FILE names, if the flag is a secret.
func (f *files) secret(flag *kong.Flag) (value string, named bool, err error) {
	if !isSecret(flag) {
		return "", false, nil
	}
	for _, env := range flag.Tag.Envs {
		path, set := f.getenv(env + "_FILE")
		if !set {
			continue
		}
		raw, err := f.read(path)
		if err != nil {
			return "", false, fmt.Errorf("couldn't read the file that %s_FILE names: %w", env, err)
		}
		return strings.TrimSpace(string(raw)), true, nil
	}
	return "", false, nil
}

func isSecret(flag *kong.Flag) bool {
	t := flag.Target.Type()
	return t == reflect.TypeFor[Secret]() || t == reflect.TypeFor[[]Secret]()
}

const keyTag = "privatekey"

// SecretArguments returns a sentence, with the fix, for each secret among the arguments, which every user of the
// machine can read. A server's address is secret if it contains a password. An HTTP address is also secret if it has
// a path or a query, where providers put keys. A private key is an error: the program must refuse it.
func SecretArguments(ctx *kong.Context) (sentences []string, err error) {
	for _, path := range ctx.Path {
		if path.Flag == nil || path.Resolved || !isSecret(path.Flag) {
			continue
		}
		if variable := path.Flag.Tag.Envs; path.Flag.Tag.Has(keyTag) {
			err = errors.Join(err, fmt.Errorf("--%s is refused: a private key among a process's arguments can be read by every user of this machine, "+
				"so count it as leaked; use a keystore file with its password file, or set %s or %s_FILE", path.Flag.Name, variable[0], variable[0]))
			continue
		}
		values, several := path.Flag.Target.Interface().([]Secret)
		if !several {
			values = []Secret{path.Flag.Target.Interface().(Secret)}
		}
		if slices.ContainsFunc(values, Secret.telling) && len(path.Flag.Tag.Envs) > 0 {
			variable := path.Flag.Tag.Envs[0]
			sentences = append(sentences, fmt.Sprintf("--%s holds a secret, which every user of this machine can read; set %s or %s_FILE instead", path.Flag.Name, variable, variable))
		}
	}
	return sentences, err
}

// load reads the settings file, if one is named, once.
func (f *files) load(ctx *kong.Context) error {
	path := configPath(ctx)
	if path == "" || path == f.path {
		return nil
	}
	raw, err := f.read(path)
	if err != nil {
		return fmt.Errorf("couldn't read the settings file: %w", err)
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(raw, &values); err != nil {
		return fmt.Errorf("couldn't read the settings file %s: %w", path, err)
	}
	f.path, f.values = path, values
	return nil
}

func configPath(ctx *kong.Context) string {
	for _, flag := range ctx.Model.Flags {
		if flag.Name == configFlag {
			path, _ := ctx.FlagValue(flag).(string)
			return path
		}
	}
	return ""
}

// Validate returns an error for unknown keys in the settings file.
func (f *files) Validate(application *kong.Application) error {
	known := map[string]bool{}
	err := kong.Visit(application, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known[flag.Name] = true
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	var unknown []string
	for key := range f.values {
		if !known[key] {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return errors.New("the settings file " + f.path + " has keys that are no setting: " + strings.Join(unknown, ", "))
}

// text converts a YAML value for a flag's parser; nil stays nil.
func text(value any) any {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = fmt.Sprint(element)
		}
		return out
	default:
		return fmt.Sprint(v)
	}
}
