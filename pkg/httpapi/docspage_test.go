package httpapi_test

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/httpapi"
)

const pageFile = "../../docs/openapi.html"

// TestDocsPage: the page that the API serves at /docs is the description's. With -update it is written.
func TestDocsPage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(openapiFile)
	require.NoError(t, err)
	style, err := os.ReadFile("testdata/docs.css")
	require.NoError(t, err)
	var root yaml.MapSlice
	require.NoError(t, yaml.UnmarshalWithOptions(raw, &root, yaml.UseOrderedMap()))
	p := &page{root: node{root}}
	p.write(string(style))
	hold(t, pageFile, p.String())
}

// hold compares a generated file with what it should be, or writes it with -update.
func hold(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	is, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, want == string(is), "%s is stale: run `go test ./pkg/httpapi ./pkg/app -run TestDocs -update`", file)
}

// node is a value of the description, with its members in the order of the file.
type node struct{ v any }

func (n node) members() yaml.MapSlice { m, _ := n.v.(yaml.MapSlice); return m }

func (n node) items() []any { l, _ := n.v.([]any); return l }

// at follows member names; what is not there is an empty node.
func (n node) at(path ...string) node {
	for _, name := range path {
		var found node
		for _, m := range n.members() {
			if fmt.Sprint(m.Key) == name {
				found = node{m.Value}
			}
		}
		n = found
	}
	return n
}

func (n node) text() string {
	if n.v == nil {
		return ""
	}
	return strings.TrimSpace(fmt.Sprint(n.v))
}

func (n node) has(name string) bool { return n.at(name).v != nil }

// names lists a node's items as code.
func (n node) names() string {
	var out []string
	for _, item := range n.items() {
		out = append(out, "<code>"+html.EscapeString(strings.ReplaceAll(fmt.Sprint(item), "<nil>", "null"))+"</code>")
	}
	return strings.Join(out, ", ")
}

// page is written from the top to the bottom.
type page struct {
	strings.Builder
	root node
}

func (p *page) f(format string, args ...any) { fmt.Fprintf(p, format, args...) }

