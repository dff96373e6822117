"""Playing Remi from what one seat may see."""
