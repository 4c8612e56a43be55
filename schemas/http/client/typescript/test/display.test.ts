import assert from "node:assert/strict";
import { test } from "node:test";
import { directionOf, formatDay, formatMicro, formatMoney, remaining } from "../src/index.js";

const latin = (text: string) => text.replace(/[\u00a0\u200e\u200f\u061c]/g, " ").trim();

test("amounts have the exponent of the API", () => {
  for (const [amountMinor, currency, exponent, want] of [
    [490050, "AFN", 2, "AFN 4,900.50"],
    [5, "USD", 2, "$0.05"],
    [-1205, "USD", 2, "-$12.05"],
    [120000, "IRR", 2, "IRR 1,200.00"],
    [1200, "JPY", 0, "¥1,200"],
    [9007199254740991, "USD", 2, "$90,071,992,547,409.91"],
  ] as const) {
    assert.equal(latin(formatMoney({ amountMinor, currency, exponent }, "en")), want);
  }
});

test("amounts of the reservation service are millionths", () => {
  for (const [amountMicro, currency, want] of [
    ["4900500000", "AFN", "AFN 4,900.50"],
    ["-50000", "USD", "-$0.05"],
    ["0", "USD", "$0.00"],
    ["1234567", "EUR", "€1.234567"],
    ["9007199254740993000000", "USD", "$9,007,199,254,740,993.00"],
  ] as const) {
    assert.equal(latin(formatMicro({ amountMicro, currency }, "en")), want);
  }
});

test("a locale may name its calendar and digits", () => {
  assert.match(formatDay("2027-03-21", "fa-IR-u-nu-latn"), /1 فروردین 1406/);
  assert.match(formatDay("2027-03-21", "fa-IR-u-ca-gregory-nu-latn"), /2027/);
});

test("days are in the calendar of the language", () => {
  assert.equal(formatDay("2027-03-21", "en"), "March 21, 2027");
  assert.match(formatDay("2027-03-21", "fa-IR"), /۱ فروردین ۱۴۰۶/);
  assert.match(formatDay("2027-03-21", "ps-AF"), /۱۴۰۶/);
});

test("directions", () => {
  for (const locale of ["ps-AF", "fa-AF", "fa-IR", "ur-PK", "ar-AE", "prs"]) assert.equal(directionOf(locale), "rtl", locale);
  assert.equal(directionOf("en"), "ltr");
});

test("the time left is by the clock of the server", () => {
  const left = remaining("2026-11-20T12:10:00.000Z", "2026-11-20T12:00:00.000Z", Date.now() - 60_000);
  assert.ok(left > 530_000 && left <= 540_000, `${left}`);
  assert.equal(remaining("2026-11-20T12:00:00.000Z", "2026-11-20T12:00:01.000Z", Date.now()), 0);
});
