package process

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// namespace of the uuids made here (RFC 9562, 5.5).
var namespace = uuid.UUID{0x5b, 0x1f, 0x0e, 0x6c, 0x2d, 0x7a, 0x4c, 0x8b, 0x9e, 0x35, 0x61, 0x8d, 0x04, 0xf7, 0xa2, 0xd9}

// ID is the uuid of the conversation that an agent knows as external: always the
// same one, and one that nobody else has (version 5: RFC 9562, 5.5).
func ID(uid uint32, agent, external string) string {
	// The length keeps ("a", "bc") and ("ab", "c") apart.
	return uuid.NewSHA1(namespace, fmt.Appendf(nil, "%d\x00%d\x00%s\x00%s", uid, len(agent), agent, external)).String()
}

// newUUID makes a uuid that sorts by time (RFC 9562, 5.7).
func newUUID() string { return uuid.Must(uuid.NewV7()).String() }

// checkUUID holds a uuid to its one form, so that it is fit as a file's name.
func checkUUID(id string) error {
	if u, err := uuid.Parse(id); err != nil || u.String() != id {
		return memory.Errorf(memory.KindInvalid, "find conversation", "a conversation is named by its uuid, in lower case")
	}
	return nil
}
