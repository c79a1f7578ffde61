"""Trees of hashes agree with RFC 6962, and a proof leads to the root for its own leaf alone."""

from hashlib import sha256

import pytest

from pbem.features.checkpoints import days
from tests.harness.cases import cases

# The inputs and roots by which implementations of Certificate Transparency are tested.
LEAVES = [bytes.fromhex(text) for text in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def hashes_of_leaves(size: int) -> list[bytes]:
    return [days.leaf_hash(str(index).encode()) for index in range(size)]


@cases("size", range(9))
def test_merkle_roots_equal_those_of_certificate_transparency(size: int) -> None:
    assert days.root_of_leaves(map(days.leaf_hash, LEAVES[:size])).hex() == ROOTS[size]


@cases("size", [1, 2, 3, 7, 8, 9, 31, 33, 100])
def test_every_leaf_has_a_proof_that_leads_to_the_root(size: int) -> None:
    leaves = hashes_of_leaves(size)
    for index, leaf in enumerate(leaves):
        assert days.root_from_proof(days.proof_of_leaf(leaves, index), leaf, index, size) == days.root_of_leaves(leaves)


def test_a_proof_fails_for_another_leaf_index_or_size() -> None:
    leaves = hashes_of_leaves(13)
    root, proof = days.root_of_leaves(leaves), days.proof_of_leaf(leaves, 5)
    assert days.root_from_proof(proof, leaves[6], 5, 13) != root
    assert days.root_from_proof(proof, leaves[5], 4, 13) != root
    for index, size, steps in ((5, 4, proof), (-1, 13, proof), (5, 13, proof[:-1]), (5, 13, [*proof, root])):
        with pytest.raises(days.BadProof):
            days.root_from_proof(steps, leaves[5], index, size)


@cases("size", [1, 4, 5, 8, 13, 16, 17])
def test_a_tree_of_subtree_roots_has_the_same_root_and_proofs_as_the_whole(size: int) -> None:
    leaves, four = hashes_of_leaves(size), 4
    chunks = [leaves[at : at + four] for at in range(0, size, four)]
    roots = [days.root_of_leaves(chunk) for chunk in chunks]
    assert days.root_of_leaves(roots) == days.root_of_leaves(leaves)
    for index in range(size):
        chunk, within = divmod(index, four)
        parts = [*days.proof_of_leaf(chunks[chunk], within), *days.proof_of_leaf(roots, chunk)]
        assert parts == days.proof_of_leaf(leaves, index)


def test_a_leaf_cannot_pass_for_a_node() -> None:
    left, right = hashes_of_leaves(2)
    assert days.leaf_hash(left + right) != days.root_of_leaves([left, right]) != sha256(left + right).digest()
