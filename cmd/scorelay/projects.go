package main

type projectsCommand struct {
	Show projectsShowCommand `cmd:"" help:"Show what the directory and the contract know of a project."`
}
