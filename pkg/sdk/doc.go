// Package sdk is the Go client of Scorelay for backends.
//
//   - A Minter makes updateIds that count up. The contract stores used ids in words of 256 bits, so ids that share
//     their first 31 bytes cost a fraction of the gas of random ones.
//   - BuildGroups arranges updates in groups of up to 256, each with one EIP-712 signature that the contract checks.
//   - A Client calls the HTTP API. Client.Expecting makes it reject unexpected domains to sign under.
//   - Retry repeats a call under the same ids, with the delays that the API asks for.
//   - Client.Events streams a project's final events.
//   - A Sender sends updates in the background: it queues them (on disk if they must survive a crash), signs and
//     sends them, retries, and reports each result.
//
// Invariants:
//
//   - An id is minted at most once, even by two Minters: each uses its own random prefixes of 28 bytes. A restart
//     begins a new prefix.
//   - All attempts to send an update use the same id.
//   - An update that Enqueue accepted is reported as accepted or refused by the API. Until then it is held: in the
//     queue, and in the spool if there is one.
//
// The npm package @scorelay/sdk, in ts, is the same for TypeScript and JavaScript; the vectors in testdata test both.
// docs/ids.md shows how to install and use them.
//
// Rejected: a counter in a file or a database. After a restore from a backup it would mint used ids, and processes
// that share it must lock it. Rejected, too: time in the ids, since clocks can be set back.
package sdk
