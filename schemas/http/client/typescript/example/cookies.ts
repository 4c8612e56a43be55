/**
 * Returns a fetch that keeps the cookies of one visitor until a response deletes them. A server that renders pages needs one per visitor.
 * It ignores domain and path of cookies, so use it for one site only.
 */
export function fetchWithCookies(): typeof fetch {
  const kept = new Map<string, string>();
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (kept.size > 0) headers.set("Cookie", [...kept].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(input, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name === undefined || value === undefined) continue;
      if (deletes(cookie)) kept.delete(name);
      else kept.set(name, value);
    }
    return response;
  };
}

/** Whether a Set-Cookie header deletes its cookie. Max-Age takes precedence over Expires (RFC 6265). */
function deletes(cookie: string): boolean {
  const age = /;\s*max-age=(-?\d+)/i.exec(cookie)?.[1];
  if (age !== undefined) return Number(age) <= 0;
  const expires = /;\s*expires=([^;]+)/i.exec(cookie)?.[1];
  return expires !== undefined && Date.parse(expires) <= Date.now();
}
