// Package devnet brings up the servers Scorelay needs, for `scorelay dev` and for tests: NATS with JetStream in this
// process, Redis (redis-server when it is installed, an embedded server otherwise) and a real geth in this process
// behind JSON-RPC over HTTP. For tests there is anvil besides, the one that contracts/package-lock.json pins, which is
// installed when it is missing; package rpcproxy fails in front of either as endpoints do.
//
// They are the real things, not doubles: the NATS server syncs every write like a production one must, the chain has
// geth's pool, fork rules and RPC. Everything listens on 127.0.0.1 only. A port of 0 takes a free one; a server given
// its earlier port and directory comes back with its data, as after a crash, except for the embedded Redis, which keeps
// nothing on disk, and a chain without ChainOptions.Dir.
//
// None of this may be linked into the api or the relayer: only cmd/scorelay and tests import it.
package devnet
