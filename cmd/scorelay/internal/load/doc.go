// Package load drives the published Go SDK as many backends at once do, for the operator's tool and for tests: a plan sent
// as fast as answers come back (the demo), and an open loop at a fixed rate (the load generator).
//
// It follows the API's one rule for callers: an update that got no 200 may be sent again under the same updateId. So an
// answer of 200 is a promise, to be followed until it is final, and nothing else is. What has no answer, or no final
// outcome yet, is unknown: whether anything is lost is for the audit to say, which reads the stream and the contract.
package load
