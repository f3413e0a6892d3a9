// Package framing tells where the bytes of a connection are not framed as HTTP/1.1 (RFC 9112) says: its lines, its lengths, and what
// says that it is HTTP at all.
//
// Those in front of an API and the API itself must see the same requests in the same bytes. Where two programs could see
// different ones, a request can be hidden from the first in the body of another. fasthttp, which parses the requests, is more lenient
// and has no setting for it. A Gate decides which bodies may come, before fasthttp makes room for them.
package framing

import (
	"bytes"
	"math"
)

// Flaw is what may be wrong.
type Flaw struct {
	Name   string // a word or two, for metrics and logs
	Detail string // for people
}

// What may be wrong.
var (
	RequestLine = &Flaw{"request_line", "the request line is not `method target HTTP/1.1`"}
	Method      = &Flaw{"method", "the method is unknown"}
	Version     = &Flaw{"version", "the version must be HTTP/1.1 or HTTP/1.0"}
	Line        = &Flaw{"line", "a line does not end in CR LF, or has a CR in it"}
	Folded      = &Flaw{"folded", "a header begins with a space or is continued on the next line"}
	Name        = &Flaw{"name", "a header's name is missing or is no token"}
	Length      = &Flaw{"length", "Content-Length is there twice or is no decimal number"}
	Encoding    = &Flaw{"encoding", "Transfer-Encoding must be `chunked`, once, in HTTP/1.1"}
	Both        = &Flaw{"length_and_encoding", "Content-Length and Transfer-Encoding exclude each other"}
	Trailer     = &Flaw{"trailer", "trailers are not taken"}
	Chunk       = &Flaw{"chunk", "the size of a chunk is not a hexadecimal number, or is too long a line"}
)

// Refused is in place of a flaw where the Gate does not let the body in that the line announces.
var Refused = &Flaw{"refused", "the body may not come"}

// Flaws are all flaws; Refused is none.
var Flaws = []*Flaw{RequestLine, Method, Version, Line, Folded, Name, Length, Encoding, Both, Trailer, Chunk}

// Gate decides which bodies may come.
type Gate interface {
	// LetIn reports whether a body may come. length is its Content-Length, or the sum of the chunks announced so far, at least 1;
	// target and key (X-API-KEY) are cut to 128 bytes, and valid until it returns.
	LetIn(target, key []byte, length uint64) bool
}

// Bounds that keep lengths from overflowing, and lines that fasthttp reads without a bound short.
const (
	maxLengthDigits = 18
	maxChunkDigits  = 12
	maxChunkLine    = 256
	maxKept         = 128 // bytes of a target and of a key; no key and no path that takes a body is longer
)

// part is what the next byte of a connection belongs to.
type part uint8

const (
	inRequestLine part = iota
	inHeaders
	inBody // of known length
	inChunkSize
	inChunk // its CR LF included, which fasthttp checks
	inTrailers
)

// Framing follows the bytes of a connection and tells where they are not framed as RFC 9112 says. fasthttp, which parses
// the requests after it, takes more: it serves what it can make sense of. The zero value is at the start of a connection.
//
// It judges whole lines. The beginning of one may be passed on before its end is seen: fasthttp does nothing before
// the line feed, and every line feed of a head is seen here first.
type Framing struct {
	part    part
	line    []byte // the beginning of a line whose end has not come; fasthttp bounds heads, so this too
	left    uint64 // bytes of the body or chunk that have not come
	old     bool   // HTTP/1.0
	sized   bool   // the head has a Content-Length
	chunked bool   // the head has a Transfer-Encoding
	blank   bool   // an empty line came before the request line

	Gate        Gate   // nil: every body may come
	target, key []byte // the beginnings
	announced   uint64 // bytes of chunks
}

// Follow judges the next bytes, and returns how many of them may be passed on to the server: all, or those before the first
// line that has a flaw, or whose body is Refused. Nothing may be passed on after a flaw but an error.
//
// Where that line begins a request, its first byte is replaced by a question mark and may be passed on, too: a server answers
// an error only after it has read something of a request.
func (f *Framing) Follow(p []byte) (passed int, wrong *Flaw) {
	for passed < len(p) {
		if f.part == inBody || f.part == inChunk {
			n := min(f.left, uint64(len(p)-passed))
			passed += int(n)
			if f.left -= n; f.left == 0 {
				f.bodyRead()
			}
			continue
		}
		end := bytes.IndexByte(p[passed:], '\n') + 1
		if end == 0 {
			f.line = append(f.line, p[passed:]...)
			if f.part == inChunkSize && len(f.line) > maxChunkLine {
				return passed, Chunk
			}
			return len(p), nil
		}
		line, fresh := p[passed:passed+end], f.part == inRequestLine && len(f.line) == 0
		if len(f.line) > 0 {
			line, f.line = append(f.line, line...), nil
		}
		if wrong := f.judge(line); wrong != nil {
			if fresh {
				p[passed] = '?'
				passed++
			}
			return passed, wrong
		}
		passed += end
	}
	return passed, nil
}

// Between reports whether all bytes so far were of whole requests.
func (f *Framing) Between() bool { return f.part == inRequestLine && len(f.line) == 0 }

// InHead reports whether the next byte belongs to a request's head, also of one that has not begun.
func (f *Framing) InHead() bool { return f.part == inRequestLine || f.part == inHeaders }

