// Package horizon compares the gas per update of two lanes. One chooses each batch from a look-ahead window, the
// horizon; the other takes updates in order.
//
// # Measurement
//
// Gas per update comes from receipts of geth's EVM under the rules of Osaka, with the contract's artifact. Each cell
// has Updates updates. fifo fills one batch.Builder after the other in order of arrival. horizon keeps a
// batch.Horizon full and assigns the updates that it chooses.
//
// Both have the default limits: 2,000 updates, 16,777,216 gas at worst, 128 KiB. The horizon also has its default
// limits, with turns and lateness, on the clock of a chain that gives the lane 30 M gas per second. The rest at the
// end is assigned, and counts.
//
// Every wallet has a score before the measurement. Words of ids are new: each member mints consecutive ids in one
// stream, as the SDK does. Updates come from random projects and members. The lane knows a slot when one of its
// transactions used it: here, as soon as that is assigned, since transactions are applied one after the other.
//
// Planning is the CPU time of all threads without the EVM: adding updates to the horizon, choosing and making
// batches, and learning. It is the median of five runs.
//
// # The bound
//
// A transaction of n updates costs about this much per update, fitted to receipts:
//
//	30,000/n + 4,800/r + 7,200 words/n + 789 pairs/n + 330
//
// where r is updates per wallet, words the number of words of ids, and pairs the number of pairs of a wallet and a
// word.
//
// The bound of a cell is this cost if all updates that a lane can see at once were one transaction, which writes each
// wallet and each word once. The base cost is that of one transaction per 2,000 updates. A lane sees 20,000 updates,
// which are consecutive if there is one project. If several take turns, it sees up to twice a project's share: a pile
// grows from nothing after a turn until the next, so it is then twice its mean.
package horizon
