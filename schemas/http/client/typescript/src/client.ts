import { type AnyProblem, ProblemError, UnexpectedAnswerError } from "./problem.js";

/** The HTTP request of an operation. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  /** Whether the operation is a write with an Idempotency-Key. */
  readonly key: boolean;
}

/** The settings of a client, which apply to all its calls. */
export interface Settings {
  /** The origin of the API, for example `https://www.example.com`. The default is relative URLs, which only a browser can resolve. */
  baseUrl?: string;
  /** Headers of every call, for example Accept-Language or Authorization. */
  headers?: Record<string, string> | (() => Record<string, string>);
  /** The deadline of a call including its retries, in milliseconds; 30,000 by default. */
  deadline?: number;
  /** The maximum number of attempts of a call; 4 by default. */
  attempts?: number;
  /** Replaces the global fetch, for example by one with a cookie jar on a server. */
  fetch?: typeof fetch;
}

/** The options of one call. */
export interface CallOptions {
  /** The Idempotency-Key of a write. The default is a new key, which all attempts of the call share. */
  idempotencyKey?: string;
  /** Aborts the call. */
  signal?: AbortSignal;
  /** The deadline of this call in milliseconds; it replaces the deadline of the settings. */
  deadline?: number;
}

type Part<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
type Member<T, Name extends string> = T extends { [N in Name]?: infer V } ? V : never;
type Parameters<O, Place extends string> = Part<Member<Member<O, "parameters">, Place>>;
type Body<O> = O extends { requestBody: { content: infer C } } ? { body: C[keyof C] } : unknown;

/** The arguments of an operation: its path and query parameters by name, `body`, and `headers`. */
export type Arguments<O, Given extends string = never> = Omit<Parameters<O, "path">, Given> &
  Parameters<O, "query"> & Body<O> & { headers?: Partial<Parameters<O, "header">> };

type Content<R> = R extends { content: { "application/json": infer B } } ? B : undefined;

/** The successful results of an operation, a union discriminated by `status`. */
export type Success<O> = O extends { responses: infer R }
  ? { [S in keyof R & number]: { ok: true; status: S; body: Content<R[S]>; headers: Headers } }[keyof R & number]
  : never;

/** A success or a problem, a union discriminated by `ok`. */
export type Result<O, P> = Success<O> | { ok: false; status: Member<P, "status">; problem: P; headers: Headers };

type Call<A, R> = {} extends A ? (given?: A, options?: CallOptions) => Promise<R> : (given: A, options?: CallOptions) => Promise<R>;

/** Without If-None-Match no response is 304, so its type has none. */
type Method<O, P, A> = O extends { responses: { 304: unknown } & infer R }
  ? Call<A & { headers?: { "If-None-Match"?: never } }, Result<{ responses: Omit<R, 304> }, P>> & Call<A, Result<O, P>>
  : Call<A, Result<O, P>>;

/** A client with one method per operation. */
export type Client<Operations, Problems extends Record<keyof Operations, unknown>, Given extends string = never> = {
  [Name in keyof Operations]: Method<Operations[Name], Problems[Name], Arguments<Operations[Name], Given>>;
};

type Values = Record<string, unknown>;

/** Returns a client with a method for each row of a generated table. `given` has the path parameters that all calls share. */
export function clientOf(table: Record<string, Operation>, settings: Settings, given: Record<string, string> = {}): Values {
  const methods = Object.entries(table).map(([name, operation]) => [
    name,
    (values: Values = {}, options: CallOptions = {}) => call(name, operation, settings, { ...given, ...values }, options),
  ]);
  return Object.fromEntries(methods) as Values;
}

/**
 * Sends a request and retries it. Only GET requests and writes with a key are retried: after a network failure, a `retriable` problem,
 * or a 429, 502, 503 or 504 of a proxy. The wait is random, at most 250 ms before the first retry and at most twice as long before each
 * further one, and at least the Retry-After of the response. If the wait would exceed the deadline, the call ends at once: a problem is
 * returned, and a response of a proxy is thrown.
 */
