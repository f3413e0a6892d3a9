// Package topup keeps the lanes' signers funded. If a balance falls below a bound, it pays from an operator's
// account, up to a ceiling per UTC day.
//
// Every relayer with the account's key runs it concurrently. Payments and the day's spending are one record in NATS.
// A relayer that loses a compare-and-set has sent nothing, and reads the record again. So a lease is unnecessary, and
// would add no safety.
//
// # Invariants
//
//  1. Everything is recorded before it is sent: the bytes of each attempt, together with its maximum cost for the
//     day. After a crash or a lost response, or by another relayer, the same bytes are sent again.
//  2. One transfer is pending at a time. It ends when the tracker has seen one of its attempts, with its receipt,
//     in a final block. Then the next transfer has the next nonce. So an endpoint's false claims cannot cause a
//     double payment: a false nonce stops payments, a false balance costs at most the day's ceiling.
//  3. Days follow the timestamps of final blocks, never a machine's clock. Value and maximum fee count, and are
//     never taken back.
//  4. If a final block has another transaction with a nonce of ours, payments stop until an operator resumes.
//     Either the key is used elsewhere, or NATS was restored from an older copy that lacks later payments.
//  5. Only signers with the relayer role in a final block are paid: write access to NATS suffices to add a lane.
//  6. If the chain loses the final block of the newest transfer, the transfer is pending again, with the same
//     bytes.
//
// # An example
//
// Below is 0.5 ether, To 2, PerDay 5; lane 3 has 0.4. A relayer signs 1.6 ether under nonce 9, with a fee of at most
// 0.001. It records that (1.601 of the day) and dies before it sends. Ten seconds later another relayer reads the
// record and sends the bytes. Three blocks later it records and sends an attempt with a higher fee (1.602). The first
// attempt is in block 100. Once that is final, the transfer has ended, and lane 5 may be next.
//
// # Rejected
//
//   - Concurrent transfers: each needs a record, and they need an order, to save minutes where hours suffice.
//   - Ending a transfer once the account's nonce has passed it: without proofs that is only the endpoints' claim,
//     and it leaves open which transaction used the nonce.
//   - Paying from one lane's signer to another: a lane's nonces belong to its journal.
package topup
