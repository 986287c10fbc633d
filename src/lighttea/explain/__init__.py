"""Why a link was made: facts matched up, contributions to the score, contradictions, alarms."""
