package page

import (
	"html/template"
	"net/http"
)

// This file supports screens of other packages, which look like the page and have their own Sessions.

// Components returns the shared template parts: times, ids, plots, and functions that format names and numbers.
func Components() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(assets, "assets/frame.html"))
}

type Plot = plot

// Size of a Plot, in its own units.
const (
	PlotWidth  = plotWidth
	PlotHeight = plotHeight
)

// Guard sets a response's security headers. A screen's script may reload it.
func Guard(w http.ResponseWriter) {
	guard(w, "update")
}