// letIn asks the gate about a body.
func (f *Framing) letIn(length uint64) *Flaw {
	if f.Gate == nil || f.Gate.LetIn(f.target, f.key, length) {
		return nil
	}
	return Refused
}

func (f *Framing) bodyRead() {
	if f.part == inChunk {
		f.part = inChunkSize
		return
	}
	f.part = inRequestLine
}

// judge takes a line with its line feed.
func (f *Framing) judge(line []byte) *Flaw {
	end := len(line) - 2
	if end < 0 || bytes.IndexByte(line, '\r') != end {
		return Line
	}
	line = line[:end]
	switch f.part {
	case inRequestLine:
		return f.requestLine(line)
	case inHeaders:
		if len(line) == 0 {
			return f.headRead()
		}
		return f.header(line)
	case inChunkSize:
		return f.chunkSize(line)
	default: // after the last chunk
		if len(line) > 0 {
			return Trailer
		}
		f.part = inRequestLine
		return nil
	}
}

// requestLine judges `method target HTTP/1.1`; the target is fasthttp's to judge. One empty line may come before it, which clients
// have sent behind a body (RFC 9112, section 2.2): who skips it and who refuses it see no other request in what follows.
func (f *Framing) requestLine(line []byte) *Flaw {
	if len(line) == 0 && !f.blank {
		f.blank = true
		return nil
	}
	method, rest, _ := bytes.Cut(line, []byte(" "))
	target, version, _ := bytes.Cut(rest, []byte(" "))
	if !IsToken(method) || len(target) == 0 {
		return RequestLine
	}
	switch string(version) {
	case "HTTP/1.1":
	case "HTTP/1.0":
	default:
		if len(version) == 8 && string(version[:5]) == "HTTP/" && isDigit(version[5]) && version[6] == '.' && isDigit(version[7]) {
			return Version
		}
		return RequestLine
	}
	switch string(method) {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT": // which the routes answer, with a 405 at least
	default:
		return Method
	}
	target = append(f.target[:0], target[:min(len(target), maxKept)]...)
	*f = Framing{part: inHeaders, old: version[7] == '0', Gate: f.Gate, target: target, key: f.key[:0]}
	return nil
}

// header judges `Name: value`. Of the values only those are read that say where the request ends.
func (f *Framing) header(line []byte) *Flaw {
	if line[0] == ' ' || line[0] == '\t' {
		return Folded
	}
	colon := bytes.IndexByte(line, ':')
	if colon < 0 || !IsToken(line[:colon]) {
		return Name
	}
	name := line[:colon]
	switch {
	case len(name) == 14 && bytes.EqualFold(name, []byte("Content-Length")):
		length, ok := parseDigits(bytes.Trim(line[colon+1:], " \t"), 10, maxLengthDigits)
		if f.sized || !ok {
			return Length
		}
		f.sized, f.left = true, length
	case len(name) == 17 && bytes.EqualFold(name, []byte("Transfer-Encoding")):
		if f.chunked || f.old || !bytes.EqualFold(bytes.Trim(line[colon+1:], " \t"), []byte("chunked")) {
			return Encoding
		}
		f.chunked = true
	case len(name) == 7 && bytes.EqualFold(name, []byte("Trailer")):
		return Trailer
	case len(name) == 9 && len(f.key) == 0 && bytes.EqualFold(name, []byte("X-API-KEY")):
		key := bytes.Trim(line[colon+1:], " \t")
		f.key = append(f.key, key[:min(len(key), maxKept)]...)
	}
	return nil
}

// headRead tells what follows the head.
func (f *Framing) headRead() *Flaw {
	switch {
	case f.sized && f.chunked:
		return Both
	case f.chunked:
		f.part = inChunkSize
	case f.left > 0:
		f.part = inBody
		return f.letIn(f.left)
	default:
		f.part = inRequestLine
	}
	return nil
}

// chunkSize judges `size` or `size;extensions`, which are ignored.
func (f *Framing) chunkSize(line []byte) *Flaw {
	size, _, _ := bytes.Cut(line, []byte(";"))
	length, ok := parseDigits(size, 16, maxChunkDigits)
	if !ok || len(line) > maxChunkLine {
		return Chunk
	}
	if f.part, f.left = inChunk, length+2; length == 0 {
		f.part, f.left = inTrailers, 0
		return nil
	}
	f.announced += min(length, math.MaxUint64-f.announced)
	return f.letIn(f.announced)
}

// parseDigits reads a number of at most that many digits, with nothing around them.
func parseDigits(text []byte, base uint64, most int) (n uint64, ok bool) {
	if len(text) == 0 || len(text) > most {
		return 0, false
	}
	for _, b := range text {
		digit := uint64(b - '0')
		if letter := b | 0x20; base == 16 && letter >= 'a' && letter <= 'f' {
			digit = uint64(letter-'a') + 10
		} else if !isDigit(b) {
			return 0, false
		}
		n = n*base + digit
	}
	return n, true
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// tokenBytes are the bytes of names and methods (RFC 9110, section 5.6.2).
var tokenBytes = func() (table [256]bool) {
	for b := range table {
		letter := byte(b) | 0x20
		table[b] = letter >= 'a' && letter <= 'z' || isDigit(byte(b)) || bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), byte(b)) >= 0
	}
	return table
}()

// IsToken tells whether the text is a token: a name as those of headers, not empty.
func IsToken(text []byte) bool {
	for _, b := range text {
		if !tokenBytes[b] {
			return false
		}
	}
	return len(text) > 0
}
