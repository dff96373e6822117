"""A click on something that can be picked, whatever the game."""

from textual.message import Message


class Touched(Message):
    """Something was clicked: its `part` of the desk, such as `card`, and its `index` there."""

    def __init__(self, part: str, index: int) -> None:
        super().__init__()
        self.part = part
        self.index = index
