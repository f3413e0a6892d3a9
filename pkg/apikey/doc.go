// Package apikey creates, stores and checks the API keys that callers send.
//
// Invariants:
//   - A secret is shown once, at creation. The store keeps its SHA-256, which is enough for 256 random bits and cheap
//     enough for every request. A password hash would be the API's largest cost.
//   - A check reads memory only: every replica watches the bucket (View). A revocation or an edit of terms reaches
//     all replicas usually within a second. Every two seconds a replica asks the bucket's leader whether its view is
//     complete (View.Age). The API accepts writes with keys confirmed at most 5 s ago, and look-ups with keys
//     confirmed at most 15 s ago.
//   - A key is found by its id, which is public, and compared by its hash in constant time.
//   - A right with an unknown name is ignored.
//   - Each replica records a use at most once a minute, as a separate entry beside the key.
//   - A revoked key keeps its record, so lists contain it.
//
// By prefix and checksum, scanners recognise leaked keys, and the API recognises mistyped ones.
package apikey
