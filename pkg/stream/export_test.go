package stream

import "github.com/nats-io/nats.go/jetstream"

// ReadBy has all consumers of the stream and of its dead letters be those of copies that may be behind.
func (s *Stream) ReadBy(copyOf func(jetstream.Stream) jetstream.Stream) {
	s.stream, s.dead.Stream, s.rejected.Stream = copyOf(s.stream), copyOf(s.dead.Stream), copyOf(s.rejected.Stream)
}

// LoadQuiet is how long Journal.Load waits for an entry.
const LoadQuiet = loadQuiet
