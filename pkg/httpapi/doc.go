// Package httpapi is the front door: it checks an update, makes it durable, and answers; and it tells how far accepted
// updates and projects have come. It is the only package that knows Fiber.
//
// The way of an update and of a signed group is in accept.go: read, verify, and one commit sequence for both (accept). Its
// commit point is the stream's ack.
//
// Invariants:
//   - A 200 "accepted" means that the stream has stored and synced the update. Every other answer means that the caller
//     may send the same updateId again: if it was stored after all, the contract applies it once.
//   - A signed group is stored whole, in the bytes' canonical order, in one envelope, or not at all: the contract checks its
//     signature. Its ids are claimed together or not at all, so that no request that waits holds what others wait for.
//   - A 200 "duplicate" is said only of an updateId under which an update was accepted and not rejected, or which is used
//     on the chain. An unresolved claim is no duplicate: the second caller waits for it, and is asked to come back if it
//     takes too long.
//   - Redis decides nothing that matters. Without it updates are accepted unclaimed, each replica limits by itself, and the contract
//     finds the duplicates. What was accepted meanwhile is reported when it is back.
//   - A process has one publish in flight and no timer: what arrives meanwhile shares the next one, so a single request
//     waits for one fsync and a thousand together wait for two.
//   - Everything is bounded: bodies (each, and all in progress, before they are read), headers, connections, requests at once (look-ups also by key), the time a request may take, the memory
//     of caches. What does not fit gets a 4xx or a 503 with Retry-After, not a queue.
//   - What is served is framed so that every parser sees the same requests in the same bytes; anything else closes the
//     connection. fasthttp is more lenient and has no setting for it, so package framing looks at the bytes before it does.
//   - Every request that began before a drain gets its answer.
//   - Errors are typed here and nowhere else: a Problem with a code of codes.go. What is not a Problem is a 500.
//
// Decisions where the interface is silent are in docs of the repository; the ones that shape this package: names are
// resolved to indexes when an update is accepted, so a later action of the same name changes nothing that was accepted;
// a projectId that is taken is a conflict, also for the same creation; the answer's `same` reports whether it was that one,
// for a caller that lost the first answer; scores are decimal strings, since JSON numbers are not safe beyond 2^53.
//
// Rejected: answering before the ack (a 200 that a crash can take back); a timer that collects (latency without need);
// fasthttp's own bounds of connections (it answers in plain text or not at all, and counts IPv4 only) and a bound
// by X-Forwarded-For (a header would decide who is refused);
// more publishes in flight (the fsync queue is serial: measured slower); Fiber's BodyParser (also takes forms
// and XML, unpacks gzip without bound) and its limiter; a dedupe look-up in the chain for each single update (its signature
// is fresh, so Redis still knows its id; a signed group is good forever, so for a group the chain is asked).
package httpapi
