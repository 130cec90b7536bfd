"""Models of wire, disk and page: what daemon, shell, terminal and page say to each other."""
