/**
 * Returns a fetch that keeps the cookies of one visitor. A server that renders pages needs one per visitor. It ignores domain, path and
 * expiry of cookies, so use it for one site only.
 */
export function fetchWithCookies(): typeof fetch {
  const kept = new Map<string, string>();
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (kept.size > 0) headers.set("Cookie", [...kept].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(input, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined && value !== undefined) kept.set(name, value);
    }
    return response;
  };
}
