// Package app assembles the API and the relayer. It parses and checks their settings, connects their dependencies in
// order, wires adapters to engines, and runs the result with package lifecycle. cmd/api and cmd/relayer are thin
// mains around package app; `scorelay dev` runs several services in one process.
//
// # Settings
//
// The sources of a setting, in order: the command line, its environment variable, the file named by --config, its
// default. A secret may also come from a file that VARIABLE_FILE names. Unknown keys in the settings file are errors,
// since a mistyped setting would otherwise silently have its default. Unknown variables are allowed, since
// orchestrators set their own (SCORELAY_API_PORT, for a Kubernetes service of that name).
//
// # Start
//
// The stores may start later, so every connection is retried until StartTimeout. A permanent error ends the start at
// once: a stream of another chain or contract, a server that may lose an acknowledged update in a power cut, or only
// keys of signers that have no lane.
package app
