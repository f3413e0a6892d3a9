package httpapi

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// plainBody is a body whose members are all texts and integers, and which is read by the hundred thousand: in one pass,
// without reflection.
type plainBody interface {
	// member returns where a member goes: a **string, a **int64, or nil of one that there is not.
	member(name string) any
}

// plainReader reads tokens from a body as it is, without a copy.
type plainReader struct {
	body    bytes.Buffer
	decoder *jsontext.Decoder
}

var plainReaders = sync.Pool{New: func() any {
	r := new(plainReader)
	r.decoder = jsontext.NewDecoder(&r.body)
	return r
}}

// readPlain reads a body that is as nearly all are: an object with members of the right types, none of them null, written
// without escapes. Of any other it tells that it did not: decode then reads it again by reflection, and finds what is wrong, if
// anything is. So a body that is refused is refused in one place only, with the same words. The syntax is checked by the same
// decoder here and there: UTF-8, names that appear twice, what comes after the value.
func readPlain(body []byte, into plainBody) bool {
	r := plainReaders.Get().(*plainReader)
	defer plainReaders.Put(r)
	r.body = *bytes.NewBuffer(body)
	r.decoder.Reset(&r.body)
	defer func() { r.body = bytes.Buffer{} }() // fasthttp uses the body's memory again

	text := string(body) // that all members share
	next := func() (string, bool) {
		value, err := r.decoder.ReadValue()
		if err != nil {
			return "", false
		}
		end := int(r.decoder.InputOffset())
		return text[end-len(value) : end], true
	}
	if token, err := r.decoder.ReadToken(); err != nil || token.Kind() != '{' {
		return false
	}
	for r.decoder.PeekKind() == '"' {
		name, ok := next()
		if !ok {
			return false
		}
		to := into.member(name[1 : len(name)-1])
		value, ok := next()
		if !ok || !setPlain(to, value) {
			return false
		}
	}
	if token, err := r.decoder.ReadToken(); err != nil || token.Kind() != '}' {
		return false
	}
	_, err := r.decoder.ReadToken()
	return errors.Is(err, io.EOF)
}

// setPlain sets a member to a value as it is written.
func setPlain(to any, value string) bool {
	switch to := to.(type) {
	case **string:
		if value[0] != '"' || strings.IndexByte(value, '\\') >= 0 {
			return false
		}
		inside := value[1 : len(value)-1]
		*to = &inside
		return true
	case **int64:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return false
		}
		*to = &n
		return true
	}
	return false
}
