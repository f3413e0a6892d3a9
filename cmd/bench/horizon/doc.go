// Package horizon compares the gas per update of two lanes. One chooses each batch from a look-ahead, the horizon;
// the other (fifo) takes updates in order.
//
// # Measurement
//
// Gas comes from receipts of geth's EVM under the rules of Osaka. Each cell has Updates updates. fifo fills one
// batch.Builder after the other. horizon keeps a batch.Horizon full and assigns the updates that it chooses.
//
// Both have the default limits: 2,000 updates, 16,777,216 gas at worst, 128 KiB. The horizon also has its default
// limits, with turns and lateness, on the clock of a chain that gives the lane 30 M gas per second. The rest at the
// end is assigned, and counts.
//
// Every wallet has a score before the measurement. Words of ids are new: each member mints consecutive ids, as the
// SDK does. Updates come from random projects and members. The lane knows a storage slot once a transaction that used
// it is assigned, because transactions are applied one after the other.
//
// Planning is the CPU time of all threads to add updates, to choose and make batches, and to learn slots, without the
// EVM. It is the median of five runs.
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
// A cell's bound is this cost if all updates that a lane sees at once were one transaction, which writes each wallet
// and each word once. The base cost is that of one transaction per 2,000 updates. A lane sees 20,000 updates. If
// several projects take turns, it sees up to twice a project's share: a project's backlog grows from zero between
// turns. So at its turn, it is twice its mean.
package horizon
