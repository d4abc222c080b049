"""Where bytes come from: paths, folders, patterns, packed files, standard input."""
