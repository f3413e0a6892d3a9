// Command bench measures Scorelay. Each subcommand's run function (runRelay, runBacklog, …) describes its method and
// figures; for horizon, package horizon.
//
//	cd cmd/bench && go run . relay --rtt 50ms          # relayers beside op-service/txmgr, a table
//	cd cmd/bench && go run . relay --rtt 50ms --json   # figures on the last line
//	cd cmd/bench && go run . horizon --json            # gas per update
//	cd cmd/bench && go run . backlog --json            # updates per second while there is a backlog
//	cd cmd/bench && go run . slowdisk --json           # accepts if a sync of the disk takes 2 ms
//	cd cmd/bench && go run . flood --json              # a quiet project beside a flood
//	cd cmd/bench && go run . hostile                   # another key beside a hostile one
//	cd cmd/bench && go run . follow                    # calls of an idle deployment, and the lag of finality
//	cd cmd/bench && go run . follow --units --idle 96s # calls of a resting deployment, in compute units of 30 days
//	cd cmd/bench && go run . replicas --json           # one NATS server beside three
//	cd cmd/bench && go run . accept --json             # accepts beside their upper bounds
//	cd cmd/bench && go run . redis --json              # Redis resources per update
//	cd cmd/bench && go run . lanes --json              # lateness of updates while lanes change
//	cd cmd/bench && go run . reads --json              # Redis resources of the score projection
//	cd cmd/bench && go run . load --rate 500           # load for a running deployment
//	cd cmd/bench && go run . stack --relayers 2        # a deployment of separate processes
//	cd cmd/bench && go run . soak --json               # memory with a backlog of a million, and under load
//
// The benchmarks are their own module, so the product does not depend on them. The peer of relay (txmgr) is another
// module, run as a process, because it builds with a fork of go-ethereum. npm installs anvil if it is missing.
package main
