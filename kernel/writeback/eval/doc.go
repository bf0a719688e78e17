// Package eval measures what the rules of writeback extract.
package eval
