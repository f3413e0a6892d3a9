// Package webhook sends a project's finalized events to HTTP endpoints, according to the Standard Webhooks
// specification (https://www.standardwebhooks.com): signed POSTs, each retried until it is answered 2xx.
//
// Events are read from the ledger (package event) and never queued here. Each endpoint has a stored cursor, and one
// page of events in memory.
//
// # Invariants
//
//   - An endpoint's cursor moves past events that were answered 2xx or not asked for, and is written afterwards. So
//     each event is delivered at least once, whichever process dies. A crash repeats at most half a second of
//     deliveries.
//   - An endpoint's events arrive in the ledger's order, one POST at a time. A POST without a 2xx delays the later
//     ones of its endpoint only: each endpoint has its own goroutine, cursor and connections.
//   - A reorg deeper than finality is an event (event.ChainRewound). It is sent whatever types an endpoint asked
//     for.
//   - Events are never skipped. An endpoint that fails for a day, or answers 410, is disabled with a reason and
//     keeps its cursor. Once enabled again, it continues there. To skip an event, an operator moves the cursor.
//   - One relayer delivers, under a lease. Two may briefly hold it and deliver; the state's compare-and-set lets
//     one of them write.
//   - Every relayer watches the endpoints, so that unserved endpoints are reported.
//   - Addresses are checked after name resolution, when dialed. Only public addresses and those that the operator
//     allowed are reached. Redirects are not followed, and proxies of the environment are ignored.
//   - Operators write endpoints. The relayer writes their states, and disables endpoints. Each has its own bucket,
//     so that watchers of endpoints do not receive a write per delivery.
//
// # Throughput
//
// With single POSTs, the rate is one event per round trip. An endpoint may ask for batches, which contain up to that
// many available events. BenchmarkDelivery on two shared cores, over loopback: 16,000 events/s singly, 140,000 in
// batches of 100. With a receiver that answers after 20 ms: some 45 singly, 4,600 in batches of 100, 20,000 in
// batches of 500.
//
// # Rejected
//
//   - Concurrent POSTs with a cursor at the oldest: the receiver would see a project's change before its creation,
//     and would have to order scores by time. Batches are as much faster, in order, and cost the receiver one
//     signature for all.
//   - A JetStream stream of deliveries: a bounded copy of the chain for each endpoint, lost or full while an
//     endpoint is down.
//   - Skipping an event after its retries: it would be lost silently, and the next one would most often fail, too.
package webhook
