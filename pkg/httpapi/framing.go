package httpapi

import "bytes"

// flaw is what may be wrong with how a request is framed: with its lines, its length, or what says that it is HTTP at all.
// Those in front of the API and the API itself must see the same requests in the same bytes. Where two programs could see
// different ones, the request is refused and its connection closed, so that nothing that follows is taken for a request.
type flaw struct {
	name   string // label of scorelay_api_malformed_total
	code   Code
	detail string
}

var (
	flawRequestLine = flaw{"request_line", codeMalformedRequest, "the request line is not `method target HTTP/1.1`"}
	flawMethod      = flaw{"method", codeUnknownMethod, ""}
	flawVersion     = flaw{"version", codeHTTPVersion, "it must be HTTP/1.1 or HTTP/1.0"}
	flawLine        = flaw{"line", codeMalformedRequest, "a line does not end in CR LF, or has a CR in it"}
	flawFolded      = flaw{"folded", codeMalformedRequest, "a header begins with a space or is continued on the next line"}
	flawName        = flaw{"name", codeMalformedRequest, "a header's name is missing or is no token"}
	flawLength      = flaw{"length", codeMalformedRequest, "Content-Length is there twice or is no decimal number"}
	flawEncoding    = flaw{"encoding", codeMalformedRequest, "Transfer-Encoding must be `chunked`, once, in HTTP/1.1"}
	flawBoth        = flaw{"length_and_encoding", codeMalformedRequest, "Content-Length and Transfer-Encoding exclude each other"}
	flawTrailer     = flaw{"trailer", codeMalformedRequest, "trailers are not taken"}
	flawChunk       = flaw{"chunk", codeMalformedRequest, "the size of a chunk is not a hexadecimal number, or is too long a line"}
)

// flaws are all of them.
var flaws = []*flaw{
	&flawRequestLine, &flawMethod, &flawVersion, &flawLine, &flawFolded, &flawName, &flawLength, &flawEncoding, &flawBoth, &flawTrailer, &flawChunk,
}

// Bounds that keep lengths from overflowing, and lines that fasthttp reads without a bound short.
const (
	maxLengthDigits = 18
	maxChunkDigits  = 12
	maxChunkLine    = 256
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

// framing follows the bytes of a connection and tells where they are not framed as RFC 9112 says. fasthttp, which parses
// the requests after it, takes more: it serves what it can make sense of. The zero value is at the start of a connection.
//
// It judges whole lines. The beginning of one may be passed on before its end is seen: fasthttp does nothing before
// the line feed, and every line feed of a head is seen here first.
type framing struct {
	part    part
	line    []byte // the beginning of a line whose end has not come; fasthttp bounds heads, so this too
	left    uint64 // bytes of the body or chunk that have not come
	old     bool   // HTTP/1.0
	sized   bool   // the head has a Content-Length
	chunked bool   // the head has a Transfer-Encoding
}

// follow judges the next bytes. It returns the first flaw with the number of bytes before the line that has it, and whether
// that line begins a request of which nothing was followed before.
func (f *framing) follow(p []byte) (passed int, fresh bool, wrong *flaw) {
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
		line := p[passed : passed+end]
		fresh := f.part == inRequestLine && len(f.line) == 0
		if end == 0 {
			f.line = append(f.line, p[passed:]...)
			if f.part == inChunkSize && len(f.line) > maxChunkLine {
				return passed, fresh, &flawChunk
			}
			return len(p), false, nil
		}
		if len(f.line) > 0 {
			line, f.line = append(f.line, line...), nil
		}
		if wrong := f.judge(line); wrong != nil {
			return passed, fresh, wrong
		}
		passed += end
	}
	return passed, false, nil
}

func (f *framing) bodyRead() {
	if f.part == inChunk {
		f.part = inChunkSize
		return
	}
	f.part = inRequestLine
}

// judge takes a line with its line feed.
func (f *framing) judge(line []byte) *flaw {
	end := len(line) - 2
	if end < 0 || bytes.IndexByte(line, '\r') != end {
		return &flawLine
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
			return &flawTrailer
		}
		f.part = inRequestLine
		return nil
	}
}

// requestLine judges `method target HTTP/1.1`; the target is fasthttp's to judge.
func (f *framing) requestLine(line []byte) *flaw {
	method, rest, _ := bytes.Cut(line, []byte(" "))
	target, version, _ := bytes.Cut(rest, []byte(" "))
	if !isToken(method) || len(target) == 0 {
		return &flawRequestLine
	}
	switch string(version) {
	case "HTTP/1.1":
	case "HTTP/1.0":
	default:
		if len(version) == 8 && string(version[:5]) == "HTTP/" && isDigit(version[5]) && version[6] == '.' && isDigit(version[7]) {
			return &flawVersion
		}
		return &flawRequestLine
	}
	switch string(method) {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT": // which the routes answer, with a 405 at least
	default:
		return &flawMethod
	}
	*f = framing{part: inHeaders, old: version[7] == '0'}
	return nil
}

// header judges `Name: value`. Of the values only those are read that say where the request ends.
func (f *framing) header(line []byte) *flaw {
	if line[0] == ' ' || line[0] == '\t' {
		return &flawFolded
	}
	colon := bytes.IndexByte(line, ':')
	if colon < 0 || !isToken(line[:colon]) {
		return &flawName
	}
	name := line[:colon]
	switch {
	case len(name) == 14 && bytes.EqualFold(name, []byte("Content-Length")):
		length, ok := parseDigits(bytes.Trim(line[colon+1:], " \t"), 10, maxLengthDigits)
		if f.sized || !ok {
			return &flawLength
		}
		f.sized, f.left = true, length
	case len(name) == 17 && bytes.EqualFold(name, []byte("Transfer-Encoding")):
		if f.chunked || f.old || !bytes.EqualFold(bytes.Trim(line[colon+1:], " \t"), []byte("chunked")) {
			return &flawEncoding
		}
		f.chunked = true
	case len(name) == 7 && bytes.EqualFold(name, []byte("Trailer")):
		return &flawTrailer
	}
	return nil
}

// headRead tells what follows the head.
func (f *framing) headRead() *flaw {
	switch {
	case f.sized && f.chunked:
		return &flawBoth
	case f.chunked:
		f.part = inChunkSize
	case f.left > 0:
		f.part = inBody
	default:
		f.part = inRequestLine
	}
	return nil
}

// chunkSize judges `size` or `size;extensions`, which are ignored.
func (f *framing) chunkSize(line []byte) *flaw {
	size, _, _ := bytes.Cut(line, []byte(";"))
	length, ok := parseDigits(size, 16, maxChunkDigits)
	if !ok || len(line) > maxChunkLine {
		return &flawChunk
	}
	if f.part, f.left = inChunk, length+2; length == 0 {
		f.part, f.left = inTrailers, 0
	}
	return nil
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

func isToken(text []byte) bool {
	for _, b := range text {
		if !tokenBytes[b] {
			return false
		}
	}
	return len(text) > 0
}
