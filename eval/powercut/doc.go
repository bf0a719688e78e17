// Package powercut cuts the power of a disk under memory and counts what is lost.
//
// Its tests serve a disk by FUSE, which forgets what was written and not flushed,
// or keeps any part of it, as a disk with a cache may. Over it lie a loop device, a
// file system of the kernel, and a folder of entries. RNIXFS_POWER_CUTS says how
// often each file system is cut. They need root, /dev/fuse and loop devices.
package powercut
