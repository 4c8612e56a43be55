import { formatDay, formatMoney, unwrap } from "@melmastoon/client";
import { home, locale, site, useLoaded } from "./site.js";

/** The booking. The token t opens it also without the session, so this address can be sent to the guest. */
export function Confirmation({ reservationId, t }: { reservationId: string; t: string }) {
  const booking = useLoaded(async () => unwrap(await site.getConfirmation({ reservationId, t })).body);
  if (booking.problem) return <p role="alert">{booking.problem}</p>;
  if (!booking.value) return <p>Loading your booking …</p>;
  const { reservationCode, state, stayWindow, total, due } = booking.value;
  return (
    <article id="confirmation">
      <h1>{reservationCode}</h1>
      <p id="state">{state}</p>
      <p>{formatDay(stayWindow.checkIn, locale)} to {formatDay(stayWindow.checkOut, locale)}, {stayWindow.nights} nights</p>
      <p>{formatMoney(total, locale)}{due && `, of which ${formatMoney(due, locale)} is due`}</p>
      <p><a href={home}>Book another room</a></p>
    </article>
  );
}
