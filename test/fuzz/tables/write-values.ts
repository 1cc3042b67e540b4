import type { Draw } from "../../chaos/random.ts";
import type { DrawnValue } from "./drawn-table.ts";

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** How one file writes its dates. */
export interface DateStyle {
  readonly order: "DMY" | "MDY" | "YMD" | "DMY2" | "YMD2" | "named" | "compact";
  readonly separator: string;
  readonly isPadded: boolean;
  readonly time: string;
}

/** How one column writes its amounts. */
export interface AmountStyle {
  readonly decimals: number;
  readonly mark: string;
  readonly group: string;
  readonly before: string;
  readonly after: string;
  readonly negative: "front" | "back" | "brackets" | "sign";
  /** True if trailing zeros are not written. */
  readonly isTrimmed: boolean;
}

export function drawDateStyle(draw: Draw): DateStyle {
  const separator = draw.oneOf(["/", "/", "/", "-", "."]);
  return {
    order: draw.percent(2)
      ? "YMD2"
      : draw.oneOf(["DMY", "DMY", "MDY", "YMD", "YMD", "DMY2", "named", "compact"] as const),
    separator,
    isPadded: draw.percent(80),
    time: draw.percent(8) ? draw.oneOf([" 14:30", " 00:00:00"]) : "",
  };
}

export function drawDate(
  draw: Draw,
  style: DateStyle,
  years: readonly [number, number] = [2012, 2026],
): DrawnValue {
  const year = draw.between(...years);
  const month = draw.between(1, year === 2026 ? 10 : 12);
  const day = draw.between(1, 28);
  const two = (number: number): string => String(number).padStart(2, "0");
  const right = `${year}-${two(month)}-${two(day)}`;
  const part = style.isPadded || style.order === "YMD2" ? two : String;
  const [d, m, s] = [part(day), part(month), style.separator];
  const short = String(year).slice(2);
  const written = {
    DMY: `${d}${s}${m}${s}${year}`,
    MDY: `${m}${s}${d}${s}${year}`,
    YMD: `${year}${s}${m}${s}${d}`,
    DMY2: `${d}${s}${m}${s}${short}`,
    YMD2: `${short}${s}${m}${s}${d}`,
    named: `${d}-${MONTHS[month - 1]!}-${year}`,
    compact: right.replaceAll("-", ""),
  }[style.order];
  return { written: written + (style.order === "compact" ? "" : style.time), right };
}

export function drawAmountStyle(draw: Draw, isComma: boolean): AmountStyle {
  const mark = isComma ? "," : ".";
  const groups = isComma ? ["", " ", "\u00a0", "\u202f", "."] : ["", "", ",", "'"];
  const units = isComma ? ["#", "#", "#", "# €", "# EUR"] : ["#", "#", "#", "$#", "£#"];
  const [before = "", after = ""] = draw.oneOf(units).split("#");
  return {
    decimals: draw.oneOf([2, 2, 2, 2, 0, 1, 3]),
    mark,
    group: draw.oneOf(groups),
    before,
    after,
    negative: draw.oneOf(["front", "front", "back", "brackets", "sign"] as const),
    isTrimmed: draw.percent(12),
  };
}

/** Writes a number of units, which are cents if there are two decimals. */
export function writeAmount(units: number, style: AmountStyle): DrawnValue {
  const digits = String(Math.abs(units)).padStart(style.decimals + 1, "0");
  const whole = digits.slice(0, digits.length - style.decimals);
  let fraction = digits.slice(whole.length);
  if (style.isTrimmed) fraction = fraction.replace(/0+$/, "");
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, style.group);
  const number = style.before + grouped + (fraction === "" ? "" : style.mark + fraction) + style.after;
  const isNegative = units < 0;
  const right = `${isNegative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
  if (!isNegative) return { written: number, right };
  const written = {
    front: `-${number}`,
    back: `${number}-`,
    brackets: `(${number})`,
    sign: `\u2212${number}`,
  };
  return { written: written[style.negative], right };
}

/** Digits as files write them. */
export function writeDigits(
  digits: string,
  style: "plain" | "formula" | "apostrophe" | "grouped",
): DrawnValue {
  const written = {
    plain: digits,
    formula: `="${digits}"`,
    apostrophe: `'${digits}`,
    grouped: digits.replace(/\B(?=(?:\d{3})+$)/g, " "),
  };
  return { written: written[style], right: digits };
}
