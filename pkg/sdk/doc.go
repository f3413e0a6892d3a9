// Package sdk is the Go client of Scorelay for backends.
//
//   - A Minter makes updateIds that count up. The contract stores used ids in words of 256 bits, so ids that share
//     their first 31 bytes cost a fraction of the gas of random ones.
//   - BuildGroups arranges updates in groups of up to 256, each with one signature (EIP-712) that the contract
//     checks.
//   - A Client calls the HTTP API. It reads the domain to sign under from the API and rejects an unexpected one. It
//     follows any number of updates until they are final.
//   - Retry repeats a call under the same ids, with the delays that the API asks for.
//   - Client.Events streams a project's final events, across reconnects.
//   - A Sender does all of it in the background: it queues updates (on disk if they must survive a crash), sends
//     them, retries, and reports each outcome.
//
// A backend needs only this package: it has aliases for ids, addresses, keys and domains.
//
// Requests use the names of the HTTP API: updateId, targetWallet. In responses, a project's `signing` is its Domain,
// and Status has short names.
//
// Invariants:
//
//   - An id is minted at most once, by one Minter in many goroutines and by any two Minters: each uses its own random
//     prefixes of 28 bytes. No state is stored; a restart begins a new prefix.
//   - A retry uses the same id: an id belongs to its update, and all attempts share it.
//   - An update that Enqueue accepted is either reported as accepted or refused by the API, or still held: in the
//     queue, and in the spool if there is one.
//
// The npm package @scorelay/sdk, in ts, is the same for TypeScript and JavaScript; the vectors in testdata test both.
// docs/ids.md shows how to install and use them.
//
// Rejected: a counter in a file or a database. A copy restored from a backup mints used ids, and two processes that
// share it must lock it. Rejected, too: time in the ids, since clocks repeat themselves.
package sdk
