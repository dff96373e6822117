"""Playing Romanian whist from what one seat may see."""
