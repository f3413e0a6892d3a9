package main

type projectsCommand struct {
	Show projectsShowCommand `cmd:"" help:"Show what the directory and the contract know of a project."`
	Edit projectsEditCommand `cmd:"" help:"Edit a project by an owner's signature. The edits are made together, or none of them."`
}
