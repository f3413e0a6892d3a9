// Package topup keeps the signers of lanes in funds: where a balance falls below a bound, it pays from an account of the operator's, up
// to a ceiling for a UTC day.
//
// Every relayer that has the account's key does so, beside the others: what is paid, and what was paid on a day, is one record in NATS,
// and who loses the compare-and-set of a write reads again and has sent nothing. So no lease is needed, and none would make it safe.
//
// # Invariants
//
//  1. Nothing is sent that is not recorded: a transfer's bytes, and each further attempt of it, are stored together with what they count
//     for the day, at most, before they are sent. After a crash, a lost answer, or by another relayer the same bytes are sent again.
//  2. One transfer is open at a time. It ends when the tracker saw one of its attempts, with its receipt, in a final block; then the next
//     one has the next nonce. So no word of an endpoint, of a nonce or a balance, has a transfer paid twice: a false nonce stops
//     payments, a false balance has as much paid as the day's ceiling allows.
//  3. A day ends by the time of a final block, never by a clock of a machine. What is counted is value and fee at most, and not taken back.
//  4. A nonce that another transaction used, in a final block, stops payments until an operator resumes: the key is used elsewhere, or
//     NATS was restored from an older copy, which does not know what was paid since.
//  5. Only signers that have the relayer role, in a final block, are paid: who can write into NATS can name a lane of its own.
//  6. When the chain loses the final block of the newest transfer, it is open again, under the same bytes.
//
// # An example
//
// Below is 0.5 ether, To 2, PerDay 5. Lane 3 has 0.4. A relayer signs 1.6 ether under nonce 9, for a fee of 0.001 at most, and records it:
// 1.601 of this day. It dies before it sends. Another relayer reads the record ten seconds later, sends the bytes, and, three blocks
// later, records an attempt with a higher fee and sends that: 1.602. The first attempt is in block 100. When block 100 is final the transfer
// has ended, and lane 5 may be next.
//
// # Rejected
//
//   - Several transfers at once: a record for each, and an order among them, to save minutes of what has hours.
//   - To end a transfer when the account's nonce has passed it: that is the endpoints' word where none gives proofs, and it does not say
//     what used the nonce.
//   - To pay from one lane's signer to another: a lane's nonces are its journal's.
package topup
