"""Players among themselves, and those who keep order: each sentence of extensions §4, §5 and §7."""
