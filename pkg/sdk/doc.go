// Package sdk is the Go client of Scorelay for backends.
//
//   - A Minter makes updateIds that count up. The contract stores used ids in words of 256 bits, so ids that share
//     their first 31 bytes cost a fraction of the gas of random ones.
//   - BuildGroups arranges updates in groups of up to 256, each with one EIP-712 signature that the contract checks.
//   - A Client calls the HTTP API. After Expecting, it rejects any other domain to sign under.
//   - Retry repeats a call under the same ids, with the delays that the API asks for.
//   - Client.Events streams a project's final events.
//   - A Sender does the rest in the background: it queues updates (on disk if they must survive a crash), sends them,
//     retries, and reports each result.
//
// Invariants:
//
//   - An id is minted at most once, even by two Minters: each uses its own random prefixes of 28 bytes. A restart
//     begins a new prefix.
//   - An id belongs to its update, and all attempts share it.
//   - An update that Enqueue accepted is reported as accepted or refused by the API, or still held: in the queue, and
//     in the spool if there is one.
//
// The npm package @scorelay/sdk, in ts, is the same for TypeScript and JavaScript; the vectors in testdata test both.
// docs/ids.md shows how to install and use them.
//
// Rejected: a counter in a file or a database. A copy restored from a backup mints used ids, and processes that share
// it must lock it. Rejected, too: time in the ids, since clocks repeat themselves.
package sdk
