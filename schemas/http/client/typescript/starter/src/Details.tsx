import { formatMoney, remaining, type TenantBooking, unwrap } from "@melmastoon/client";
import { useEffect, useState } from "react";
import { home, locale, site, useAction, useLoaded } from "./site.js";

/** Holds the room, asks for the guest and the payment method, and leads to the payment page. */
export function Details({ quote, methods }: { quote: TenantBooking.Quoted; methods: TenantBooking.Method[] }) {
  const { draftId, quoteId, total } = quote;
  const hold = useLoaded(async () => {
    const { body } = unwrap(await site.createHold({ body: { draftId, quoteId, total } }));
    return { until: body.holdExpiresAt, serverTime: body.serverTime, received: Date.now() };
  });
  const action = useAction();
  const pay = (form: FormData) => action.run(async () => {
    const text = (name: string) => String(form.get(name));
    const guest = { firstName: text("firstName"), lastName: text("lastName"), email: text("email"), phone: text("phone") };
    unwrap(await site.setGuestDetails({ draftId, body: { guest } }));
    const intent = unwrap(await site.createPaymentIntent({ draftId, body: { method: text("method") as TenantBooking.Method } }));
    location.assign(intent.body.redirectUrl ?? `${home}/return/${draftId}`); // cash and mobile money have no page
  });
  if (hold.problem) return <p role="alert">{hold.problem} <a href={home}>Choose again</a></p>;
  if (!hold.value) return <p>Holding the room …</p>;
  return (
    <form id="details" onSubmit={(event) => { event.preventDefault(); pay(new FormData(event.currentTarget)); }}>
      <h2>{formatMoney(total, locale)}</h2>
      <ul>{quote.lines.map((line, i) => <li key={i}>{line.description}: {formatMoney(line.amount, locale)}</li>)}</ul>
      <p>{quote.cancellationPolicy.description}</p>
      <Countdown {...hold.value} />
      <label>First name <input name="firstName" autoComplete="given-name" required /></label>
      <label>Last name <input name="lastName" autoComplete="family-name" required /></label>
      <label>E-mail <input name="email" type="email" autoComplete="email" required /></label>
      <label>Telephone <input name="phone" type="tel" autoComplete="tel" placeholder="+93700123456" required /></label>
      <label>Payment <select name="method">{methods.map((method) => <option key={method}>{method}</option>)}</select></label>
      {action.problem && <p role="alert">{action.problem}</p>}
      <button disabled={action.busy}>Pay</button>
    </form>
  );
}

/** The time for which the room is held, by the server's clock. */
function Countdown({ until, serverTime, received }: { until: string; serverTime: string; received: number }) {
  const [left, setLeft] = useState(() => remaining(until, serverTime, received));
  useEffect(() => {
    const timer = setInterval(() => setLeft(remaining(until, serverTime, received)), 1000);
    return () => clearInterval(timer);
  }, [until]);
  if (left <= 0) return <p role="alert">The room is no longer held. <a href={home}>Choose again</a></p>;
  const seconds = Math.floor(left / 1000);
  return <p>We hold the room for {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, "0")}.</p>;
}
