package httpapi

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
)

// How many of a list one answer has.
const (
	pageSize    = 100 // unless asked for otherwise
	maxPageSize = 500
)

// query is what a request says behind the question mark. The first thing that is wrong stays; what is read after it is zero.
type query struct {
	values map[string]string
	wrong  *Problem
}

// queryOf reads parameters of these names, each at most once: one that is mistyped is refused, not passed over.
func queryOf(c *fiber.Ctx, names ...string) *query {
	q := &query{values: map[string]string{}}
	for key, value := range c.Context().QueryArgs().All() {
		name := string(key)
		if _, twice := q.values[name]; twice {
			q.refuse("%q is there twice", name)
		}
		if !slices.Contains(names, name) {
			q.refuse("there is no parameter %.100q; %s", name, thereAre(name, names)) // quoted: it may be no UTF-8
		}
		q.values[name] = string(value)
	}
	return q
}

func (q *query) refuse(format string, args ...any) {
	if q.wrong == nil {
		q.wrong = problem(codeInvalidQuery, fmt.Sprintf(format, args...))
	}
}

// limit is how many of a list are asked for.
func (q *query) limit() int {
	text, is := q.values["limit"]
	if !is {
		return pageSize
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPageSize {
		q.refuse("limit must be an integer from 1 to %d", maxPageSize)
	}
	return n
}

// from reads a parameter that may be absent; nil if it is.
func from[T any](q *query, name string, parse func(string) (T, error)) *T {
	text, is := q.values[name]
	if !is {
		return nil
	}
	value, err := parse(text)
	if err != nil {
		q.refuse("%s: %v", name, err)
	}
	return &value
}

// parseDate reads the midnight, UTC, that a day begins at.
func parseDate(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, fmt.Errorf("%q is not a date such as 2026-12-31", text)
	}
	return day, nil
}
