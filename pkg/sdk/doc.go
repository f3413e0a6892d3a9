// Package sdk is what a backend in Go needs to speak to Scorelay cheaply.
//
//   - A Minter makes updateIds that count up. The contract remembers used ids in words of 256 bits, so ids that share
//     their first 31 bytes cost a fraction of what random ones cost.
//   - BuildGroups writes updates as groups of up to 256, each to be signed once (EIP-712); the contract checks it.
//   - A Client speaks to the HTTP API, which tells what to sign under, and refuses what was not expected. It follows any
//     number of updates until they are final.
//   - Retry repeats a call under the same ids, as long and as often as the API asks for.
//   - Client.Events follows what becomes final of a project, over any number of connections.
//   - A Sender does all of it for a backend that does not want to wait: it queues updates, on disk if it shall survive a crash,
//     sends them when it can, and tells what became of each.
//
// A backend imports this package alone: the types of ids, addresses, keys and domains have names here.
//
// What is sent has the interface's names: updateId, targetWallet. Of what is answered, a project's `signing` is its Domain, as
// every library calls it, and a Status has short names.
//
// Invariants:
//   - No id is minted twice: not by one Minter, from many goroutines at once, and not by any two of them, since each counts
//     under prefixes of its own, 28 random bytes long. So nothing has to be stored, and a restart begins a new prefix.
//   - What is sent again is sent under its old id: an id belongs to its update, not to an attempt.
//   - What Enqueue took is accepted or refused by the API, and reported so, or still held: in the queue, and in the spool if there is one.
//
// The npm package @scorelay/sdk, in ts, is the same for TypeScript and JavaScript; the vectors in testdata keep both alike.
// docs/ids.md shows how to install and use both.
//
// Rejected: a counter kept in a file or a database (a copy restored from a backup mints used ids, and two processes
// that share it have to lock it), and time in the ids (clocks repeat themselves).
package sdk
