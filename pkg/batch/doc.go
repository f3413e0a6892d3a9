// Package batch composes accepted updates into batches: the ordered updates of one transaction. It is pure. Plan
// groups and orders the updates, Builder fills a batch up to its limits, and Horizon chooses the next batch of a lane
// from its backlog. Their comments contain the rules.
//
// # An example
//
// Ten updates of a project P come in, in this order. A and B are signers; h, x, y and z are wallets. w is a word of
// consecutive ids, and w/7 its id with last byte 7; r, s and t are the words of random ids.
//
//	A  w/7   x
//	A  w/8   h
//	A  w/9   h
//	A  w/10  h
//	B  w/11  y
//	B  r/91  z
//	B  s/4   z
//	A  w/20  x  \ signed
//	A  w/21  y  / together
//	A  t/180 x
//
// Plan makes four groups:
//
//	signer  kind              header    updates
//	A       KindRuns          P A w     w/8 h, w/9 h, w/10 h, w/7 x
//	A       KindFree                    t/180 x
//	A       KindWord, signed  w         w/20 x, w/21 y
//	B       KindFree          B         w/11 y, r/91 z, s/4 z
//
// # Invariants
//
//   - A Builder stays within its Limits: MaxBytes of the transaction, and MaxGas by Model.Gas, even if every storage
//     slot unknown to its Model is fresh. The exception is a batch of one signed group, which is indivisible.
//   - Build returns exactly the added updates, with signed groups as given. The same units in the same order always
//     give the same groups.
//   - A batch has an id of a project at most once. A later update with that id goes to a later transaction, since the
//     contract applies the first that it gets, and this must be the first that came, by any signer.
//   - A Horizon offers each unit until it is assigned or removed. Of units with an id in common, the first added is
//     assigned first. Late units and light projects go before any plan.
//   - The order of a batch's updates (groups first, then within each group) is that of the contract's outcomes.
//
// # Rejected
//
//   - Gas by eth_estimateGas: it answers for one moment. A batch behind others may find slots fresh that an estimate
//     saw used, and a batch that runs out of gas reverts as a whole.
//   - Keeping the order of acceptance: scores are independent of it, and sorting lets groups share headers, and
//     updates runs.
//   - The cheapest of all groupings: words compete for one KindFree group, so it takes a search. Instead each word
//     decides by its size, and all small words of a signer together.
//   - The exact cost of a Plan while the batch grows: it takes an account of every run, word and layout for each
//     update. With costAccount's bound, a batch holds 3 % fewer updates with random ids, and hardly fewer with
//     others.
//   - A new plan after each transaction: it passes rarely hit wallets over until they are late, and transactions
//     touch more words.
//   - A longer horizon: with 100,000 updates, transactions touch so many words that part of the gain is lost.
//   - Waiting for a word that is nearly complete: with a backlog it is complete anyway. In an idle lane a touched
//     word costs little compared with the wallets.
package batch
