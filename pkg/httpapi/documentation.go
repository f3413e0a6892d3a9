package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/docs"
)

const (
	indexJSON = `{"name":"Scorelay","summary":"Signed score updates over HTTP, each applied on chain exactly once.",` +
		`"documentation":"/docs","openapi":"/openapi.yaml"}`
	indexHTML = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
		`<meta name="color-scheme" content="light dark"><title>Scorelay</title><h1>Scorelay</h1>` +
		`<p>Signed score updates over HTTP, each applied on chain exactly once.</p>` +
		`<p><a href="/app">Page</a> · <a href="/docs">Documentation</a> · <a href="/openapi.yaml">OpenAPI</a></p></html>`
)

// document is a static response, prepared once.
type document struct {
	body        []byte
	contentType string
	etag        string // weak: it may be sent compressed
	policy      string // Content-Security-Policy: only the document's own style
}

func newDocument(contentType string, body []byte) *document {
	sum := sha256.Sum256(body)
	d := &document{body: body, contentType: contentType, etag: `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`}
	d.policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if _, rest, ok := bytes.Cut(body, []byte("<style>")); ok {
		style, _, _ := bytes.Cut(rest, []byte("</style>"))
		sum := sha256.Sum256(style)
		d.policy += "; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return d
}

func (d *document) send(c *fiber.Ctx) error {
	c.Set(fiber.HeaderETag, d.etag)
	c.Set(fiber.HeaderCacheControl, "public, max-age=300")
	if strings.Contains(c.Get(fiber.HeaderIfNoneMatch), d.etag) {
		return c.Status(fiber.StatusNotModified).Send(nil)
	}
	c.Set(fiber.HeaderContentType, d.contentType)
	c.Set(fiber.HeaderContentSecurityPolicy, d.policy)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	return c.Send(d.body)
}

// documentation routes static responses, which need neither API key nor place.
func documentation(app *fiber.App) {
	html := fiber.MIMETextHTMLCharsetUTF8
	asJSON, asHTML := newDocument(fiber.MIMEApplicationJSON, []byte(indexJSON)), newDocument(html, []byte(indexHTML))
	app.Get("/", func(c *fiber.Ctx) error {
		c.Vary(fiber.HeaderAccept)
		// Fiber's ranking of preferences is avoided: it takes time quadratic in the header's length.
		if strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML) {
			return asHTML.send(c)
		}
		return asJSON.send(c)
	})
	app.Get("/docs", newDocument(html, docs.Page).send)
	app.Get("/openapi.yaml", newDocument("application/yaml", docs.OpenAPI).send)
}
