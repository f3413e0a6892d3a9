// Package standings keeps, in Redis, the projection of the contract's final executions.
package standings
