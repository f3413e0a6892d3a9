package score

// Ref names what has a status: the creation of a project, an edit of it, or one update.
type Ref struct {
	Project  ProjectID
	Creation bool
	Edit     bool
	Nonce    uint64   // of an edit
	Update   UpdateID // of an update
}

// CreationRef names the creation of a project.
func CreationRef(project ProjectID) Ref { return Ref{Project: project, Creation: true} }

// EditRef names the edit of a project with a nonce.
func EditRef(project ProjectID, nonce uint64) Ref {
	return Ref{Project: project, Edit: true, Nonce: nonce}
}

// Alone tells whether it goes to the contract in a transaction of its own, and is accepted without a claim: the stream has one creation
// of a project, and one edit of a nonce.
func (r *Ref) Alone() bool { return r.Creation || r.Edit }

// UpdateRef names an update of a project.
func UpdateRef(project ProjectID, update UpdateID) Ref { return Ref{Project: project, Update: update} }

// Ref names the update.
func (u *Update) Ref() Ref { return UpdateRef(u.Project, u.ID) }

// Refs names the updates, in order.
func Refs(updates []Update) []Ref {
	refs := make([]Ref, len(updates))
	for i := range updates {
		refs[i] = updates[i].Ref()
	}
	return refs
}
