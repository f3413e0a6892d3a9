package page

import (
	"html/template"
	"net/http"
)

// This file is for screens that another package serves elsewhere: they look as the page does, and have Sessions of their own.

// Components are the parts of screens that are the same everywhere: times, ids, plots, and the functions that write names and numbers.
func Components() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(assets, "assets/frame.html"))
}

// Plot is what the component "plot" draws.
type Plot = plot

// The size of a Plot, in its own units.
const (
	PlotWidth  = plotWidth
	PlotHeight = plotHeight
)

// Guard sets what every answer to a session has. A screen's script may read the screen again.
func Guard(w http.ResponseWriter) {
	guard(w, "update")
}
