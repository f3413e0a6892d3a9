// Package load uses the Go SDK as many concurrent backends do, for tests and benchmarks. Run sends a plan as fast as
// responses arrive; Open and Generate send an open loop at a fixed rate.
//
// A 200 is a promise, which Follow follows until the update is final. Only the audit of the stream and the contract
// decides whether an update is lost.
package load
