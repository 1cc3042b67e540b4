// Configs that others may write are refused, so tests must not inherit a umask that allows that.
process.umask(0o022);
