"""Given a run; hands on why links were made: matched facts, parts of scores, alarms."""
