// Package apikey makes, keeps and checks the keys callers of the API carry.
//
// Invariants:
//   - A secret is shown once, when it is made. What is stored is the SHA-256 of it: enough for 256 random bits, which no
//     one can guess through, and cheap enough for every request (a password hash would be the API's largest cost).
//   - Checking a request asks no store: every replica watches the bucket into memory (View). A revocation is pushed to
//     all of them, as a rule within a second. Every two seconds a replica asks the bucket's leader whether it has all (View.Age): the API
//     stores nothing for a key that may have been revoked more than five seconds ago, and answers no look-up after fifteen.
//   - A key is found by its id, which is no secret, and compared by its hash in constant time.
//   - What a key allows (its terms) is in its record, so an edit holds on every replica as soon as a revocation does. A right of a name
//     that a program does not know is none.
//   - A use is noted once a minute at most by each replica, as a value of its own beside the key's: so a look at a key costs no write.
//   - Revoking keeps the record, so that a list tells what has been.
//
// The prefix and the checksum make a leaked key recognisable to scanners and a mistyped one to us, without a look-up.
package apikey
