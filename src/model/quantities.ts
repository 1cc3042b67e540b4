/** `1,203` */
export function showInteger(value: number): string {
  // Done by hand because loading the data of Intl takes longer than pushing a small file.
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 row`, `1,203 rows`, `2 batches`, `3 retries`, `4 processes` */
export function showCount(value: number, unit: string): string {
  return `${showInteger(value)} ${value === 1 ? unit : pluralOf(unit)}`;
}

/** `1 of 1 row`, `3 of 1,203 rows` */
export function showShare(some: number, all: number, unit: string): string {
  return `${showInteger(some)} of ${showCount(all, unit)}`;
}

/** `1 row is`, `2 rows are` */
export function showCountIs(value: number, unit: string): string {
  return `${showCount(value, unit)} ${value === 1 ? "is" : "are"}`;
}

function pluralOf(unit: string): string {
  if (/ch$|ss$/.test(unit)) return `${unit}es`;
  return /[^aeiou]y$/.test(unit) ? `${unit.slice(0, -1)}ies` : `${unit}s`;
}

/** `512 bytes`, `1 MiB`, `1.5 GiB` */
export function showBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), BYTE_UNITS.length);
  if (step === 0) return `${bytes} bytes`;
  return `${Math.round((bytes / 1024 ** step) * 10) / 10} ${BYTE_UNITS[step - 1]}`;
}

const BYTE_UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

/** `0.8 s`, `3 min 05 s`, `2 h 07 min` */
export function showDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const pad = (value: number): string => String(value).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
}

/** `line 7`, `lines 2-501` */
export function showLines(first: number, last: number): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}
