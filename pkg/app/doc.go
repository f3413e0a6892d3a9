// Package app puts the API and the relayer together: it holds their settings, checks them, connects what they need in
// order, wires adapters to engines, and hands the result to package lifecycle. cmd/api and cmd/relayer are thin mains
// around it, and `scorelay dev` runs the same wiring several times in one process.
//
// # Settings
//
// A setting comes from, in this order: the command line, its environment variable, the file named by --config, its
// default. A secret may also come from a file: VARIABLE_FILE names it. Keys that a file has and the program does not
// know are refused, since a mistyped setting would otherwise silently be its default. Variables it does not know are
// not: orchestrators set their own (SCORELAY_API_PORT, for a Kubernetes service of that name).
//
// # Start
//
// The stores may come up after us, so every connection is tried until StartTimeout, saying what is awaited. What
// cannot become right by waiting ends the start at once: a stream of another chain or contract, a server that would
// not keep an acknowledged update through a power cut, a signer without a lane.
package app
