"""Getting a page from the public internet, and from nowhere else (SEC-3)."""
