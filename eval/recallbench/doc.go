// Command recallbench measures the search over conversations for scripts/bench.
//
//	recallbench generate TURNS FILE     writes made-up turns, a JSON object a line
//	recallbench measure FILE DIR QUERIES
//
// generate makes turns of about 500 bytes from a vocabulary of 100,000 words by
// Zipf's law, the same at each call. measure indexes the turns of FILE in DIR, asks
// the questions of QUERIES (a line each) of the index opened anew, adds turns one by
// one, and prints one JSON object with the figures: times in milliseconds, sizes in
// bytes.
package main
