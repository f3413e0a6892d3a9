package httpapi

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
)

const (
	pageSize    = 100 // default
	maxPageSize = 500
)

// query keeps the first error in its parameters.
type query struct {
	values map[string]string
	wrong  *Problem
}

// queryOf reads the named parameters, each at most once. It refuses other names, since they may be typos.
func queryOf(c *fiber.Ctx, names ...string) *query {
	q := &query{values: map[string]string{}}
	for key, value := range c.Context().QueryArgs().All() {
		name := string(key)
		if _, twice := q.values[name]; twice {
			q.refuse("%q is there twice", name)
		}
		if !slices.Contains(names, name) {
			q.refuse("there is no parameter %.100q; %s", name, thereAre(name, names)) // quoted: perhaps invalid UTF-8
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

// from parses a parameter; nil if it is absent.
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

func parseDate(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, fmt.Errorf("%q is not a date such as 2026-12-31", text)
	}
	return day, nil
}
