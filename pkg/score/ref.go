package score

// Ref identifies work with a status: a project's creation, an edit or an update.
type Ref struct {
	Project  ProjectID
	Creation bool
	Edit     bool
	Nonce    uint64   // of an edit
	Update   UpdateID // of an update
}

func CreationRef(project ProjectID) Ref { return Ref{Project: project, Creation: true} }

func EditRef(project ProjectID, nonce uint64) Ref {
	return Ref{Project: project, Edit: true, Nonce: nonce}
}

// Alone reports whether the work has a transaction of its own. Such work needs no claim, since the stream holds one
// creation of a project and one edit of a nonce.
func (r *Ref) Alone() bool { return r.Creation || r.Edit }

func UpdateRef(project ProjectID, update UpdateID) Ref { return Ref{Project: project, Update: update} }

func (u *Update) Ref() Ref { return UpdateRef(u.Project, u.ID) }

func Refs(updates []Update) []Ref {
	refs := make([]Ref, len(updates))
	for i := range updates {
		refs[i] = updates[i].Ref()
	}
	return refs
}
