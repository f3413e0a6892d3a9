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

const maxFieldErrors = 20

// Problem is the response to a request that failed: a document of RFC 9457.
type Problem struct {
	Type    string       `json:"type"` // urn:scorelay:problem:<code>
	Title   string       `json:"title"`
	Status  int          `json:"status"`
	Detail  string       `json:"detail,omitzero"`
	Code    string       `json:"code"`
	Request string       `json:"requestId,omitzero"` // as in the header X-Request-Id
	Errors  []FieldError `json:"errors,omitempty"`
	Same    *bool        `json:"same,omitempty"` // of project_exists: the creations are identical; nil if unknown

	retryAfter time.Duration
}

// FieldError is an error in one field of the body.
type FieldError struct {
	Pointer string `json:"pointer"` // RFC 6901
	Detail  string `json:"detail"`
	Code    string `json:"code"`
}

func problem(code Code, detail string) *Problem {
	return &Problem{Type: "urn:scorelay:problem:" + code.Name, Title: code.Title, Status: code.Status, Detail: detail, Code: code.Name}
}

func fieldProblem(code Code, pointer, detail string) *Problem {
	p := problem(code, "")
	p.Errors = []FieldError{{pointer, detail, fieldInvalid.Name}}
	return p
}

func invalidBody(errors ...FieldError) *Problem {
	p := problem(codeInvalidBody, "")
	p.Errors = errors
	return p
}

// temporary returns a problem that goes away by itself; after is its Retry-After.
func temporary(code Code, after time.Duration, detail string) *Problem {
	p := problem(code, detail)
	p.retryAfter = after
	return p
}

type fields struct{ errors []FieldError }

func (f *fields) add(code FieldCode, pointer, detail string) {
	unread := slices.ContainsFunc(f.errors, func(e FieldError) bool { // it, or a value around it, has the wrong type
		return e.Code == fieldWrongType.Name && strings.HasPrefix(pointer+"/", e.Pointer+"/")
	})
	if len(f.errors) < maxFieldErrors && !unread {
		f.errors = append(f.errors, FieldError{pointer, detail, code.Name})
	}
}

func (f *fields) noted(pointer string) bool {
	return slices.ContainsFunc(f.errors, func(e FieldError) bool { return e.Pointer == pointer })
}

func (p *Problem) within(pointer string) *Problem {
	for i := range p.Errors {
		p.Errors[i].Pointer = pointer + p.Errors[i].Pointer
	}
	return p
}

// retrySeconds returns 0 if the refusal is permanent.
func (p *Problem) retrySeconds() int { return int(math.Ceil(p.retryAfter.Seconds())) }

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

func (s *Server) tooLarge() *Problem {
	return problem(codeBodyTooLarge, fmt.Sprintf("at most %d bytes", s.config.MaxBody))
}

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

// failed responds to a request that Fiber or fasthttp refused before its handler.
func (s *Server) failed(c *fiber.Ctx, err error) error {
	if requestID(c) == "" { // fasthttp called no handler
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
