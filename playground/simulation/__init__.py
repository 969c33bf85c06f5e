"""The production classes in one process, under doubles for the five seams: virtual time, chosen deaths."""
