/** An amount in minor units. `exponent` comes from the API; Intl assumes 0 decimals for AFN, IRR and PKR, the API has 2. */
export interface Money {
  amountMinor: number;
  currency: string;
  exponent: number;
}

/**
 * Returns the amount in a language, without rounding: `formatMoney({ amountMinor: 490050, currency: "AFN", exponent: 2 }, "en")` is
 * "AFN 4,900.50".
 */
export function formatMoney(money: Money, locale: string): string {
  const { amountMinor, currency, exponent } = money;
  const format = new Intl.NumberFormat(locale, {
    style: "currency", currency, minimumFractionDigits: exponent, maximumFractionDigits: exponent,
  });
  return format.format(decimal(amountMinor, exponent));
}

/** An amount of the reservation service: millionths of the currency, as text. */
export interface MicroMoney {
  amountMicro: string;
  currency: string;
}

/**
 * Returns the amount in a language, without rounding and with at least two decimals:
 * `formatMicro({ amountMicro: "4900500000", currency: "AFN" }, "en")` is "AFN 4,900.50".
 */
export function formatMicro(money: MicroMoney, locale: string): string {
  const format = new Intl.NumberFormat(locale, { style: "currency", currency: money.currency, minimumFractionDigits: 2, maximumFractionDigits: 6 });
  return format.format(decimal(BigInt(money.amountMicro), 6));
}

/** The amount as decimal text, which Intl formats without rounding. */
function decimal(amount: number | bigint, exponent: number): Intl.StringNumericLiteral {
  const digits = String(amount).replace("-", "").padStart(exponent + 1, "0");
  const whole = digits.slice(0, digits.length - exponent);
  const sign = amount < 0 ? "-" : "";
  return `${sign}${whole}${exponent > 0 ? `.${digits.slice(-exponent)}` : ""}` as Intl.StringNumericLiteral;
}

/** Formats a day such as "2027-03-21" in a language. Dari, Pashto and Persian use the solar calendar, unless the locale names another one. */
export function formatDay(day: string, locale: string): string {
  const { language, calendar } = new Intl.Locale(locale);
  const solar = ["fa", "ps", "prs"].includes(language) && calendar === undefined;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC", ...(solar ? { calendar: "persian" } : {}) });
  return format.format(new Date(`${day}T00:00:00Z`));
}

/** Returns the direction of a language's script, for the attribute `dir`. */
export function directionOf(locale: string): "ltr" | "rtl" {
  return /^(ar|fa|prs|ps|ur)\b/.test(locale) ? "rtl" : "ltr";
}

/**
 * Returns the milliseconds until an instant on the server's clock, such as `holdExpiresAt`, or 0 if it has passed. `serverTime` is from
 * the same response, and `receivedAt` is Date.now() when that response arrived. The clock of the browser may be wrong.
 */
export function remaining(until: string, serverTime: string, receivedAt: number): number {
  return Math.max(0, Date.parse(until) - Date.parse(serverTime) - (Date.now() - receivedAt));
}
