"""`make bench`: ours beside the floor."""

from bench.overhead import main

main()
