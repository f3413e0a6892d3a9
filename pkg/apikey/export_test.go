package apikey

import "time"

// NoteEvery has the view note so often which keys were used; before it runs.
func (v *View) NoteEvery(every time.Duration) { v.uses.every = every }
