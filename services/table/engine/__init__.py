"""The rules of the games: pure, typed, and dependent on nothing but the standard library."""
