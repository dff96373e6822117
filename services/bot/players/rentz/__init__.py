"""Playing Rentz from what one seat may see."""
