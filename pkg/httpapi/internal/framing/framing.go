// Package framing checks the bytes of a connection against the framing of HTTP/1.1 (RFC 9112): lines, lengths and
// version.
//
// A proxy and the API behind it must see the same requests in the same bytes. Otherwise a request can be hidden from
// the proxy in the body of another. fasthttp is more lenient.
package framing

import (
	"bytes"
	"math"
)

// Flaw is a violation of the framing.
type Flaw struct {
	Name   string // a word or two, for metrics and logs
	Detail string // for people
}

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

// Refused is returned if the Gate refuses the body that a line announces.
var Refused = &Flaw{"refused", "the body may not come"}

// Flaws excludes Refused.
var Flaws = []*Flaw{RequestLine, Method, Version, Line, Folded, Name, Length, Encoding, Both, Trailer, Chunk}

// Gate admits bodies before fasthttp allocates memory for them.
type Gate interface {
	// LetIn reports whether a body is admitted. length is its Content-Length, or the sum of the chunks announced so
	// far, at least 1. target and key (X-API-KEY) are cut to 128 bytes, and valid until LetIn returns.
	LetIn(target, key []byte, length uint64) bool
}

// Limits: against overflow of lengths, and for lines that fasthttp reads without a limit.
const (
	maxLengthDigits = 18
	maxChunkDigits  = 12
	maxChunkLine    = 256
	maxKept         = 128 // bytes of a target and of a key; enough for keys and paths that take a body
)

type part uint8

const (
	inRequestLine part = iota
	inHeaders
	inBody // of known length
	inChunkSize
	inChunk // with its CR LF, which fasthttp checks
	inTrailers
)

// Framing checks the bytes of one connection, from its start, before fasthttp parses them.
//
// It checks whole lines. The beginning of a line may be passed on before its end arrives, since fasthttp does nothing
// before the line feed. Framing sees every line feed of a head first.
type Framing struct {
	part    part
	line    []byte // the beginning of an incomplete line, bounded as fasthttp bounds heads
	left    uint64 // bytes of the body or chunk
	old     bool   // HTTP/1.0
	sized   bool   // Content-Length came
	chunked bool   // Transfer-Encoding came
	blank   bool   // an empty line came before the request line

	Gate        Gate   // nil admits every body
	target, key []byte // cut to maxKept bytes
	announced   uint64 // bytes of the chunks so far
}

// Follow checks the next bytes, and returns how many may be passed on to the server: all, or those before the first
// line with a flaw or a Refused body. After a flaw, only an error may be passed on.
//
// If that line begins a request, Follow replaces the line's first byte by a question mark, which may be passed on,
// too. The reason: a server sends an error only after it has read part of a request.
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

// Between reports whether all bytes so far belong to complete requests.
func (f *Framing) Between() bool { return f.part == inRequestLine && len(f.line) == 0 }

// InHead reports whether the next byte belongs to a request's head, which may not have begun.
func (f *Framing) InHead() bool { return f.part == inRequestLine || f.part == inHeaders }

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

// judge checks a line with its line feed.
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
	default: // inTrailers
		if len(line) > 0 {
			return Trailer
		}
		f.part = inRequestLine
		return nil
	}
}

// fasthttp checks the target. One empty line may precede the request line, as clients have sent after a body (RFC
// 9112, section 2.2). Parsers that skip it and parsers that refuse it see the same requests after it.
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
	// The routes answer all of these, with a 405 at least.
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT":
	default:
		return Method
	}
	target = append(f.target[:0], target[:min(len(target), maxKept)]...)
	*f = Framing{part: inHeaders, old: version[7] == '0', Gate: f.Gate, target: target, key: f.key[:0]}
	return nil
}

// header reads only the values that determine the end of the request, and the API key.
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

// chunkSize ignores extensions.
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

// parseDigits accepts 1 … most digits, without surrounding characters.
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

// RFC 9110, section 5.6.2.
var tokenBytes = func() (table [256]bool) {
	for b := range table {
		letter := byte(b) | 0x20
		table[b] = letter >= 'a' && letter <= 'z' || isDigit(byte(b)) || bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), byte(b)) >= 0
	}
	return table
}()

// IsToken reports whether text is a token, such as a header's name: at least one byte, all from tokenBytes.
func IsToken(text []byte) bool {
	for _, b := range text {
		if !tokenBytes[b] {
			return false
		}
	}
	return len(text) > 0
}
