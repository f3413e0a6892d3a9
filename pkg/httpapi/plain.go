package httpapi

import "strconv"

// plainBody is a body of texts and integers, and of groups of these, of which very many are read: in one pass, without
// reflection.
type plainBody interface {
	// read reads the body's object; false if it is not as nearly all are.
	read(r *plainReader) bool
}

// plainReader reads a body.
type plainReader struct {
	text  string   // the body, which all that is read of it shares
	at    int      // what was read of it
	texts []string // room for those to come
}

// readPlain reads a body that is as nearly all are: objects with members of the right types, each once, none of them null, written in
// ASCII without escapes. Of any other it tells that it did not: decode then reads it again by reflection, and finds what is wrong, if
// anything is. So a body that is refused is refused in one place only, with the same words, and what is taken here only has to
// be what is taken there, which a fuzz compares. Decoders of tokens were measured, and are slower than reflection.
func readPlain(body []byte, into plainBody) bool {
	r := plainReader{text: string(body)} // fasthttp uses the body's memory again
	return into.read(&r) && r.next() == 0 && r.at == len(r.text)
}

// object reads an object. member returns where a member goes: a **string, a **int64, or what reads it; nil of one that
// there is not.
func (r *plainReader) object(member func(name string) any) bool {
	return r.list('{', '}', func() bool {
		name, ok := r.string()
		return ok && r.takes(':') && r.set(member(name))
	})
}

// array reads an array, each of its values by one.
func (r *plainReader) array(one func() bool) bool { return r.list('[', ']', one) }

// list reads what stands between two bytes and is separated by commas.
func (r *plainReader) list(begin, end byte, one func() bool) bool {
	if !r.takes(begin) {
		return false
	}
	if r.takes(end) {
		return true
	}
	for one() {
		if !r.takes(',') {
			return r.takes(end)
		}
	}
	return false
}

// next is the byte that follows white space; 0 at the end.
func (r *plainReader) next() byte {
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// takes reads one byte, if it is this one.
func (r *plainReader) takes(c byte) bool {
	if r.next() != c {
		return false
	}
	r.at++
	return true
}

// string reads a string of ASCII without escapes.
func (r *plainReader) string() (string, bool) {
	if !r.takes('"') {
		return "", false
	}
	for i := r.at; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '"':
			inside := r.text[r.at:i]
			r.at = i + 1
			return inside, true
		case c == '\\' || c < ' ' || c > '~':
			return "", false
		}
	}
	return "", false
}

// integer reads an integer that is not negative.
func (r *plainReader) integer() (int64, bool) {
	r.next()
	begin := r.at
	for r.at < len(r.text) && '0' <= r.text[r.at] && r.text[r.at] <= '9' {
		r.at++
	}
	digits := r.text[begin:r.at]
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && (len(digits) == 1 || digits[0] != '0')
}

// set reads a member's value, the first of its name.
func (r *plainReader) set(to any) (ok bool) {
	switch to := to.(type) {
	case func() bool:
		return to()
	case **string:
		if *to != nil {
			return false
		}
		if len(r.texts) == 0 {
			r.texts = make([]string, 8)
		}
		*to = &r.texts[0]
		**to, ok = r.string()
		r.texts = r.texts[1:]
	case **int64:
		if *to != nil {
			return false
		}
		n, whole := r.integer()
		*to, ok = &n, whole
	}
	return ok
}
