// Command bench measures Scorelay. Its first subcommand, relay, measures the relayers beside the transaction manager that most rollups
// send with, op-service/txmgr of Optimism, whose Queue is what op-batcher uses.
//
//	cd cmd/bench && go run . relay --rtt 50ms          # a table
//	cd cmd/bench && go run . relay --rtt 50ms --json   # figures on the last line
//	cd cmd/bench && go run . horizon --json            # gas per update, see package horizon
//	cd cmd/bench && go run . backlog --json            # updates per second while there is a backlog
//	cd cmd/bench && go run . slowdisk --json           # accepts where a sync of the disk takes 2 ms
//	cd cmd/bench && go run . flood --json              # a quiet project beside a flood, see flood.go
//	cd cmd/bench && go run . hostile                   # another key beside a hostile one, see hostile.go
//	cd cmd/bench && go run . follow                    # calls of an idle deployment, and how late finality is told
//	cd cmd/bench && go run . follow --units --idle 96s # the same of one that rests, in compute units of 30 days
//	cd cmd/bench && go run . replicas --json           # one NATS server beside three, see replicas.go
//	cd cmd/bench && go run . accept --json             # accepts beside what bounds them
//	cd cmd/bench && go run . redis --json              # what an update takes of Redis
//	cd cmd/bench && go run . lanes --json              # how late updates are while lanes change
//	cd cmd/bench && go run . reads --json              # what the projection of scores takes of Redis
//	cd cmd/bench && go run . soak --json               # memory while a million updates wait, and after minutes of load
//
// It is a module of its own, so that nothing of it is in the product's. The peer is in another one inside it (txmgr) and
// runs as a process, since it builds with a fork of go-ethereum. Anvil is installed with npm where it is missing.
//
// # relay: what is the same for all
//
// The node: anvil with a block a second, one for each leg, behind an endpoint that takes --rtt longer for each request. The
// contract, deployed and prepared in the same way: projects whose 100 wallets have scores. The calldata: batches of 100
// updates with consecutive ids, one for each wallet, as a relayer encodes them, with the gas limit that it would set. The window: 64
// transactions in flight in all. Confirmations: one. And who looks: blocks and events are read straight at the node.
//
// Rates are those of the steady part: from the third block with transactions on, for --seconds. What counts is
// what the contract's events say was applied. Each method in a JSON-RPC batch is a call; a batch is one round trip.
//
// # relay: what is measured
//
//   - scorelay: the programs cmd/relayer and cmd/scorelay, built from this source: two relayers that share four lanes, each with
//     a window of 16; NATS in the benchmark's own process, which syncs every write; Redis; SCORELAY_MAX_BATCH=100. Updates are published
//     straight into the stream, ahead of the relayers.
//   - scorelay_one_lane: the same with one lane, so a window of 16; the second relayer stands by.
//   - txmgr: Queue with 64 pending transactions of one account, with the defaults of its prices.
//   - txmgr_cached_fees: the same, but prices are read once a block in the background (GasPriceEstimatorFn).
//   - one_tx_per_update: the same again, with one update in each transaction, as a plain backend sends them.
//   - block_fill: two relayers, four lanes, default batches, random ids, blocks of 30 M gas: gas used by their
//     transactions in a block, as a part of its limit. Median of the steady part.
//   - recovery_s: kill -9 of one of two relayers under load, until each lane it drove has a transaction in a block that was
//     not in the node's pool when it was killed. Median of three.
//   - idle_calls_per_poll: calls of a relayer with nothing to do, in each SCORELAY_POLL_INTERVAL of 500 ms.
//   - catch_up_s: the endpoint refuses for 100 blocks while 2,000 updates come in, then takes 250 ms for each
//     request: until these are applied.
//
// # relay: what is not the same
//
// The peer keeps everything in memory: it loses what is in flight when it ends, has no stream to read from, and makes no
// batches: they are given to it ready. Scorelay syncs every batch to disk before it sends it, knows its updates' outcomes and
// writes a status for each. Its lanes have an account each; the peer has one account, as it is made for, and would need an
// instance for each other one. The peer polls receipts every 100 ms, far more often than its default of 12 s, which is in its favour.
//
// # backlog
//
// A deployment as in relay, with the default settings but for one confirmation and no delay of the endpoint, on blocks of 30 M gas a second.
// A project for each of --lanes lanes, which share --wallets wallets that have scores; popularity is Zipf's with exponent 1, ids
// are consecutive. All updates are published before the relayers start; the run fails if a quarter of them does not wait at its end. The
// steady part begins 35 s after the third block with updates, so that it holds what was passed over for too long.
//
//   - updates_per_s: applied, by the contract's events; gas_per_update: used by their transactions.
//   - block_fill: gas used by these as a part of the blocks' limit; gas_of_tx_limit: as a part of their own limits.
//   - relayer_cores: CPU time of all relayers by their metrics, in each second.
//
// The figure is that of four lanes, the default: the window of one lane, 16 transactions, does not fill a block of a second.
//
// # slowdisk
//
// nats-server as a process of its own that syncs every write, alone and under strace, which delays each sync by 2 ms; sync_ms is how
// long a sync takes, measured in a process that is run in the same way. strace also stops the server for each signal that Go's scheduler
// sends, which is not a disk's fault. For each load a deployment of its own: --lanes lanes, --relayers relayers and one or two
// APIs, each a process, on a chain as in backlog. `scorelay load` sends to 32 projects in an open loop: --rate updates per second in signed
// groups of 50, or --singles one by one. p50_ms and p99_ms are from when a request was due to its answer; each update of a group
// counts.
//
// # redis
//
// A redis-server of its own for each workload, with the append-only file as in production (but no rewrites of it, whose copies would count as
// memory). Updates are claimed by --callers callers at once, each in a call of its own or in groups of 256; marked as accepted in
// envelopes of 256; bound, submitted, included and final in slots of 512. cpu_us is used_cpu_user and used_cpu_sys of
// INFO, bytes the growth of used_memory, for each of --updates updates. CPU time grows on a machine that does other work, since its caches do.
//
// # reads
//
// A redis-server as in redis, and one project of one score type: each of --wallets wallets gets its first score, from 1 to 1,000, in parts of 1,000
// executions; then --executions more, each of a wallet at random, all equally likely, which is the worst there is for Redis: real updates hit few wallets often.
//
//   - bytes_per_wallet: growth of used_memory: the score, which is the total, too, and a share of what is kept once for each project.
//   - executions_per_s: appended one part after the other, by one caller; redis_cpu_us as in redis.
//   - longest_step_ms: the longest entry of Redis's log of what was slow; on a machine that does other work, that work is in it.
//   - page_ms: 50 standings after a cursor at random; page_beside_ms while executions are appended.
//   - rebuilt_per_s: the fold of standings reads --rebuilt updates of 8 projects, on --wallets wallets, from a ledger that holds the events as
//     it emits them, in transactions of 500, and writes them to an empty Redis. A node's answers, of what is older than a ledger, come on top.
//
// # lanes
//
// A deployment of processes as in slowdisk, on a disk that is not slowed: two relayers and one API, on a chain as in backlog, which begins with two
// lanes. The signers' keys are in a keystore that both relayers read; the key of a lane that comes is put there right before. 64 projects
// get --rate updates per second one by one over HTTP in an open loop, each in turn: at 256, one of each project every 250 ms. Each is
// followed in Redis, where statuses are looked up every 50 ms, from its 200 until it is final, with one confirmation.
//
// Phases: steady for --seconds, then `scorelay lanes add`, `replace` and `remove` with --wait, 20 s more after each. Figures of a phase
// are those of the updates accepted in it. The run fails where one is not final within a minute of the last 200, or not applied.
//
//   - errors_5xx, refused: requests with a 5xx, and with neither that nor a 200. Nothing is sent again.
//   - late_s: the phase's max less p99.9 of the steady phase, not less its max: one hiccup in the steady phase would hide what is late.
//     The steady phase's own says how much of such a difference is the machine's.
//   - block_late_s: the same of the time from the 200 to the timestamp of the update's block, whole seconds: what is left without the relayers'
//     reports, which are late where a status store is restored.
//   - moved_projects: those that another lane shall own after the command; command_s: how long it took with --wait, which looks every 2 s.
//
// # follow
//
// A deployment of processes as in lanes, of two lanes, three relayers and two APIs, with blocks of two seconds and two confirmations. Each process has an
// endpoint of its own, which counts calls by method. --source names the checkout whose programs are measured.
//
//   - idle: calls a minute when a project was created, a second of updates is final, and ten seconds have passed. An element of a batch is a call.
//   - busy: the same while --rate updates of the project are sent one by one for --seconds to one API, and until all are final.
//   - final_lag: for each of these, from when the node told the head that makes its block final until the other API, which is asked for all
//     that are not final every 25 ms, says so.
//     Those of a block are final at once, so a run has as many independent samples as blocks.
//   - streams: calls a minute while nothing happens, but each API has an event stream of the project.
//
// # accept
//
// One API with NATS, which syncs every write, Redis and a chain, each a process of its own; no relayers, which would take CPU time that is
// not the API's. In each of --repeat rounds everything is measured in turn, so that what disturbs the machine disturbs what is
// compared; the medians are told. Requests are made before they are sent, over connections that stay open.
//
//   - per_s: a closed loop for --seconds, with 128 requests in progress, or 48 of groups; every answer must be a 200, and of the API
//     one that says accepted. cpu_us_per_update: CPU time of the process that answers, as the system counts it, meanwhile.
//   - p50_ms, p99_ms: an open loop at half of that rate for as long, from when a request was due to its answer.
//   - limits: bare_fiber, a handler that reads the body and answers as many bytes as the API, in a process of its own; recovery_us and
//     parse_us, CPU time of one on one core, with nothing else in its caches; stream_durable_per_s, full envelopes of 1,000 updates,
//     four in flight; redis_pipelined_per_s, SET of a small key, 256 in a round trip, four in flight.
//   - single: random ids, a signature each, 32 projects; cpu_limit_us is the bare handler, a recovery and a parse. single_reused:
//     one signature for all updates of a project. groups_256: consecutive ids, a request for each group.
//   - peers: handlers that check nothing. transaction_per_request signs a direct updateScore and sends it to a node of its own, with
//     blocks of 300 M gas; it answers when the node has it, so what it answers may still be lost. publish_per_request publishes each body
//     to a stream of the same NATS server and answers after the ack.
//
// With --cpu-profile it writes a profile of the API under single updates, and measures nothing else.
//
// # soak
//
// The same with two relayers, and blocks of 30 M gas a second. After half a minute of load the memory that processes hold (resident) is read for
// the first time. Then no block is made until --waiting updates were accepted in groups; then blocks are made again, and
// --rate updates a second in groups and --singles one by one are sent in an open loop for --minutes.
package main
