/**
 * A table may have so many columns, in every format. Each costs about 15 kB in the course of a push, so that many more would
 * take over 200 MB; and so many names are data, or the file is none of records.
 */
export const MOST_COLUMNS = 2000;
