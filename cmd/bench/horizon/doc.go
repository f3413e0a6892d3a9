// Package horizon measures what an update costs if a lane chooses what it binds from a horizon, beside a lane that binds what
// came first.
//
// # What is measured
//
// Gas per update, from the receipts of geth's EVM under the rules of Osaka, with the contract's artifact. Each cell is
// Updates updates. fifo fills one batch.Builder after the other with them in the order they came; horizon keeps a
// batch.Horizon full of them and binds what it chooses. Both have the default limits: 2,000 updates, 16,777,216 gas at worst,
// 128 KiB; the horizon has its default limits too, with turns and lateness, on a clock that moves as in a chain that gives
// the lane 30 M gas a second. What is left at the end is bound, and counts.
//
// Every wallet has a score before the measurement begins. Words of ids do not exist before: each member mints
// consecutive ids in one stream, as the SDK does. Updates come from projects and members at random.
//
// The lane knows a slot when a transaction of its own has used it: here as soon as that is bound, since one is applied after the other.
//
// Planning is the CPU time of the same without the EVM: adding updates to the horizon, choosing and making batches, and learning. It is the
// median of five times, of all threads.
//
// # The bound
//
// A transaction of n updates costs about this much for each of them, fitted to receipts:
//
//	30,000/n + 4,800/r + 7,200 words/n + 789 pairs/n + 330
//
// where r is updates per wallet, words the words of ids, and pairs the pairs of a wallet and a word that it touches. The bound
// of a cell is what that comes to if all updates that a lane can see at once were one transaction, with the base cost of one
// per 2,000 updates: each wallet and each word is written once. A lane sees 20,000 updates, one after the other if there is one project.
// Of several that take turns it sees up to twice a project's part of them: a pile grows from nothing after a turn until the
// next, so it is twice its mean then.
package horizon
