"""The loop for agents: what may come after what, and the words that tell the next right step.

``loop`` and ``closing`` hold the rules for every face of the loop, ``words`` the sentences, ``inputs`` what agents
may give us.
"""
