"""`lighttea bench paper`: the experiments of the paper, run again, and a harder protocol.

Data flows one way: settings -> subjects -> groups of experiments -> raw results -> figures ->
tables and plots -> texts.
"""
