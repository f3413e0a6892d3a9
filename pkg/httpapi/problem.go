package httpapi

import (
	"math"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
)

// maxFieldErrors bounds the list of one problem: the first ones help, the thousandth does not.
const maxFieldErrors = 20

// Problem is an answer that is not a 200: a document of RFC 9457.
type Problem struct {
	Type   string       `json:"type"` // urn:scorelay:problem:<code>
	Title  string       `json:"title"`
	Status int          `json:"status"`
	Detail string       `json:"detail,omitzero"`
	Code   string       `json:"code"`
	Errors []FieldError `json:"errors,omitempty"`

	retryAfter time.Duration
}

// FieldError says what is wrong with one field of the body.
type FieldError struct {
	Pointer string `json:"pointer"` // RFC 6901
	Detail  string `json:"detail"`
	Code    string `json:"code"`
}

func problem(code Code, detail string) *Problem {
	return &Problem{Type: "urn:scorelay:problem:" + code.Name, Title: code.Title, Status: code.Status, Detail: detail, Code: code.Name}
}

// fieldProblem is a problem of one field.
func fieldProblem(code Code, pointer, detail string) *Problem {
	p := problem(code, "")
	p.Errors = []FieldError{{pointer, detail, fieldInvalid.Name}}
	return p
}

// retry is a problem that goes away by itself.
func retry(code Code, after time.Duration, detail string) *Problem {
	p := problem(code, detail)
	p.retryAfter = after
	return p
}

// fields collects what is wrong with a body's fields.
type fields struct {
	errors []FieldError
}

func (f *fields) add(code FieldCode, pointer, detail string) {
	if len(f.errors) < maxFieldErrors {
		f.errors = append(f.errors, FieldError{pointer, detail, code.Name})
	}
}

// problem is nil when nothing is wrong.
func (f *fields) problem() *Problem {
	if len(f.errors) == 0 {
		return nil
	}
	p := problem(codeInvalidBody, "")
	p.Errors = f.errors
	return p
}

// write sends the problem.
func (p *Problem) write(c *fiber.Ctx) error {
	if p.retryAfter > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
	if p.Status == fiber.StatusUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, `ApiKey realm="scorelay"`)
	}
	return send(c, p.Status, "application/problem+json", p)
}
