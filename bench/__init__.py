"""What durability costs: ours beside the physical limit, in one interleaved run, as ratios."""
