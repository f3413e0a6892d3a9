// Package export writes a project's updates or scores as CSV or NDJSON, from the contract's events in final blocks.
//
// # Invariants
//
//   - A file is complete: it is written under another name, synced and renamed. An export that fails or is killed
//     leaves an earlier file as it was, and begins again when it is repeated.
//   - A cursor names a block by number and hash. The lines after it are those that a later export of all updates adds.
//   - Scores are written only if they equal the contract's own at the export's last block.
//   - If a reorg deeper than finality replaces blocks of exported updates, the export fails. So it does if blocks before
//     its cursor were replaced: then the earlier export is void, too.
//
// Names come from the project directory. Lists of a project only grow, so its newest record resolves all updates.
package export
