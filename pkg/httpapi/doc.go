// Package httpapi is Scorelay's HTTP API. It verifies updates, stores them durably, and reports the progress of
// updates and projects. In pkg, only this package imports Fiber.
//
// Invariants:
//   - A 200 "accepted" means that the stream has stored and synced the update. After any other response the caller
//     may send the same updateId again: even if both are stored, the contract applies one.
//   - A signed group is stored whole, in the canonical order of its signed bytes, in one envelope, or not at all,
//     since the contract checks its signature. Its free ids are claimed all or none, so a waiting request holds no
//     id that others wait for.
//   - A 200 "duplicate" means that an update was accepted under the updateId and not rejected, or that the chain has
//     used the id. While a claim is unresolved, a second caller waits; if that takes too long, it gets a 503 with
//     Retry-After.
//   - Correctness does not depend on Redis. While Redis is down, updates are accepted unclaimed, each replica limits
//     by itself, and the contract finds duplicates. Once Redis is back, the API reports the accepted updates to it.
//   - Updates that arrive during a publish share the next one. So a single request waits for one fsync, and a
//     thousand together wait for two.
//   - Every resource is bounded (Config). Excess gets a 4xx, or a 503 with Retry-After, instead of a queue.
//   - A served request is framed so that every parser sees the same requests in the same bytes. Any other framing
//     closes the connection. See package framing.
//   - Every request that began before a drain gets its response.
//   - An error response is a Problem with a code of codes.go. Errors of other types become a 500.
//   - Names are resolved to indexes when an update is accepted, so a later action of the same name leaves it
//     unchanged.
//   - A taken projectId is a conflict, even for an identical creation. For callers that lost the first response,
//     `same` reports whether the two creations are identical.
//   - Scores are decimal strings, since JSON numbers are exact only up to 2^53.
//
// Rejected:
//   - A response before the ack: a crash can revoke such a 200.
//   - A timer that collects updates: needless latency.
//   - fasthttp's own limits for connections: it responds in plain text or not at all, and counts IPv4 only.
//   - A limit by X-Forwarded-For: a header would decide which callers are refused.
//   - More publishes in flight: the fsync queue is serial (measured slower).
//   - Fiber's BodyParser, which also accepts forms and XML and unpacks gzip without limit, and its limiter.
//   - A duplicate check on the chain per single update: see accept.
package httpapi
