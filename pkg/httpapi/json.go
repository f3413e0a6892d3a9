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

// decode reads a body into a struct of pointers and slices, so that what is missing or null stays nil, and from that, by
// read, what it asks for. read notes all that is wrong with the fields.
func decode[B, R any](body []byte, read func(*B, *fields) *R) (*R, *Problem) {
	var b B
	if plain, is := any(&b).(plainBody); !is || !readPlain(body, plain) {
		b = *new(B)
		if err := json.Unmarshal(body, &b, rejectUnknown); err != nil {
			return nil, unreadable(err)
		}
	}
	var wrong fields
	r := read(&b, &wrong)
	if len(wrong.errors) > 0 {
		return nil, invalidBody(wrong.errors...)
	}
	return r, nil
}

var errTooManyGroups = fmt.Errorf("must hold at most %d groups", maxGroups)

// UnmarshalJSONFrom reads groups until there are too many: no longer body makes the server hold more.
func (l *groupList) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '[' {
		return json.UnmarshalDecode(d, (*[]groupBody)(l))
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for *l = (groupList{}); d.PeekKind() != ']'; {
		if len(*l) == maxGroups {
			return errTooManyGroups
		}
		*l = append(*l, groupBody{})
		if err := json.UnmarshalDecode(d, &(*l)[len(*l)-1]); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// unreadable is the problem of a body that is not JSON, or has other fields or types than the request.
func unreadable(err error) *Problem {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.Is(err, errTooManyGroups):
		return invalidBody(FieldError{"/groups", errTooManyGroups.Error(), fieldInvalid.Name})
	case errors.As(err, &syntactic) && errors.Is(syntactic.Err, jsontext.ErrDuplicateName):
		return invalidBody(FieldError{string(syntactic.JSONPointer), "appears twice", fieldDuplicate.Name})
	case errors.As(err, &syntactic):
		return problem(codeMalformedJSON, fmt.Sprintf("at byte %d: %v", syntactic.ByteOffset, syntactic.Err))
	case errors.As(err, &semantic) && errors.Is(semantic.Err, json.ErrUnknownName):
		return invalidBody(FieldError{string(semantic.JSONPointer), "is not a field of this request", fieldUnknown.Name})
	case errors.As(err, &semantic) && semantic.JSONPointer == "":
		return problem(codeMalformedJSON, "the body must be a JSON object")
	case errors.As(err, &semantic):
		return invalidBody(FieldError{string(semantic.JSONPointer), "must be " + typeName(semantic.GoType), fieldWrongType.Name})
	default: // an empty body, or one that ends too early
		return problem(codeMalformedJSON, "the body ends before its value does")
	}
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

// request reads a body that says it is JSON, from the bytes as they came: never unpacked.
func request[T any](c *fiber.Ctx, decode func([]byte) (*T, *Problem)) (*T, *Problem) {
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" {
		return nil, problem(codeContentEncoding, "")
	}
	if !isJSON(c.Get(fiber.HeaderContentType)) {
		return nil, problem(codeMediaType, "")
	}
	return decode(c.BodyRaw())
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
	var body []byte
	var err error
	if plain, is := v.(interface{ appendJSON(b []byte) []byte }); is {
		body = plain.appendJSON(make([]byte, 0, 512))
	} else if body, err = json.Marshal(v); err != nil {
		return fmt.Errorf("couldn't encode a response: %w", err)
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	return c.Status(status).Send(body)
}
