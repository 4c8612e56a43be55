import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchWithCookies } from "../example/cookies.js";

test("a cookie is sent until a response deletes it", async (t) => {
  const sent: (string | null)[] = [];
  const answers: string[][] = [
    ["a=1; Path=/; Max-Age=60", "b=2; Path=/", "c=3; Expires=Thu, 01 Jan 2099 00:00:00 GMT"],
    ["a=; Path=/; Max-Age=0"],
    ["b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/", "c=4; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"],
    [],
  ];
  t.mock.method(globalThis, "fetch", async (_: unknown, init?: RequestInit) => {
    const headers = new Headers();
    for (const cookie of answers[sent.length] ?? []) headers.append("Set-Cookie", cookie);
    sent.push(new Headers(init?.headers).get("Cookie"));
    return new Response("{}", { headers });
  });
  const visitor = fetchWithCookies();
  for (const _ of answers) await visitor("http://site.test/");
  assert.deepEqual(sent, [null, "a=1; b=2; c=3", "b=2; c=3", "c=4"]);
});
