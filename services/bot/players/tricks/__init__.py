"""What bots think about tricks and exact bids, in whichever game."""
