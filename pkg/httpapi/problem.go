package httpapi

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/httpapi/internal/framing"
)

// maxFieldErrors bounds the list of one problem: the first ones help, the thousandth does not.
const maxFieldErrors = 20

// Problem is an answer that is not a 200: a document of RFC 9457.
type Problem struct {
	Type    string       `json:"type"` // urn:scorelay:problem:<code>
	Title   string       `json:"title"`
	Status  int          `json:"status"`
	Detail  string       `json:"detail,omitzero"`
	Code    string       `json:"code"`
	Request string       `json:"requestId,omitzero"` // as in the header X-Request-Id
	Errors  []FieldError `json:"errors,omitempty"`
	Same    *bool        `json:"same,omitempty"` // of project_exists: what was accepted under the id is this; nil where that is not known

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

// invalidBody is the problem of fields that are wrong in themselves.
func invalidBody(errors ...FieldError) *Problem {
	p := problem(codeInvalidBody, "")
	p.Errors = errors
	return p
}

// temporary is a problem that goes away by itself.
func temporary(code Code, after time.Duration, detail string) *Problem {
	p := problem(code, detail)
	p.retryAfter = after
	return p
}

// fields collects what is wrong with a body's fields.
type fields struct{ errors []FieldError }

func (f *fields) add(code FieldCode, pointer, detail string) {
	unread := slices.ContainsFunc(f.errors, func(e FieldError) bool { // it, or what it is in
		return e.Code == fieldWrongType.Name && strings.HasPrefix(pointer+"/", e.Pointer+"/")
	})
	if len(f.errors) < maxFieldErrors && !unread {
		f.errors = append(f.errors, FieldError{pointer, detail, code.Name})
	}
}

// noted reports whether something is wrong with a field.
func (f *fields) noted(pointer string) bool {
	return slices.ContainsFunc(f.errors, func(e FieldError) bool { return e.Pointer == pointer })
}

// within is the problem of what stands at the pointer in the body.
func (p *Problem) within(pointer string) *Problem {
	for i := range p.Errors {
		p.Errors[i].Pointer = pointer + p.Errors[i].Pointer
	}
	return p
}

// retrySeconds is the Retry-After; 0 of what is refused for good.
func (p *Problem) retrySeconds() int { return int(math.Ceil(p.retryAfter.Seconds())) }

// write sends the problem.
func (p *Problem) write(c *fiber.Ctx) error {
	if p.retryAfter > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(p.retrySeconds()))
	}
	if p.Status == fiber.StatusUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, `ApiKey realm="scorelay"`)
	}
	p.Request = requestID(c)
	return send(c, p.Status, "application/problem+json", p)
}

// tooLarge is the problem of a body over its limit.
func (s *Server) tooLarge() *Problem {
	return problem(codeBodyTooLarge, fmt.Sprintf("at most %d bytes", s.config.MaxBody))
}

// malformed is the problem of a request that is not framed well.
func malformed(wrong *framing.Flaw) *Problem {
	switch wrong {
	case framing.Method:
		return problem(codeUnknownMethod, "")
	case framing.Version:
		return problem(codeHTTPVersion, wrong.Detail)
	default:
		return problem(codeMalformedRequest, wrong.Detail)
	}
}

// failed answers what Fiber or fasthttp refused before a handler saw it.
func (s *Server) failed(c *fiber.Ctx, err error) error {
	if requestID(c) == "" { // fasthttp came to no handler
		s.identify(c.Context())
	}
	var refused *fiber.Error
	if !errors.As(err, &refused) {
		s.log(c).Error("a request failed before its handler; the API answers 500", "path", c.Path(), "err", err)
		return problem(codeInternal, "").write(c)
	}
	p := problem(codeMalformedRequest, "")
	if conn := connOf(c); conn != nil && conn.told {
		if p, refused = conn.refused, fiber.ErrBadRequest; p == nil {
			p = malformed(conn.wrong)
		}
	}
	switch refused.Code {
	case fiber.StatusNotFound:
		p = problem(codeNotFound, "")
	case fiber.StatusMethodNotAllowed:
		p = problem(codeMethodNotAllowed, "")
	case fiber.StatusRequestEntityTooLarge:
		p = s.tooLarge()
	case fiber.StatusRequestHeaderFieldsTooLarge:
		p = problem(codeHeadersTooLarge, fmt.Sprintf("at most %d bytes", maxHeaders))
	case fiber.StatusRequestTimeout:
		p = problem(codeRequestTimeout, "")
	}
	if p.Status != fiber.StatusNotFound && p.Status != fiber.StatusMethodNotAllowed { // the connection will be closed
		lingerOnClose(c)
	}
	s.metrics.requests.WithLabelValues("none", strconv.Itoa(p.Status)).Observe(0)
	return p.write(c)
}
