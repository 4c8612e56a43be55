// Books a room with the client, from the search across all hotels to the confirmation:
//   node dist/example/journey.js http://127.0.0.1:8080
import { consumerClient, formatDay, formatMoney, remaining, tenantBookingClient, untilDecided, unwrap } from "../src/index.js";
import { fetchWithCookies } from "./cookies.js";

const baseUrl = process.argv[2];
if (baseUrl === undefined) throw new Error("usage: node dist/example/journey.js BASE_URL");

// A server that renders pages forwards these headers of the visitor's browser.
const visitor = {
  "Accept-Language": "fa-AF",
  "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
};
const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);
const dates = { checkIn: day(30), checkOut: day(32) };
const occupancy = { adults: 2, children: 0, rooms: 1 };

const hotels = consumerClient({ baseUrl, headers: visitor, fetch: fetchWithCookies() });
const found = unwrap(await hotels.searchHotels({ body: { geo: { mode: "city", city: "Kabul" }, dates, occupancy } }));
const hotel = found.body.results.find((h) => h.tenantSlug === "kabul-grand-hotel");
if (hotel === undefined) throw new Error("the search did not find the hotel of the examples");
console.log(`found ${found.body.page.total} hotels, ${hotel.name.display} among them`);

const handoff = unwrap(await hotels.createHandoff({ tenantId: hotel.tenantId, propertyId: hotel.propertyId, body: { dates, occupancy } }));

const site = tenantBookingClient({ baseUrl, tenantSlug: hotel.tenantSlug, headers: visitor, fetch: fetchWithCookies() });
unwrap(await site.consumeHandoff({ body: { token: handoff.body.token } }));
const second = await tenantBookingClient({ baseUrl, tenantSlug: hotel.tenantSlug, headers: visitor, fetch: fetchWithCookies() })
  .consumeHandoff({ body: { token: handoff.body.token } });
if (second.ok || second.problem.code !== "MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED") throw new Error("another browser used the handoff");
console.log(`the handoff of another browser is refused: ${second.problem.code}`);

const { propertyId } = hotel;
const free = unwrap(await site.getAvailability({ propertyId, ...dates, ...occupancy }));
const room = free.body.rooms.find((r) => r.rates.length > 0);
const rate = room?.rates[0];
if (room === undefined || rate === undefined) throw new Error("no room is free");

const quote = unwrap(await site.createQuote({
  body: { propertyId, roomTypeId: room.roomTypeId, ratePlanId: rate.ratePlanId, stayWindow: dates, occupancy },
}));
console.log(`${formatDay(dates.checkIn, "fa-AF")}: ${formatMoney(quote.body.total, "fa-AF")}`);

const { draftId, quoteId, total } = quote.body;
const hold = unwrap(await site.createHold({ body: { draftId, quoteId, total } }));
const left = remaining(hold.body.holdExpiresAt, hold.body.serverTime, Date.now());
console.log(`the room is held for ${Math.round(left / 60_000)} minutes`);

unwrap(await site.setGuestDetails({
  draftId, body: { guest: { firstName: "Zarghona", lastName: "Ahmadzai", email: "z.ahmadzai@example.com", phone: "+93700123456" } },
}));
const payment = unwrap(await site.createPaymentIntent({ draftId, body: { method: "card" } }));
if (payment.body.redirectUrl === undefined) throw new Error("no page of the bank");
const paid = await fetch(payment.body.redirectUrl, { method: "POST", body: new URLSearchParams({ action: "pay" }), redirect: "manual" });
if (paid.status >= 400) throw new Error(`the bank answered ${paid.status}`);

const outcome = unwrap(await untilDecided((options) => site.returnFromPayment({ draftId }, options)));
const { reservationId, reservationCode, viewToken, flowState } = outcome.body;
if (reservationId === undefined || viewToken === undefined) throw new Error(`the booking is ${flowState}`);
const confirmation = unwrap(await site.getConfirmation({ reservationId, t: viewToken }));
console.log(`booked: ${reservationCode}, ${confirmation.body.state}`);
