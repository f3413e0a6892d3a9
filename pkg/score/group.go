package score

// Kind says how a group of updates is written: the low bits of the contract's kind byte.
type Kind uint8

// The kinds.
const (
	KindWord Kind = 1 // ids of one word, each at most once, in ascending order
	KindRuns Kind = 2 // ids of one word, in any order; neighbours of one wallet and score type share a run
	KindFree Kind = 3 // any ids; neighbours of one wallet and score type share a run
)

// MaxSigned is the most updates of one signed group: what one word holds, and what fits one transaction at worst.
const MaxSigned = 256

// GroupSignature is an updater's EIP-712 signature over a group in the compact form of EIP-2098: r, then s with the parity
// of y in its highest bit.
type GroupSignature [64]byte

// Signed marks a run of updates in a longer list as one signed group: they were signed together, in this order and
// kind, so they travel together to the contract, which checks the signature.
type Signed struct {
	First, Count int // Count is 1 … MaxSigned
	Kind         Kind
	Signature    GroupSignature
}
