package score

// Ref names what has a status: the creation of a project, or one update of it.
type Ref struct {
	Project  ProjectID
	Creation bool
	Update   UpdateID // zero of a creation
}

// CreationRef names the creation of a project.
func CreationRef(project ProjectID) Ref { return Ref{Project: project, Creation: true} }

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
