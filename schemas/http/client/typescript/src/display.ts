/** An amount in whole minor units. `exponent` is the API's, which is not that of Intl for AFN, IRR and PKR. */
export interface Money {
  amountMinor: number;
  currency: string;
  exponent: number;
}

/** Returns the amount in a language, exactly: `formatMoney({ amountMinor: 490050, currency: "AFN", exponent: 2 }, "en")` is "AFN 4,900.50". */
export function formatMoney(money: Money, locale: string): string {
  const { amountMinor, currency, exponent } = money;
  const format = new Intl.NumberFormat(locale, {
    style: "currency", currency, minimumFractionDigits: exponent, maximumFractionDigits: exponent,
  });
  return format.format(decimal(amountMinor, exponent));
}

/** The amount as decimal text, which Intl formats without rounding. */
function decimal(amountMinor: number, exponent: number): Intl.StringNumericLiteral {
  const digits = String(Math.abs(amountMinor)).padStart(exponent + 1, "0");
  const whole = digits.slice(0, digits.length - exponent);
  const sign = amountMinor < 0 ? "-" : "";
  return `${sign}${whole}${exponent > 0 ? `.${digits.slice(-exponent)}` : ""}` as Intl.StringNumericLiteral;
}

/** Returns a day such as "2027-03-21" in a language and its calendar, which is the solar one for fa-AF, fa-IR and ps-AF. */
export function formatDay(day: string, locale: string): string {
  const solar = /^(fa|ps|prs)\b/.test(locale);
  const format = new Intl.DateTimeFormat(solar ? `${locale}-u-ca-persian` : locale, { dateStyle: "long", timeZone: "UTC" });
  return format.format(new Date(`${day}T00:00:00Z`));
}

/** Returns the direction of a language's script. */
export function directionOf(locale: string): "ltr" | "rtl" {
  return /^(ar|fa|prs|ps|ur)\b/.test(locale) ? "rtl" : "ltr";
}

/**
 * Returns the milliseconds until an instant of the server, such as `holdExpiresAt`. `serverTime` is from the same answer and
 * `receivedAt` the Date.now() at which it arrived: the clock of the browser may be wrong.
 */
export function remaining(until: string, serverTime: string, receivedAt: number): number {
  return Math.max(0, Date.parse(until) - Date.parse(serverTime) - (Date.now() - receivedAt));
}
