import type { TenantBooking } from "@melmastoon/client";

export interface Wish { checkIn: string; checkOut: string; adults: number }

const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);

/** The dates and the number of guests. A guest who comes from the site of all hotels has chosen them there. */
export function Search({ arrival, onSearch }: { arrival: TenantBooking.Arrival | undefined; onSearch: (wish: Wish) => void }) {
  const search = (form: FormData) =>
    onSearch({ checkIn: String(form.get("checkIn")), checkOut: String(form.get("checkOut")), adults: Number(form.get("adults")) });
  return (
    <form id="search" onSubmit={(event) => { event.preventDefault(); search(new FormData(event.currentTarget)); }}>
      <label>Arrival <input type="date" name="checkIn" defaultValue={arrival?.stayWindow.checkIn ?? day(7)} required /></label>
      <label>Departure <input type="date" name="checkOut" defaultValue={arrival?.stayWindow.checkOut ?? day(9)} required /></label>
      <label>Adults <input type="number" name="adults" min="1" max="9" defaultValue={arrival?.occupancy.adults ?? 2} required /></label>
      <button>Show rooms</button>
    </form>
  );
}
