"""What these tests assert in modules that they share is told as fully as what they assert themselves."""

import pytest

pytest.register_assert_rewrite(
    "tests.support.bystanders", "tests.support.guests", "tests.support.proofs", "tests.support.rampage"
)
