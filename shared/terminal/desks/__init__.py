"""How games are laid out on the table screen, and how they are played there."""
