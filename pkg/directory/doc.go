// Package directory keeps what is known of every project that exists on the chain in the NATS KV bucket PROJECTS: one
// JSON document per project, keyed by the 64 hex digits of its id, and the checkpoint up to which the ledger is in
// them. A relayer writes it (package index, DirectoryFold); every API replica watches it into memory (View),
// so that answering "is this signer a member" costs no round trip.
//
// Invariants:
//   - A document is a pure function of the contract's final events: up to the checkpoint's position, or, where a writer died, a later one. While the
//     checkpoint has no position, or says Gaps, some are as of before.
//   - The checkpoint is the fence. It is written only over the revision that its writer read, and every document is
//     written under a revision of the checkpoint: the server stores it only while that is still the checkpoint's newest
//     revision, in one step (Nats-Expected-Last-Subject-Sequence-Subject). So what a writer decided about a document,
//     it decided from the checkpoint that holds when the document is stored; one that was paused, or follows a chain that
//     was replaced meanwhile, can do no harm, however late it comes.
//   - The directory is a copy. The chain decides again when an update is executed, and after the bucket was emptied
//     the fold makes all of it again.
//
// Rejected: asking the chain per request (an update costs a round trip, and a slow node stops the API); one document
// with all projects (each edit would rewrite all of it, and a message has a bounded size); letting the document with the
// higher position win (after a reorg the right one may be the lower).
package directory
