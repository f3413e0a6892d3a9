// Package load uses the Go SDK as many concurrent backends do, for the operator's tool and for tests. It sends a plan
// as fast as responses arrive (the demo), or an open loop at a fixed rate (the load generator).
//
// It follows the API's rule for callers: until a 200, an update may be sent again under the same updateId. Only a 200
// is a promise, which is followed until the update is final. Until then its outcome is unknown; only the audit of the
// stream and the contract decides whether it is lost.
package load
