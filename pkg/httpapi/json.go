package httpapi

import (
	"errors"
	"fmt"
	"mime"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
)

// This file is the only one that knows how JSON is read and written: strictly. Unknown, repeated and differently
// capitalised members are refused, and so are invalid UTF-8 and anything after the value.

var rejectUnknown = json.RejectUnknownMembers(true)

// decode reads a body into a struct of pointers and slices, so that what is missing or null stays nil.
func decode(body []byte, into any) *Problem {
	err := json.Unmarshal(body, into, rejectUnknown)
	if err == nil {
		return nil
	}
	var wrong fields
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntactic) && errors.Is(syntactic.Err, jsontext.ErrDuplicateName):
		wrong.add(fieldDuplicate, string(syntactic.JSONPointer), "appears twice")
	case errors.As(err, &syntactic):
		return problem(codeMalformedJSON, fmt.Sprintf("at byte %d: %v", syntactic.ByteOffset, syntactic.Err))
	case errors.As(err, &semantic) && errors.Is(semantic.Err, json.ErrUnknownName):
		wrong.add(fieldUnknown, string(semantic.JSONPointer), "is not a field of this request")
	case errors.As(err, &semantic) && semantic.JSONPointer == "":
		return problem(codeMalformedJSON, "the body must be a JSON object")
	case errors.As(err, &semantic):
		wrong.add(fieldWrongType, string(semantic.JSONPointer), "must be "+typeName(semantic.GoType))
	default: // an empty body, or one that ends too early
		return problem(codeMalformedJSON, "the body ends before its value does")
	}
	return wrong.problem()
}

// typeName says in JSON's words what was expected.
func typeName(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return "of another type"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Int64:
		return "an integer"
	case t.Kind() == reflect.Bool:
		return "a boolean"
	case t.Kind() == reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// jsonBody returns the body of a request that says it is JSON, as it came: never unpacked.
func jsonBody(c *fiber.Ctx) ([]byte, *Problem) {
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" {
		return nil, problem(codeContentEncoding, "")
	}
	if !isJSON(c.Get(fiber.HeaderContentType)) {
		return nil, problem(codeMediaType, "")
	}
	return c.BodyRaw(), nil
}

// request reads a body strictly, from the bytes as they came.
func request[T any](c *fiber.Ctx, decode func([]byte) (*T, *Problem)) (*T, *Problem) {
	body, p := jsonBody(c)
	if p != nil {
		return nil, p
	}
	return decode(body)
}

// isJSON takes application/json with no parameter but charset=utf-8.
func isJSON(contentType string) bool {
	if contentType == fiber.MIMEApplicationJSON {
		return true
	}
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil || mediaType != fiber.MIMEApplicationJSON {
		return false
	}
	for name, value := range params {
		if name != "charset" || !strings.EqualFold(value, "utf-8") {
			return false
		}
	}
	return true
}

// send writes v as the response.
func send(c *fiber.Ctx, status int, contentType string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("couldn't encode a response: %w", err)
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	return c.Status(status).Send(body)
}
