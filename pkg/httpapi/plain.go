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

// plainBody is a body of texts and integers, and of groups of these, of which very many are read: in one pass, without
// reflection.
type plainBody interface {
	// read reads the body's object; false if it is not as nearly all are.
	read(r *plainReader) bool
}

// plainReader reads tokens from a body as it is.
type plainReader struct {
	body    bytes.Buffer
	decoder *jsontext.Decoder
	text    string // the body, which all that is read of it shares
}

var plainReaders = sync.Pool{New: func() any {
	r := new(plainReader)
	r.decoder = jsontext.NewDecoder(&r.body)
	return r
}}

// readPlain reads a body that is as nearly all are: objects with members of the right types, none of them null, written
// without escapes. Of any other it tells that it did not: decode then reads it again by reflection, and finds what is wrong, if
// anything is. So a body that is refused is refused in one place only, with the same words. The syntax is checked by the same
// decoder here and there: UTF-8, names that appear twice, what comes after the value.
func readPlain(body []byte, into plainBody) bool {
	r := plainReaders.Get().(*plainReader)
	r.body, r.text = *bytes.NewBuffer(body), string(body) // fasthttp uses the body's memory again
	r.decoder.Reset(&r.body)
	defer func() {
		r.body, r.text = bytes.Buffer{}, ""
		plainReaders.Put(r)
	}()
	if !into.read(r) {
		return false
	}
	_, err := r.decoder.ReadToken()
	return errors.Is(err, io.EOF)
}

// object reads an object. member returns where a member goes: a **string, a **int64, or what reads it; nil of one that
// there is not.
func (r *plainReader) object(member func(name string) any) bool {
	if !r.token('{') {
		return false
	}
	for r.decoder.PeekKind() == '"' {
		name, ok := r.value()
		if !ok || !r.set(member(name[1:len(name)-1])) {
			return false
		}
	}
	return r.token('}')
}

// array reads an array of objects, each by one.
func (r *plainReader) array(one func() bool) bool {
	if !r.token('[') {
		return false
	}
	for r.decoder.PeekKind() == '{' {
		if !one() {
			return false
		}
	}
	return r.token(']')
}

// token reads a token that must be of the kind.
func (r *plainReader) token(kind jsontext.Kind) bool {
	token, err := r.decoder.ReadToken()
	return err == nil && token.Kind() == kind
}

// value reads a value, as it is written.
func (r *plainReader) value() (string, bool) {
	value, err := r.decoder.ReadValue()
	if err != nil {
		return "", false
	}
	end := int(r.decoder.InputOffset())
	return r.text[end-len(value) : end], true
}

// set reads a member's value.
func (r *plainReader) set(to any) bool {
	if nested, is := to.(func() bool); is {
		return nested()
	}
	value, ok := r.value()
	if !ok {
		return false
	}
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
		*to = &n
		return err == nil
	}
	return false
}
