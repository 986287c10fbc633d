"""Given dataset folders, runs the paper's experiments again and hands on a report of them.

Data flows one way: settings -> subjects -> groups of experiments -> raw results -> figures ->
tables and plots -> texts.
"""
