// Package directory keeps a record of every project on the chain in the KV bucket PROJECTS: one JSON document per
// project, keyed by the 64 hex digits of its id. A checkpoint marks how far the documents include the ledger. A
// relayer writes it (package index, DirectoryFold). Every API replica watches it into memory (View), so that checking
// a signer's membership costs no round trip.
//
// Invariants:
//   - A document is a pure function of the contract's final events: up to the checkpoint's position, or a later one
//     if a writer crashed. While the checkpoint lacks a position, or has Gaps set, some documents may be older.
//   - The checkpoint is the fence, a compare-and-set on the revision that its writer read. Each document is written
//     under a revision of the checkpoint. The server stores it, in one step, only if that is still the newest
//     (Nats-Expected-Last-Subject-Sequence-Subject). So a stored document was computed from the current checkpoint. A
//     writer that slept, or follows a replaced chain, is refused.
//   - The directory is a copy. The chain decides again when an update is executed, and the fold rebuilds an emptied
//     bucket.
//
// Rejected: asking the chain per request: an update costs a round trip, and a slow node stops the API. One document
// with all projects: each edit would rewrite all of it, and messages have a maximum size. Letting the document with
// the higher position win: after a reorg the right one may be the lower.
package directory