async function call(name: string, operation: Operation, settings: Settings, values: Values, options: CallOptions) {
  const limit = options.deadline ?? settings.deadline ?? 30_000;
  const end = Date.now() + limit;
  const timeout = AbortSignal.timeout(limit);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const request = requestOf(operation, settings, values, options);
  const repeatable = operation.key || operation.method === "GET";
  const attempts = repeatable ? (settings.attempts ?? 4) : 1;
  for (let attempt = 1; ; attempt++) {
    const last = attempt >= attempts;
    let wait = Math.random() * 250 * 2 ** (attempt - 1);
    try {
      const response = await (settings.fetch ?? fetch)(request.url, { ...request.init, signal });
      const result = await resultOf(name, response);
      if (result.ok || last || !result.problem.retriable) return result;
      wait = Math.max(wait, retryAfter(response.headers));
      if (Date.now() + wait >= end) return result;
    } catch (error) {
      if (signal.aborted || last || !passing(error)) throw error;
      if (error instanceof UnexpectedAnswerError) wait = Math.max(wait, error.retryAfter);
      if (Date.now() + wait >= end) throw error;
    }
    await sleep(wait, signal);
  }
}

/** Whether another attempt may succeed: the network failed, or a proxy could not reach the server or limits requests. */
function passing(error: unknown): boolean {
  if (error instanceof UnexpectedAnswerError) return [429, 502, 503, 504].includes(error.status);
  return error instanceof TypeError; // fetch rejects with it when the network fails
}

function requestOf(operation: Operation, settings: Settings, values: Values, options: CallOptions) {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${operation.path}: ${name} is missing`);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  for (const name of operation.query) {
    const value = values[name];
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) query.append(name, String(one));
    }
  }
  const common = typeof settings.headers === "function" ? settings.headers() : settings.headers;
  const headers = new Headers({ Accept: "application/json, application/problem+json", ...common });
  for (const [name, value] of Object.entries((values["headers"] ?? {}) as Values)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  if (operation.key) headers.set("Idempotency-Key", options.idempotencyKey ?? newKey());
  const init: RequestInit = { method: operation.method, headers, credentials: "include" };
  if (values["body"] !== undefined) {
    headers.set("Content-Type", "application/json");
    init.body = JSON.stringify(values["body"]);
  }
  const search = query.size > 0 ? `?${query}` : "";
  return { url: `${(settings.baseUrl ?? "").replace(/\/$/, "")}${path}${search}`, init };
}

/** A random key. Browsers have crypto.randomUUID on secure origins only, and a site under development may have another one. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

type Decided =
  | { ok: true; status: number; body: unknown; headers: Headers }
  | { ok: false; status: number; problem: AnyProblem; headers: Headers };

async function resultOf(name: string, response: Response): Promise<Decided> {
  const { status, headers } = response;
  const kind = (headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
  const body = parsed(await response.text());
  if (kind === "application/problem+json" && isProblem(body)) return { ok: false, status, problem: body, headers };
  if (status === 304 || (response.ok && kind === "")) return { ok: true, status, body: undefined, headers };
  if (response.ok && kind === "application/json" && body !== undefined) return { ok: true, status, body, headers };
  throw new UnexpectedAnswerError(status, name, retryAfter(headers)); // for example the login page of a network, or a body cut off
}

/** The value of a JSON text, or undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a body is a problem of this API: the problems of proxies have no code. */
function isProblem(body: unknown): body is AnyProblem {
  return typeof body === "object" && body !== null && "code" in body && typeof body.code === "string";
}

/** The Retry-After of a response in milliseconds, or 0. The API sends seconds, and a proxy may send a date. */
function retryAfter(headers: Headers): number {
  const value = headers.get("Retry-After") ?? "0";
  const wait = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.max(wait, 0) : 0;
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => { clearTimeout(timer); reject(signal.reason); };
    const timer = setTimeout(() => { signal.removeEventListener("abort", abort); resolve(); }, milliseconds);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

/** Returns a success, or throws a ProblemError for a problem. */
export function unwrap<R extends { ok: true } | { ok: false; problem: AnyProblem }>(result: R): Extract<R, { ok: true }> {
  if (!result.ok) throw new ProblemError((result as Extract<R, { ok: false }>).problem);
  return result as Extract<R, { ok: true }>;
}

/**
 * Repeats a write with one key while the response is 202 and waits for its Retry-After between attempts: the outcome of a payment is
 * not known at once. If the next attempt would begin after `within` milliseconds (60,000 by default), it returns the last 202.
 */
export async function untilDecided<R extends { status: number; headers: Headers }>(
  write: (options: CallOptions) => Promise<R>, within = 60_000, signal: AbortSignal = new AbortController().signal): Promise<R> {
  const options = { idempotencyKey: newKey(), signal };
  const end = Date.now() + within;
  for (;;) {
    const result = await write(options);
    const wait = Math.max(retryAfter(result.headers), 250);
    if (result.status !== 202 || Date.now() + wait >= end) return result;
    await sleep(wait, signal);
  }
}
