import { untilDecided, unwrap } from "@melmastoon/client";
import { Confirmation } from "./Confirmation.js";
import { home, returned, site, useLoaded } from "./site.js";

/** Asks for the outcome of the payment, until there is one. */
export function Return() {
  const outcome = useLoaded(async () => {
    if (returned === undefined) throw new Error("The address names no booking.");
    return unwrap(await untilDecided((options) => site.returnFromPayment(returned!, options))).body;
  });
  if (outcome.problem) return <p role="alert">{outcome.problem} <a href={home}>Choose again</a></p>;
  if (!outcome.value) return <p>Waiting for your payment …</p>;
  const { reservationId, viewToken, flowState } = outcome.value;
  if (reservationId === undefined || viewToken === undefined) return <p>The payment is not decided yet ({flowState}). <a href="">Ask again</a></p>;
  return <Confirmation reservationId={reservationId} t={viewToken} />;
}
