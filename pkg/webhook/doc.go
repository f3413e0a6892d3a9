// Package webhook tells HTTP endpoints what became final of a project, as the Standard Webhooks specification says
// (https://www.standardwebhooks.com): signed POSTs, each again until it is answered 2xx.
//
// What is sent is read from the ledger (package event), so nothing is queued here: of each endpoint a cursor is kept, and one page of events in memory.
//
// # Invariants
//
//   - An endpoint's cursor moves behind what was answered 2xx, or behind events that it did not ask for, and is written after that. So each event
//     is delivered at least once, whichever process dies; one that dies without notice repeats half a second of deliveries at most.
//   - The events of one endpoint come in the ledger's order, one POST after the other. One that is not answered 2xx holds up
//     those behind it, and no other endpoint: each has a goroutine, a cursor and connections of its own.
//   - A reorg deeper than finality is an event like others (event.ChainRewound), which also comes to endpoints that did not ask for its type.
//   - Nothing is skipped. An endpoint that fails for a day, or answers 410, is disabled with its reason and keeps its cursor: enabled again, it
//     continues there. To pass over what it cannot take an operator moves its cursor.
//   - One relayer delivers, under a lease. The lease may have two holders for a moment, who both deliver; the compare-and-set of the
//     state lets one of them write.
//   - Every relayer watches which endpoints there are, so that those that none delivers to show.
//   - What is dialled is checked after the name was resolved, when the address is certain: only public addresses and those that the operator allowed.
//     No redirect is followed, and no proxy of the environment is asked.
//   - Operators write endpoints, the relayer writes their states (and disables); each in a bucket of its own, so that what is written with each
//     delivery is not told to all who watch the endpoints.
//
// # Throughput
//
// One POST after the other carries as many events a second as there are round trips in it. An endpoint that asks for batches gets up to so many events
// in one POST, those that there are. BenchmarkDelivery, on two shared cores: over loopback 16,000 events/s one by one and 140,000 in batches of 100; to a
// receiver that answers after 20 ms some 45 one by one, 4,600 in batches of 100 and 20,000 in batches of 500.
//
// # Rejected
//
//   - Several POSTs at once, with a cursor that follows the oldest: the receiver would see a project's change before its creation, and would have to
//     keep scores by time. Batches are faster by as much, in order, and cost the receiver one signature for all.
//   - A stream of deliveries in JetStream: a copy of the chain for each endpoint, to be bounded, and lost or filled up while an endpoint is down.
//   - Passing over an event after its retries: it would be lost silently, and the next one would most often fail too.
package webhook
