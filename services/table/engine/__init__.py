"""The rules of the games: pure, typed, and dependent on nothing but the standard library."""


def build() -> str:
    """Which build of the engine this is: `plain`, or the name of the compiled build that was loaded."""
    return "plain" if __file__.endswith(".py") else __file__.replace("\\", "/").split("/")[-5]
