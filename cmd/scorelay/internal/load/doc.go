// Package load uses the Go SDK as many concurrent backends do, for the operator's tool and for tests. It sends a plan
// as fast as responses arrive (the demo), or an open loop at a fixed rate (the load generator).
//
// A 200 is a promise, which package load follows until the update is final. Only the audit of the stream and the
// contract decides whether an update is lost.
package load
