package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"mime"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"github.com/scorelay/scorelay/pkg/score"
)

// Bodies are decoded strictly: unknown, repeated and differently capitalised members, invalid UTF-8, and data after
// the value are refused.

// maxInteger is the largest integer that every JSON parser reads exactly.
const maxInteger = 1<<53 - 1

// decode decodes a body into a struct of pointers and slices, with nil for missing and null members; read turns the
// struct into the request. All field errors are reported together. The library stops at the first error and accepts
// arrays of any length. So bodies that it refuses, and bodies with costly items, are decoded member by member.
func decode[B, R any](body []byte, read func(*B, *fields) *R) (*R, *Problem) {
	var b B
	var wrong fields
	costly := false
	switch any(&b).(type) {
	case *groupsBody, *createBody, *editBody:
		costly = true
	}
	if costly || json.Unmarshal(body, &b, json.RejectUnknownMembers(true)) != nil {
		b = *new(B)
		if p := wrong.body(body, reflect.ValueOf(&b).Elem()); p != nil {
			return nil, p
		}
	}
	r := read(&b, &wrong)
	if len(wrong.errors) > 0 {
		return nil, invalidBody(wrong.errors...)
	}
	return r, nil
}

// body decodes a body member by member, and adds an error for each invalid one. It returns a problem unless the bytes
// are a JSON object.
func (f *fields) body(body []byte, into reflect.Value) *Problem {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true)) // object reports them
	if len(bytes.TrimLeft(body, " \t\r\n")) == 0 {
		return problem(codeMalformedJSON, "the body is empty")
	}
	if kind := d.PeekKind(); kind != '{' && kind != 'n' && kind != 0 {
		return problem(codeMalformedJSON, "the body must be a JSON object, is "+kindName[kind])
	}
	err := f.value(d, into)
	if err == nil {
		if _, err = d.ReadToken(); err == nil {
			return problem(codeMalformedJSON, fmt.Sprintf("up to byte %d there is more than one object", d.InputOffset()))
		}
	}
	var syntactic *jsontext.SyntacticError
	switch {
	case err == io.EOF: //nolint:errorlint // as the decoder has it: after the value
		return nil
	case errors.As(err, &syntactic) && !errors.Is(err, io.ErrUnexpectedEOF):
		return problem(codeMalformedJSON, fmt.Sprintf("at byte %d: %v", syntactic.ByteOffset, syntactic.Err))
	default:
		return problem(codeMalformedJSON, "the body ends before its object does")
	}
}

// value decodes the next value. It returns an error only on invalid JSON; a wrong type is added to f.
func (f *fields) value(d *jsontext.Decoder, into reflect.Value) error {
	kind := d.PeekKind()
	switch {
	case kind == '{' && into.Kind() == reflect.Struct:
		return f.object(d, into)
	case kind == '[' && into.Kind() == reflect.Slice:
		return f.array(d, into)
	}
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	came := kindName[kind]
	if kind == '0' {
		came = fmt.Sprintf("%.40s", raw)
		if n, ok := integerOf(string(raw)); ok {
			raw = strconv.AppendInt(nil, n, 10) // 10.0 and 1e1 are the integer 10
		}
	}
	if json.Unmarshal(raw, into.Addr().Interface()) != nil {
		into.SetZero()
		expected := into.Type()
		if expected.Kind() == reflect.Pointer {
			expected = expected.Elem()
		}
		f.add(fieldWrongType, string(d.StackPointer()), "must be "+typeName[expected.Kind()]+", is "+came)
	}
	return nil
}

// integerOf parses a JSON number that is exactly an integer, at most maxInteger.
func integerOf(text string) (int64, bool) {
	about, err := strconv.ParseFloat(text, 64)
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	switch {
	case !strings.ContainsAny(digits, "123456789"):
		return 0, err == nil
	// Out of range, a fraction below 0.5, or too long for an exact parse.
	case err != nil || len(text) > 64 || math.Abs(about) > maxInteger || math.Abs(about) < 0.5:
		return 0, false
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok || !exact.IsInt() || !exact.Num().IsInt64() {
		return 0, false
	}
	return exact.Num().Int64(), true
}

func (f *fields) object(d *jsontext.Decoder, into reflect.Value) error {
	_, err := d.ReadToken()
	read := map[string]bool{}
	for err == nil && d.PeekKind() != '}' {
		var token jsontext.Token
		if token, err = d.ReadToken(); err != nil {
			break
		}
		if len(f.errors) >= maxFieldErrors {
			err = d.SkipValue()
			continue
		}
		name, names := token.String(), []string(nil)
		var member reflect.Value
		for i := range into.NumField() {
			if names = append(names, into.Type().Field(i).Tag.Get("json")); names[i] == name {
				member = into.Field(i)
			}
		}
		switch at := string(d.StackPointer()); {
		case member.IsValid() && !read[name]:
			read[name] = true
			err = f.value(d, member)
			continue
		case read[name]:
			f.add(fieldDuplicate, at, "appears twice")
		default:
			f.add(fieldUnknown, at, "is not a field of this request; "+thereAre(name, names))
		}
		err = d.SkipValue()
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	return err
}

// mostItems bounds all lists, by pointer, and so the memory of a decoded body.
var mostItems = map[string]int{
	"/groups": maxGroups, "/updateIds": maxLookedUp, "/edits": score.MaxEdits, "/inputActions": score.MaxActions, "/scoreTypes": score.MaxScoreTypes,
	"/owners": score.MaxCreationMembers, "/updaters": score.MaxCreationMembers,
}

func (f *fields) array(d *jsontext.Decoder, into reflect.Value) error {
	at := string(d.StackPointer())
	_, err := d.ReadToken()
	for into.Set(reflect.MakeSlice(into.Type(), 0, 0)); err == nil && d.PeekKind() != ']'; {
		if most := mostItems[at]; into.Len() == most {
			if !f.noted(at) {
				f.add(fieldInvalid, at, fmt.Sprintf("must hold at most %d", most))
			}
			err = d.SkipValue()
			continue
		}
		into.Set(reflect.Append(into, reflect.Zero(into.Type().Elem())))
		err = f.value(d, into.Index(into.Len()-1))
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	return err
}

var (
	kindName = map[jsontext.Kind]string{'"': "a string", '0': "a number", 't': "a boolean", 'f': "a boolean", '[': "an array", '{': "an object"}
	typeName = map[reflect.Kind]string{
		reflect.String: "a string", reflect.Int64: "an integer", reflect.Bool: "a boolean", reflect.Slice: "an array", reflect.Struct: "an object",
	}
)

func request[T any](c *fiber.Ctx, decode func([]byte) (*T, *Problem)) (*T, *Problem) {
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" {
		return nil, problem(codeContentEncoding, "")
	}
	if !isJSON(c.Get(fiber.HeaderContentType)) {
		came := "it is missing"
		if contentType := c.Get(fiber.HeaderContentType); contentType != "" {
			came = fmt.Sprintf("it is %.100q", contentType)
		}
		return nil, problem(codeMediaType, came)
	}
	return decode(c.BodyRaw())
}

// isJSON allows charset=utf-8 as the only parameter.
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
