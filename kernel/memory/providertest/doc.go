// Package providertest is the suite that every memory.Provider runs.
//
// [Run] holds a provider against the contract in memory.Provider and against a
// model of its own that shares no code with memory.State, by random operations.
// It is imported by tests only.
package providertest
