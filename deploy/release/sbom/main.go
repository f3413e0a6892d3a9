// Command sbom writes the software bill of materials of a Go program from the build information in its binary. The
// CycloneDX 1.6 document contains the modules, their checksums and dependencies.
//
//	go run -C deploy/release ./sbom -version v1.2.3 /PROGRAM > PROGRAM.cdx.json
//
// The modules come from the binary alone, their dependencies from `go mod graph` in the program's module. With
// SOURCE_DATE_EPOCH (seconds since 1970) as timestamp, the same program yields the same document.
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom: "+err.Error())
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("sbom", flag.ContinueOnError)
	version := flags.String("version", "", "version of the program; by default what the linker wrote into it")
	module := flags.String("module", "../..", "folder of the program's module")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("name one program")
	}
	made, err := now()
	if err != nil {
		return err
	}
	modules := exec.Command("go", "mod", "graph")
	modules.Dir = *module
	graph, err := modules.Output()
	if err != nil {
		return fmt.Errorf("couldn't ask for the graph of modules: %w", err)
	}
	d, err := describe(flags.Arg(0), *version, string(graph), made)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(d)
}

// now returns the time in SOURCE_DATE_EPOCH, or the current time.
func now() (time.Time, error) {
	text, set := os.LookupEnv("SOURCE_DATE_EPOCH")
	if !set {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q; it must be seconds since 1970", text)
	}
	return time.Unix(seconds, 0), nil
}

// The parts of CycloneDX that we write: https://cyclonedx.org/docs/1.6/json.
type (
	document struct {
		Schema       string       `json:"$schema"`
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Time      string    `json:"timestamp"`
		Tools     tools     `json:"tools"`
		Component component `json:"component"`
	}
	tools struct {
		Components []component `json:"components"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref,omitempty"`
		Name       string     `json:"name"`
		Version    string     `json:"version,omitempty"`
		Scope      string     `json:"scope,omitempty"`
		Hashes     []hash     `json:"hashes,omitempty"`
		PackageURL string     `json:"purl,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
)

// describe returns a program's document. graph is the output of `go mod graph` in its module.
func describe(program, version, graph string, made time.Time) (*document, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("couldn't read which modules are in %s: %w", program, err)
	}
	raw, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	if version == "" {
		version = info.Main.Version
	}
	purl := packageURL(info.Main.Path, version)
	if sub := strings.TrimPrefix(strings.TrimPrefix(info.Path, info.Main.Path), "/"); sub != "" {
		purl += "#" + sub
	}
	root := component{
		Type: "application", Ref: purl, Name: filepath.Base(info.Path), Version: version, PackageURL: purl,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
	}
	for _, setting := range info.Settings {
		if setting.Value != "" {
			root.Properties = append(root.Properties, property{"scorelay:build:" + setting.Key, setting.Value})
		}
	}
	std := component{Type: "library", Name: "std", Version: info.GoVersion, Scope: "required"}
	std.PackageURL = packageURL("std", strings.TrimPrefix(info.GoVersion, "go"))
	std.Ref = std.PackageURL
	components, refs := []component{std}, map[string]string{info.Main.Path: root.Ref}
	for _, module := range info.Deps {
		c, err := componentOf(module)
		if err != nil {
			return nil, err
		}
		components, refs[module.Path] = append(components, c), c.Ref
	}
	return &document{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Serial: serial(sum[:]),
		Metadata: metadata{
			Time:      made.UTC().Format(time.RFC3339),
			Tools:     tools{[]component{{Type: "application", Name: "github.com/scorelay/scorelay/deploy/release/sbom"}}},
			Component: root,
		},
		Components: components, Dependencies: dependencies(graph, refs, std.Ref),
	}, nil
}

func componentOf(module *debug.Module) (component, error) {
	is := module
	if module.Replace != nil {
		is = module.Replace
	}
	c := component{Type: "library", Name: is.Path, Version: is.Version, Scope: "required", PackageURL: packageURL(is.Path, is.Version)}
	c.Ref = c.PackageURL
	if is.Sum == "" { // replaced with a folder
		return c, nil
	}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(is.Sum, "h1:"))
	if err != nil || len(sum) != sha256.Size {
		return component{}, fmt.Errorf("the checksum %q of %s is none that is known", is.Sum, is.Path)
	}
	c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}} // hash of the module's file list, as in go.sum
	return c, nil
}

// dependencies returns the program's module dependencies; each module also depends on std. refs maps module paths to
// component references.
func dependencies(graph string, refs map[string]string, std string) []dependency {
	needs := map[string]map[string]bool{}
	for _, ref := range refs {
		needs[ref] = map[string]bool{std: true}
	}
	for line := range strings.Lines(graph) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		fromPath, _, _ := strings.Cut(from, "@") // any version: a program contains one of each module
		toPath, _, _ := strings.Cut(to, "@")
		if a, b := refs[fromPath], refs[toPath]; a != "" && b != "" && a != b {
			needs[a][b] = true
		}
	}
	all := []dependency{{Ref: std}}
	for _, ref := range slices.Sorted(maps.Keys(needs)) {
		all = append(all, dependency{ref, slices.Sorted(maps.Keys(needs[ref]))})
	}
	return all
}

// packageURL returns a module's package URL: https://github.com/package-url/purl-spec.
func packageURL(path, version string) string {
	purl := "pkg:golang/" + strings.ToLower(path)
	if version != "" {
		purl += "@" + strings.ReplaceAll(url.QueryEscape(version), "+", "%20")
	}
	return purl
}

// serial returns a UUID (version 8) derived from a program's SHA-256: the same for the same program.
func serial(sum []byte) string {
	id := bytes.Clone(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
