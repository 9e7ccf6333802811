// Checks a log and its proofs with golang.org/x/mod/sumdb, which knows nothing of this product: the signed
// note, the tiles against the tree hash, and proofs of inclusion and consistency, which must also be the very
// ones that it makes itself. The cosignature is checked with crypto/ed25519.
// Usage: log.go DIR, where DIR holds case.json and the log's files. Prints what was checked.
package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type proof struct {
	Index, Size, Old int64
	Proof            [][]byte
}

type cosignature struct {
	Name string
	Key  []byte
	Line string
}

type testCase struct {
	Verifier    string
	Leaves      [][]byte
	Inclusion   []proof
	Consistency []proof
	Cosignature cosignature
}

type tiles struct{ dir string }

func (t tiles) Height() int { return 8 }

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range wanted {
		// x/mod names tile/8/0/000; tlog-tiles leaves the height out.
		name := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(t.dir, name))
		if err != nil {
			return nil, err
		}
		found = append(found, data)
	}
	return found, nil
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func hashes(proof [][]byte) []tlog.Hash {
	var all []tlog.Hash
	for _, one := range proof {
		var hash tlog.Hash
		copy(hash[:], one)
		all = append(all, hash)
	}
	return all
}

func same(ours [][]byte, theirs []tlog.Hash, what string) {
	if len(ours) != len(theirs) {
		must(fmt.Errorf("%s: %d hashes, expected %d", what, len(ours), len(theirs)))
	}
	for i := range ours {
		if !bytes.Equal(ours[i], theirs[i][:]) {
			must(fmt.Errorf("%s: hash %d differs", what, i))
		}
	}
}

func main() {
	dir := os.Args[1]
	text, err := os.ReadFile(filepath.Join(dir, "case.json"))
	must(err)
	var given testCase
	must(json.Unmarshal(text, &given))

	checkpoint, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	must(err)
	verifier, err := note.NewVerifier(given.Verifier)
	must(err)
	opened, err := note.Open(checkpoint, note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := tlog.ParseHash(lines[2])
	must(err)
	if lines[0] != verifier.Name() || size != int64(len(given.Leaves)) {
		must(fmt.Errorf("the checkpoint is of %s with %d leaves", lines[0], size))
	}

	// The reader proves every tile against the tree hash before it uses it.
	tree := tlog.Tree{N: size, Hash: root}
	reader := tlog.TileHashReader(tree, tiles{dir})
	var indexes []int64
	for i := range given.Leaves {
		indexes = append(indexes, tlog.StoredHashIndex(0, int64(i)))
	}
	stored, err := reader.ReadHashes(indexes)
	must(err)
	for i, leaf := range given.Leaves {
		if stored[i] != tlog.RecordHash(leaf) {
			must(fmt.Errorf("leaf %d differs", i))
		}
	}

	treeHash := func(n int64) tlog.Hash {
		hash, err := tlog.TreeHash(n, reader)
		must(err)
		return hash
	}
	for _, p := range given.Inclusion {
		what := fmt.Sprintf("inclusion of %d in %d", p.Index, p.Size)
		must(tlog.CheckRecord(hashes(p.Proof), p.Size, treeHash(p.Size), p.Index, tlog.RecordHash(given.Leaves[p.Index])))
		theirs, err := tlog.ProveRecord(p.Size, p.Index, reader)
		must(err)
		same(p.Proof, theirs, what)
	}
	for _, p := range given.Consistency {
		what := fmt.Sprintf("consistency of %d and %d", p.Old, p.Size)
		must(tlog.CheckTree(hashes(p.Proof), p.Size, treeHash(p.Size), p.Old, treeHash(p.Old)))
		theirs, err := tlog.ProveTree(p.Size, p.Old, reader)
		must(err)
		same(p.Proof, theirs, what)
	}

	signature, err := base64.StdEncoding.DecodeString(strings.Fields(given.Cosignature.Line)[2])
	must(err)
	seconds := binary.BigEndian.Uint64(signature[4:12])
	message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", seconds, opened.Text)
	if !ed25519.Verify(given.Cosignature.Key, []byte(message), signature[12:]) {
		must(fmt.Errorf("the cosignature is wrong"))
	}
	fmt.Printf("note, %d leaves, %d inclusion, %d consistency, cosignature\n",
		size, len(given.Inclusion), len(given.Consistency))
}
