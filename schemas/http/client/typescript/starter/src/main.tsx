import { type TenantBooking, unwrap } from "@melmastoon/client";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Details } from "./Details.js";
import { Return } from "./Return.js";
import { Rooms } from "./Rooms.js";
import { Search, type Wish } from "./Search.js";
import { handoff, site, useLoaded } from "./site.js";

/** A booking: dates, room, guest and payment. The payment page leads back to Return. */
function Booking() {
  const hotel = useLoaded(async () => {
    const { body } = unwrap(await site.getBootstrap(handoff === undefined ? {} : { h: handoff })); // it begins the session
    const houses = unwrap(await site.listProperties({})).body.properties;
    const house = houses.find((h) => h.propertyId === body.handoffPayload?.propertyId) ?? houses[0];
    if (house === undefined) throw new Error("This hotel has no property.");
    return { name: body.brandName, arrival: body.handoffPayload, methods: body.paymentMethods, propertyId: house.propertyId };
  });
  const [wish, setWish] = useState<Wish>();
  const [quote, setQuote] = useState<TenantBooking.Quoted>();
  if (hotel.problem) return <p role="alert">{hotel.problem}</p>;
  if (!hotel.value) return <p>Loading …</p>;
  const { name, arrival, methods, propertyId } = hotel.value;
  return (
    <>
      <h1>{name}</h1>
      {quote ? <Details quote={quote} methods={methods} /> : (
        <>
          <Search arrival={arrival} onSearch={setWish} />
          {wish && <Rooms key={JSON.stringify(wish)} propertyId={propertyId} wish={wish} onQuote={setQuote} />}
        </>
      )}
    </>
  );
}

createRoot(document.getElementById("app")!).render(location.pathname.includes("/return/") ? <Return /> : <Booking />);
