package relay

import (
	"slices"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
)

// breakEndpoint draws a fault for a node, or for a replica's connection to it.
func (r *simRun) breakEndpoint() {
	i := r.draw(len(r.nodes))
	n, f := r.nodes[i], &r.nodes[i].Faults
	what := r.plan.endpoints[r.draw(len(r.plan.endpoints))]
	if r.plan.onlyLies && !r.allBegun() {
		return // a lane's first nonce is taken from accounts; where they lie then, and prove nothing, a gap is to be filled
	}
	if r.plan.onlyLies && len(r.nodes) > 1 && !r.alone(i) {
		return // of several endpoints one lies at a time
	}
	percent := []int{30, 60, 100}[r.draw(3)]
	switch what {
	case "lag":
		f.Lag = 1 + uint64(r.draw(12))
	case "stuck":
		f.Stuck = true
	case "fails":
		f.Fails = percent
	case "down":
		f.Down = true
	case "partition":
		replica := r.anyReplica()
		link := replica.client.Links()[r.draw(len(r.nodes))]
		link.Down = !link.Down
	case "send":
		f.Send, f.SendRate = model.SendFault(1+r.draw(model.SendFaults-1)), percent
	case "receipts":
		f.Receipts = percent
	case "nonces":
		f.Nonces, f.Unproved = int64(r.draw(8)-3), true
	case "ahead":
		f.Ahead = 1 + uint64(r.draw(1000))
	case "fake":
		f.Fake = true
		r.watch.faked = true
	case "lists":
		f.Hides = percent
	case "calls":
		if len(r.nodes) == 1 && r.plan.role {
			return // what a lane without its role sends reverts, and the only endpoint may lie about the control, too: docs/evidence.md says so
		}
		f.Calls = percent
	case "early":
		f.Early = true
		r.watch.early = true
	}
	r.note("endpoint %s: %s %+v", n.Name, what, n.Faults)
	n.Sync()
	r.watch.soleLiar = r.watch.soleLiar || slices.ContainsFunc(r.replicas, soleLiar)
}

// soleLiar tells whether a replica may hear of accounts from a liar alone: one lies, and none without a fault is connected.
func soleLiar(replica *simReplica) bool {
	lies := false
	for _, link := range replica.client.Links() {
		if link.Down {
			continue
		}
		if (link.Node.Faults == model.Faults{}) {
			return false
		}
		lies = lies || link.Node.Faults.Nonces != 0
	}
	return lies
}

// alone tells whether no other node than this one has a fault.
func (r *simRun) alone(node int) bool {
	return !slices.ContainsFunc(r.nodes, func(n *model.Node) bool { return n != r.nodes[node] && n.Faults != model.Faults{} })
}

// allBegun tells whether every lane has its first nonce.
func (r *simRun) allBegun() bool {
	for id := range r.ids() {
		if r.watch.states[id].First == nil {
			return false
		}
	}
	return true
}

func (r *simRun) healEndpoint() {
	n := r.nodes[r.draw(len(r.nodes))]
	n.Faults = model.Faults{}
	for _, replica := range r.replicas {
		for _, link := range replica.client.Links() {
			if link.Node == n {
				link.Down = false
			}
		}
	}
	n.Sync()
}
