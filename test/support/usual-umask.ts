// Configs that a test writes are refused where its shell lets others write new files.
process.umask(0o022);
