import assert from "node:assert/strict";
import { test } from "node:test";
import { consumerClient, type Settings, tenantBookingClient, UnexpectedAnswerError, unwrap, untilDecided, ProblemError } from "../src/index.js";

/** Returns a fetch that returns these responses in turn, and the list of its requests. */
function answering(...answers: (() => Response | Promise<Response>)[]) {
  const requests: { url: string; init: RequestInit; key: string | null }[] = [];
  const fake: typeof fetch = async (input, init = {}) => {
    requests.push({ url: String(input), init, key: new Headers(init.headers).get("Idempotency-Key") });
    const next = answers[requests.length - 1];
    if (next === undefined) throw new Error(`call ${requests.length} was not expected`);
    return next();
  };
  return { fake, requests };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) => () =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });

const problem = (status: number, code: string, retriable: boolean, retryAfter?: number) => () =>
  new Response(JSON.stringify({ status, code, retriable, title: "", detail: "", type: "about:blank", requestId: "req_1" }), {
    status, headers: { "Content-Type": "application/problem+json", ...(retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }) },
  });

const networkFails = () => { throw new TypeError("fetch failed"); };
const gatewayAway = () => new Response("<html>", { status: 503, headers: { "Content-Type": "text/html" } });
const busy = problem(503, "MELMASTOON.GENERAL.UNAVAILABLE", true);
const held = json(201, { draftId: "bdr_1", flowState: "holding" });
const search = {
  body: {
    geo: { mode: "city" as const, city: "Kabul" }, dates: { checkIn: "2027-03-21", checkOut: "2027-03-23" }, occupancy: { adults: 2, children: 0, rooms: 1 },
  },
};
const order = { body: { draftId: "bdr_1", quoteId: "qte_1" } };

function site(fake: typeof fetch, more: Settings = {}) {
  return tenantBookingClient({ baseUrl: "http://site.test/", tenantSlug: "kabul grand", fetch: fake, ...more });
}

test("a write has one key in all its attempts, and another one in the next call", async () => {
  const { fake, requests } = answering(networkFails, busy, held, held);
  const client = site(fake);
  assert.equal(unwrap(await client.createHold(order)).body.flowState, "holding");
  await client.createHold(order);
  const keys = requests.map((r) => r.key);
  assert.match(keys[0] ?? "", /^[0-9a-f]{32}$/);
  assert.deepEqual(keys.slice(0, 3), [keys[0], keys[0], keys[0]]);
  assert.notEqual(keys[3], keys[0]);
});

test("a key of the caller is sent", async () => {
  const { fake, requests } = answering(held);
  await site(fake).createHold(order, { idempotencyKey: "mine" });
  assert.equal(requests[0]?.key, "mine");
});

test("the Retry-After of an answer is waited for", async () => {
  const { fake } = answering(problem(429, "MELMASTOON.GENERAL.RATE_LIMITED", true, 1), held);
  const from = Date.now();
  assert.equal((await site(fake).createHold(order)).ok, true);
  assert.ok(Date.now() - from >= 990, `waited ${Date.now() - from} ms, want a second`);
});

test("a Retry-After beyond the deadline is answered at once", async () => {
  const { fake, requests } = answering(problem(429, "MELMASTOON.GENERAL.RATE_LIMITED", true, 3600));
  const result = await site(fake).createHold(order);
  assert.equal(result.status, 429);
  assert.equal(requests.length, 1);
});

test("a problem that is not retriable is answered once, and its code narrows its type", async () => {
  const { fake, requests } = answering(problem(410, "MELMASTOON.RESERVATION.HOLD_EXPIRED", false));
  const result = await site(fake).createHold(order);
  assert.equal(requests.length, 1);
  assert.equal(result.ok, false);
  if (result.ok) return;
  switch (result.problem.code) {
    case "MELMASTOON.RESERVATION.HOLD_EXPIRED": {
      const status: 410 = result.problem.status;
      assert.equal(status, 410);
      break;
    }
    // @ts-expect-error no problem of this operation
    case "MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED":
      assert.fail();
  }
  assert.throws(() => unwrap(result), (e) => e instanceof ProblemError && e.problem.code === result.problem.code);
});

