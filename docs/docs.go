// Package docs holds the documentation that a running API serves of itself. It is here because a file can be embedded
// from its own directory only.
package docs

import _ "embed"

// OpenAPI is openapi.yaml, the description of the HTTP interface.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Page is OpenAPI as an HTML page that needs nothing else, with its style within. TestDocsPage of pkg/httpapi writes it.
//
//go:embed openapi.html
var Page []byte