func (p *page) write(style string) {
	info := p.root.at("info")
	title := html.EscapeString(info.at("title").text())
	p.f("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	p.f("<title>%s: the HTTP interface</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n", title, style, title)
	p.f("<p>%s Version %s.</p>\n%s", html.EscapeString(info.at("summary").text()), info.at("version").text(), prose(info.at("description")))
	p.f("<p>Every request but those that say otherwise carries the header <code>X-API-KEY</code>. The same as a file: <a href=\"openapi.yaml\">openapi.yaml</a>.</p>\n")
	p.f("<nav>\n<ul>\n")
	p.operations(func(method, path string, op node) {
		p.f("<li><a href=\"#%s\"><span class=\"method %s\">%s</span>%s</a></li>\n",
			op.at("operationId").text(), method, strings.ToUpper(method), html.EscapeString(path))
	})
	p.f("</ul>\n<p><a href=\"#errors\">Errors</a> · <a href=\"#schemas\">Schemas</a></p>\n</nav>\n")
	for _, tag := range p.root.at("tags").items() {
		name := node{tag}.at("name").text()
		p.f("<h2 id=\"tag-%s\">%s</h2>\n%s", name, strings.ToUpper(name[:1])+name[1:], prose(node{tag}.at("description")))
		p.operations(func(method, path string, op node) {
			if (node{op.at("tags").items()[0]}).text() == name {
				p.operation(method, path, op)
			}
		})
	}
	p.errors()
	p.f("<h2 id=\"schemas\">Schemas</h2>\n")
	for _, m := range p.root.at("components", "schemas").members() {
		p.f("<h3 id=\"%s\">%s</h3>\n", m.Key, m.Key)
		p.schema(node{m.Value})
	}
	p.f("</main>\n</body>\n</html>\n")
}

func (p *page) operations(each func(method, path string, op node)) {
	for _, path := range p.root.at("paths").members() {
		for _, op := range (node{path.Value}).members() {
			each(fmt.Sprint(op.Key), fmt.Sprint(path.Key), node{op.Value})
		}
	}
}

func (p *page) operation(method, path string, op node) {
	p.f("<h3 id=\"%s\"><span class=\"method %s\">%s</span><code>%s</code></h3>\n",
		op.at("operationId").text(), method, strings.ToUpper(method), html.EscapeString(path))
	p.f("<p><strong>%s.</strong></p>\n%s", inline(op.at("summary").text()), prose(op.at("description")))
	if op.has("security") && len(op.at("security").items()) == 0 {
		p.f("<p class=\"soft\">Without an API key.</p>\n")
	}
	if parameters := op.at("parameters").items(); len(parameters) > 0 {
		p.f("<h4>In the path</h4>\n")
		p.table("Name", "Value", func() {
			for _, item := range parameters {
				parameter := p.resolve(node{item})
				p.row(parameter.at("name").text(), p.kind(parameter.at("schema")))
			}
		})
	}
	if body := op.at("requestBody", "content", "application/json", "schema"); body.v != nil {
		p.f("<h4>Body</h4>\n")
		p.schema(p.resolve(body))
	}
	p.f("<h4>Answers</h4>\n")
	p.table("Status", "Meaning", func() {
		for _, m := range op.at("responses").members() {
			p.row(fmt.Sprint(m.Key), p.answer(node{m.Value}))
		}
	})
}

// answer says what a response is: its schema if it succeeded, its codes if it did not.
func (p *page) answer(response node) string {
	response = p.resolve(response)
	out := prose(response.at("description"))
	for _, media := range response.at("content").members() {
		schema := node{media.Value}.at("schema")
		if all := schema.at("allOf").items(); len(all) == 2 && fmt.Sprint(media.Key) == "application/problem+json" {
			var codes []string
			for _, code := range (node{all[1]}).at("properties", "code", "enum").items() {
				codes = append(codes, fmt.Sprintf("<a href=\"#error-%s\"><code>%s</code></a>", code, code))
			}
			out += "<p>" + strings.Join(codes, ", ") + "</p>"
			continue
		}
		out += fmt.Sprintf("<p><code>%s</code>: %s</p>", media.Key, p.kind(schema))
	}
	return out
}

func (p *page) errors() {
	p.f("<h2 id=\"errors\">Errors</h2>\n<p>Problem documents (RFC 9457), <code>application/problem+json</code>: <a href=\"#Problem\">Problem</a>. Decide by <code>code</code>, or by the status alone.</p>\n")
	p.table("Code", "Meaning and what to do", func() {
		for _, code := range httpapi.Codes() {
			p.f("<tr id=\"error-%s\"><td><code>%s</code> <span class=\"soft\">%d</span></td><td>%s. %s</td></tr>\n",
				code.Name, code.Name, code.Status, inline(code.Title), inline(code.Advice))
		}
	})
}

// schema writes what a schema allows: its members, or itself.
func (p *page) schema(s node) {
	p.f("%s", prose(s.at("description")))
	if !s.has("properties") {
		p.f("<p>%s</p>\n", p.kind(s))
	} else {
		required := s.at("required").text()
		p.table("Member", "Value", func() {
			for _, m := range s.at("properties").members() {
				value := p.kind(node{m.Value}) + prose(node{m.Value}.at("description"))
				if !regexp.MustCompile(`\b` + fmt.Sprint(m.Key) + `\b`).MatchString(required) {
					value = "Optional. " + value
				}
				p.row(fmt.Sprint(m.Key), value)
			}
		})
	}
	for _, example := range s.at("examples").items() {
		raw, _ := yaml.MarshalWithOptions(example, yaml.JSON())
		var indented strings.Builder
		encoder := json.NewEncoder(&indented)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		_ = encoder.Encode(json.RawMessage(raw))
		p.f("<pre>%s</pre>\n", html.EscapeString(strings.TrimSpace(indented.String())))
	}
}

// kind is a schema in a few words.
func (p *page) kind(s node) string {
	if ref := s.at("$ref").text(); ref != "" {
		name := ref[strings.LastIndex(ref, "/")+1:]
		return fmt.Sprintf("<a href=\"#%s\">%s</a>", name, name)
	}
	for _, list := range []string{"oneOf", "allOf"} {
		var kinds []string
		for _, item := range s.at(list).items() {
			kinds = append(kinds, p.kind(node{item}))
		}
		if len(kinds) > 0 {
			return strings.Join(kinds, " or ")
		}
	}
	words := []string{s.at("type").text()}
	if types := s.at("type").items(); len(types) > 0 {
		words[0] = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(types...)), " or "), "[]")
	}
	if words[0] == "array" {
		words[0] = "list of " + p.kind(s.at("items"))
	}
	if s.has("const") {
		words = append(words, "<code>"+html.EscapeString(fmt.Sprintf("%q", s.at("const").v))+"</code>")
	}
	if s.has("enum") {
		words = append(words, "one of "+s.at("enum").names())
	}
	for _, rule := range []string{"pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "default"} {
		if s.has(rule) {
			words = append(words, fmt.Sprintf("%s <code>%s</code>", rule, html.EscapeString(fmt.Sprint(s.at(rule).v))))
		}
	}
	return strings.Join(words, ", ")
}

// resolve follows a reference within the description.
func (p *page) resolve(n node) node {
	if ref := n.at("$ref").text(); ref != "" {
		return p.root.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return n
}

func (p *page) table(left, right string, rows func()) {
	p.f("<table>\n<thead><tr><th>%s</th><th>%s</th></tr></thead>\n<tbody>\n", left, right)
	rows()
	p.f("</tbody>\n</table>\n")
}

func (p *page) row(name, value string) {
	p.f("<tr><td><code>%s</code></td><td>%s</td></tr>\n", html.EscapeString(name), strings.TrimSpace(value))
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

func inline(text string) string {
	return codeSpan.ReplaceAllString(html.EscapeString(text), "<code>$1</code>")
}

// prose is a description: paragraphs with code in them.
func prose(n node) string {
	var out strings.Builder
	for _, paragraph := range strings.Split(n.text(), "\n\n") {
		if paragraph != "" {
			fmt.Fprintf(&out, "<p>%s</p>\n", inline(strings.Join(strings.Fields(paragraph), " ")))
		}
	}
	return out.String()
}