test("after the last attempt the problem is the result", async () => {
  const { fake, requests } = answering(busy, busy, busy, busy);
  assert.equal((await site(fake).createHold(order)).status, 503);
  assert.equal(requests.length, 4);
});

test("a write without a key is sent once", async () => {
  const { fake, requests } = answering(networkFails);
  const client = consumerClient({ baseUrl: "http://site.test", fetch: fake });
  await assert.rejects(client.searchHotels(search), TypeError);
  assert.equal(requests.length, 1);
});

test("an answer of a proxy is tried again and then thrown", async () => {
  const { fake, requests } = answering(gatewayAway, gatewayAway, gatewayAway, gatewayAway);
  await assert.rejects(site(fake).getDraft({ draftId: "bdr_1" }), (e) => e instanceof UnexpectedAnswerError && e.status === 503);
  assert.equal(requests.length, 4);
});

for (const status of [429, 503]) {
  for (const [form, value] of [["seconds", () => "1"], ["a date", () => new Date(Date.now() + 2000).toUTCString()]] as const) {
    test(`after a ${status} of a proxy the Retry-After in ${form} is waited for`, async () => {
      const from = Date.now();
      const limited = () => new Response("Slow down.", { status, headers: { "Content-Type": "text/plain", "Retry-After": value() } });
      const { fake, requests } = answering(limited, held);
      assert.equal((await site(fake).createHold(order)).ok, true);
      assert.equal(requests[1]?.key, requests[0]?.key);
      assert.ok(Date.now() - from >= 950, `waited ${Date.now() - from} ms, want about a second`);
    });
  }
}

for (const [name, status, kind, body] of [
  ["a login page of a network", 200, "text/html", "<html>"],
  ["an empty body", 200, "application/json", ""],
  ["a body cut off", 200, "application/json", '{"draftId":'],
  ["a problem cut off", 422, "application/problem+json", '{"code":'],
  ["a problem of another server", 422, "application/problem+json", '{"title":"Blocked."}'],
  ["an error in JSON that is no problem", 500, "application/json", '{"error":"x"}'],
] as const) {
  test(`${name} is thrown as an unexpected answer`, async () => {
    const { fake } = answering(() => new Response(body, { status, headers: { "Content-Type": kind } }));
    await assert.rejects(site(fake).getDraft({ draftId: "bdr_1" }), (e) => e instanceof UnexpectedAnswerError && e.status === status);
  });
}

test("the case of a media type does not matter", async () => {
  const { fake } = answering(() => new Response('{"draftId":"bdr_1"}', { headers: { "Content-Type": "Application/JSON; charset=utf-8" } }));
  assert.equal(unwrap(await site(fake).createHold(order)).body.draftId, "bdr_1");
});

test("a 304 and an answer without a body are successes", async () => {
  const { fake } = answering(() => new Response(null, { status: 304, headers: { "Content-Type": "application/json" } }), () => new Response(null, { status: 204 }));
  const known = await site(fake).getDraft({ draftId: "bdr_1", headers: { "If-None-Match": '"1"' } });
  assert.equal(known.status, 304);
  // @ts-expect-error a 304 has no body
  assert.throws(() => unwrap(known).body.flowState, TypeError);
  assert.equal((await site(fake).abandonDraft({ draftId: "bdr_1" })).ok, true);
});

test("without If-None-Match no type has a 304", async () => {
  const found = json(200, { draftId: "bdr_1", flowState: "holding" });
  const { fake } = answering(found, found, found);
  const client = site(fake);
  const status: 200 = unwrap(await client.getDraft({ draftId: "bdr_1" })).status;
  assert.equal(status, 200);
  assert.equal(unwrap(await client.getDraft({ draftId: "bdr_1", headers: {} })).body.flowState, "holding");
  const etag: string | undefined = Math.random() > 2 ? '"1"' : undefined;
  const maybe = unwrap(await client.getDraft({ draftId: "bdr_1", headers: etag === undefined ? {} : { "If-None-Match": etag } }));
  assert.equal(maybe.body?.flowState, "holding");
});

