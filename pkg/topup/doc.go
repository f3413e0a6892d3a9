// Package topup keeps the lanes' signers funded from an operator's account, up to a ceiling per UTC day.
//
// Every relayer with the account's key runs it concurrently. A lease is unnecessary: payments and the day's spending
// are one record in NATS, and a relayer sends only after its compare-and-set.
//
// # Invariants
//
//  1. Each attempt's bytes, and its maximum cost for the day, are recorded before they are sent. After a crash or a
//     lost response, any relayer sends the same bytes again.
//  2. One transfer is pending at a time, until the tracker has seen one of its attempts, with its receipt, in a final
//     block. The next transfer has the next nonce. So an endpoint cannot cause a double payment: a false nonce stops
//     payments, a false balance costs at most the day's ceiling.
//  3. Days follow the timestamps of final blocks. Value and maximum fee count, and are never taken back.
//  4. If a final block has another transaction with a nonce of ours, payments stop until an operator resumes. Either
//     the key is used elsewhere, or NATS was restored from an older copy.
//  5. Only signers with the relayer role in a final block are paid: write access to NATS suffices to add a lane.
//  6. If the chain loses the final block of the newest transfer, the transfer is pending again, with the same
//     bytes.
//
// # Rejected
//
//   - Concurrent transfers: each needs a record, and they need an order, to save minutes where hours suffice.
//   - Ending a transfer once the account's nonce has passed it: without proofs the nonce is the endpoints' claim, and
//     another transaction may have used it.
//   - Paying from one lane's signer to another: a lane's nonces belong to its journal.
package topup
