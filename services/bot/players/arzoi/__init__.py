"""Playing Arzoi from what one seat may see."""
