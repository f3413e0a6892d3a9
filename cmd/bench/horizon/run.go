package horizon

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// Updates is the default number of updates per cell: five full horizons.
const Updates = 100_000

type Table map[string]Figures

// Run measures all cells, and calls progress with a line after each.
func Run(ctx context.Context, updates int, progress func(string)) (Table, error) {
	table := Table{}
	for i := range cells {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c := &cells[i]
		f, err := c.measure(updates)
		if err != nil {
			return nil, fmt.Errorf("cell %s: %w", c.name, err)
		}
		table[c.name] = f
		progress(fmt.Sprintf("%s: %.0f in order, %.0f from the horizon, bound %.0f; choosing 1,000 took %.0f µs of CPU", c.name, f.FIFO, f.Horizon, f.Bound, f.Planning))
	}
	return table, nil
}

func (t Table) WriteText(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "gas per update\tin order\tfrom a horizon\tlower bound\tCPU µs per 1,000 chosen\t")
	for i := range cells {
		if f, found := t[cells[i].name]; found {
			fmt.Fprintf(table, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t\n", cells[i].name, f.FIFO, f.Horizon, f.Bound, f.Planning)
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("couldn't write the table: %w", err)
	}
	return nil
}

func (t Table) WriteJSON(out io.Writer) error { return json.NewEncoder(out).Encode(t) }