test("keys do not need a secure origin", async (t) => {
  const { randomUUID } = crypto;
  t.after(() => { crypto.randomUUID = randomUUID; });
  crypto.randomUUID = undefined as unknown as typeof randomUUID; // as in a browser on an http origin
  const { fake, requests } = answering(held);
  await site(fake).createHold(order);
  assert.match(requests[0]?.key ?? "", /^[0-9a-f]{32}$/);
});

test("a Retry-After of a proxy beyond the deadline is thrown at once", async () => {
  const { fake, requests } = answering(() => new Response("Later.", { status: 429, headers: { "Retry-After": "3600" } }));
  await assert.rejects(site(fake).createHold(order), (e) => e instanceof UnexpectedAnswerError && e.status === 429 && e.retryAfter === 3_600_000);
  assert.equal(requests.length, 1);
});

test("a 429 of a proxy is not repeated for a write without a key", async () => {
  const { fake, requests } = answering(() => new Response("Later.", { status: 429, headers: { "Retry-After": "0" } }));
  const client = consumerClient({ baseUrl: "http://site.test", fetch: fake });
  await assert.rejects(client.searchHotels(search), (e) => e instanceof UnexpectedAnswerError && e.status === 429);
  assert.equal(requests.length, 1);
});

test("a call ends at its deadline, and when its signal is aborted", async (t) => {
  const alive = setInterval(() => {}, 1000); // keeps Node running, as an open connection does; the timer of a signal does not
  t.after(() => clearInterval(alive));
  const hanging: typeof fetch = (_, init) => new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  await assert.rejects(site(hanging).createHold(order, { deadline: 30 }), { name: "TimeoutError" });
  const abort = new AbortController();
  const call = site(hanging).createHold(order, { signal: abort.signal });
  abort.abort();
  await assert.rejects(call, { name: "AbortError" });
  const { fake } = answering(networkFails);
  const waiting = new AbortController();
  const retry = site(fake, { attempts: 9 }).createHold(order, { signal: waiting.signal });
  setTimeout(() => waiting.abort(), 1);
  await assert.rejects(retry);
});

test("paths and queries are encoded", async () => {
  const { fake, requests } = answering(json(200, {}));
  await site(fake).getAvailability({ propertyId: "ppt_1", checkIn: "2027-03-21", checkOut: "2027-03-23", adults: 2, headers: {} });
  assert.equal(requests[0]?.url, "http://site.test/bff/tenant-booking/v1/kabul%20grand/availability?propertyId=ppt_1&checkIn=2027-03-21&checkOut=2027-03-23&adults=2");
});

test("a path parameter that is undefined is refused", async () => {
  const { fake } = answering();
  await assert.rejects(site(fake).getDraft({ draftId: undefined as unknown as string }), /draftId is missing/);
});

test("untilDecided repeats one key while the answer is 202", async () => {
  const { fake, requests } = answering(json(202, {}, { "Retry-After": "0" }), json(202, {}), json(200, { flowState: "confirmed" }));
  const client = site(fake);
  const result = await untilDecided((options) => client.returnFromPayment({ draftId: "bdr_1" }, options));
  assert.equal(result.status, 200);
  assert.equal(new Set(requests.map((r) => r.key)).size, 1);
});

test("untilDecided returns 202 when its time is over", async () => {
  const { fake } = answering(json(202, {}, { "Retry-After": "5" }));
  const client = site(fake);
  const result = await untilDecided((options) => client.returnFromPayment({ draftId: "bdr_1" }, options), 1000);
  assert.equal(result.status, 202);
});
