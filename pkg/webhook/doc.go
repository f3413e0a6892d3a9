// Package webhook sends a project's finalized events to HTTP endpoints as signed POSTs
// (https://www.standardwebhooks.com), each retried until it is answered 2xx.
//
// Events are read from the ledger (package event), one page per endpoint, from its stored cursor.
//
// # Invariants
//
//   - An endpoint's cursor moves past events that were answered 2xx or not asked for, and is written afterwards. So
//     each event is delivered at least once. A crash repeats at most half a second of deliveries.
//   - An endpoint's events arrive in the ledger's order, one POST at a time. A failing POST delays its endpoint only:
//     each endpoint has its own goroutine and cursor.
//   - A reorg deeper than finality is an event (event.ChainRewound) that voids others, so all endpoints get it.
//   - An endpoint that fails for a day, or answers 410, is disabled with a reason. Once enabled again, it continues
//     at its cursor. Only an operator skips events, by moving the cursor.
//   - One relayer delivers, under a lease. Two may briefly hold it and deliver; the state's compare-and-set lets
//     one of them write.
//   - Addresses are checked when dialed, after name resolution. Redirects and the environment's proxies are ignored.
//   - Endpoints and their states have separate buckets, so that watchers of endpoints do not receive a write per
//     delivery.
//
// # Throughput
//
// A round trip delivers one event or, if the endpoint asked for batches, up to a batch. BenchmarkDelivery on two
// shared cores, over loopback: 16,000 events/s singly, 140,000 in batches of 100. If the receiver answers after 20
// ms: 45 singly, 4,600 in batches of 100, 20,000 in batches of 500.
//
// # Rejected
//
//   - Concurrent POSTs with the cursor at the oldest: the receiver would see a project's change before its creation.
//     Batches are as fast, keep the order, and need one signature.
//   - A JetStream stream of deliveries: a bounded copy of the chain per endpoint, lost or full while the endpoint is
//     down.
//   - Skipping an event after its retries: the event would be lost silently, and the next would mostly fail, too.
package webhook
