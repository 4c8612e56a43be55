import { formatMoney, type TenantBooking, unwrap } from "@melmastoon/client";
import type { Wish } from "./Search.js";
import { locale, site, useAction, useLoaded } from "./site.js";

interface Props { propertyId: string; wish: Wish; onQuote: (quote: TenantBooking.Quoted) => void }

/** The free rooms with their rates. A choice gets a fixed price. */
export function Rooms({ propertyId, wish, onQuote }: Props) {
  const free = useLoaded(async () => unwrap(await site.getAvailability({ propertyId, ...wish })).body);
  const action = useAction();
  const choose = (roomTypeId: string, ratePlanId: string) => action.run(async () => {
    const { adults, ...stayWindow } = wish;
    const occupancy = { adults, children: 0, rooms: 1 };
    onQuote(unwrap(await site.createQuote({ body: { propertyId, roomTypeId, ratePlanId, stayWindow, occupancy } })).body);
  });
  if (free.problem) return <p role="alert">{free.problem}</p>;
  if (!free.value) return <p>Looking for rooms …</p>;
  const rooms = free.value.rooms.filter((room) => room.rates.length > 0);
  if (rooms.length === 0) return <p>No room is free for these nights.</p>;
  return (
    <>
      {action.problem && <p role="alert">{action.problem}</p>}
      <ul id="rooms">
        {rooms.map((room) => (
          <li key={room.roomTypeId}>
            <h2>{room.name}</h2>
            <p>{room.description}</p>
            {room.rates.map((rate) => (
              <p key={rate.ratePlanId}>
                {rate.name}: {rate.total ? formatMoney(rate.total, locale) : "price on request"}{" "}
                <button disabled={action.busy || rate.priceUnavailable} onClick={() => choose(room.roomTypeId, rate.ratePlanId)}>Book</button>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}
