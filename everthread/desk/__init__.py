"""The operator's verbs, over the store: what `everthread runs` prints and `/everthread runs` answers."""
