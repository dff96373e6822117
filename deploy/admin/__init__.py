"""`levata admin`: the command line of those who run a club."""
