import { tenantBookingClient } from "@melmastoon/client";
import { useEffect, useState } from "react";

/** The address is /{slug}, or /{slug}/return/{draftId} after the payment page. */
const [, slug = "kabul-grand-hotel", , draft] = location.pathname.split("/").map((part) => part || undefined);
const query = new URLSearchParams(location.search);

export const home = `/${slug}`;
export const returned = draft === undefined ? undefined : { draftId: draft, r: query.get("r") ?? "" };
export const handoff = query.get("h") ?? undefined;

/** The texts of this page are English, so it asks for the hotel's in English. */
export const locale = "en";
export const site = tenantBookingClient({ tenantSlug: slug, headers: { "Accept-Language": locale } });

/** Loads a value once. */
export function useLoaded<T>(load: () => Promise<T>): { value?: T; problem?: string } {
  const [state, setState] = useState<{ value?: T; problem?: string }>({});
  useEffect(() => {
    load().then((value) => setState({ value }), (error: Error) => setState({ problem: error.message }));
  }, []);
  return state;
}

/** An action of a form: at most one runs, and its problem is shown. */
export function useAction(): { busy: boolean; problem?: string; run: (action: () => Promise<void>) => void } {
  const [state, setState] = useState<{ busy: boolean; problem?: string }>({ busy: false });
  const run = (action: () => Promise<void>) => {
    if (state.busy) return;
    setState({ busy: true });
    action().then(() => setState({ busy: false }), (error: Error) => setState({ busy: false, problem: error.message }));
  };
  return { ...state, run };
}
