// Package directory keeps a record of every project on the chain in the KV bucket PROJECTS. A record is a JSON
// document, under the 64 hex digits of the project's id. A checkpoint marks how far the documents include the ledger.
// A relayer writes the bucket (package index, DirectoryFold). Every API replica watches it into memory (View), so
// that checking a membership costs no round trip.
//
// Invariants:
//   - A document is a pure function of the contract's final events up to the checkpoint's position, or up to a later
//     position if a writer crashed. While the checkpoint lacks a position, or has Gaps set, documents may be older.
//   - The checkpoint is the fence. Each write of a document names a revision of the checkpoint. The server stores the
//     document, in one step, only if that revision is still the newest (Nats-Expected-Last-Subject-Sequence-Subject).
//     So a stored document was computed from the current checkpoint, and a writer that slept, or follows a replaced
//     chain, is refused.
//   - The directory is a copy. The contract checks again when an update is executed, and the fold rebuilds an emptied
//     bucket.
//
// Rejected: asking the chain per request (a round trip, and a slow node stops the API). One document with all
// projects (each edit would rewrite it, and messages have a maximum size). Letting the document with the higher
// position win (after a reorg the right one may be the lower).
package directory
