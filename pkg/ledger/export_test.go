package ledger

// Peek decodes a stored message, and returns the position after it but for the sequence.
func Peek(data []byte) (Position, *Message, error) {
	s, err := decodeStored(data)
	if err != nil {
		return Position{}, nil, err
	}
	m, err := s.message()
	return s.at(), m, err
}
