// Package devnet starts the servers that Scorelay needs, for `scorelay dev` and for tests (rig/fresh):
//
//   - NATS with JetStream, in this process.
//   - Redis: redis-server if installed, otherwise an embedded server.
//   - A chain: geth in this process, behind JSON-RPC over HTTP.
//
// NATS syncs every write. Every server listens on 127.0.0.1; port 0 means a free one. A server that restarts with its
// port and directory recovers its data. The embedded Redis and a chain without ChainOptions.Dir keep data in memory
// only.
//
// Only cmd/scorelay, cmd/bench and tests import this package; the api and the relayer must not link it.
package devnet
