"""What bots say at the tables, and when. It knows what everybody at the table sees and nothing more."""
