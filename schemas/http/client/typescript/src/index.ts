import { type Client, clientOf, type Settings } from "./client.js";
import * as consumer from "./generated/consumer.js";
import * as reservation from "./generated/reservation.js";
import * as tenantbooking from "./generated/tenantbooking.js";

export { type Arguments, type CallOptions, type Client, type Result, type Settings, type Success, untilDecided, unwrap } from "./client.js";
export { directionOf, formatDay, formatMicro, formatMoney, type MicroMoney, type Money, remaining } from "./display.js";
export type { CloudEvent, Envelope, EventPayloads, Subject } from "./event.js";
export { type AnyProblem, ProblemError, type ProblemOf, UnexpectedAnswerError } from "./problem.js";
export type * as Consumer from "./generated/consumer.js";
export type * as Reservation from "./generated/reservation.js";
export type * as TenantBooking from "./generated/tenantbooking.js";

/** The API of a site of all hotels. */
export type ConsumerClient = Client<consumer.operations, consumer.problems>;

/** Returns a client of the site of all hotels. */
export function consumerClient(settings: Settings = {}): ConsumerClient {
  return clientOf(consumer.table, settings) as ConsumerClient;
}

/** The API of one hotel's site. */
export type TenantBookingClient = Client<tenantbooking.operations, tenantbooking.problems, "tenantSlug">;

/** Returns a client of the site of the hotel with this slug. */
export function tenantBookingClient(settings: Settings & { tenantSlug: string }): TenantBookingClient {
  return clientOf(tenantbooking.table, settings, { tenantSlug: settings.tenantSlug }) as TenantBookingClient;
}

/** The API of the reservation service, for front-desk software. */
export type ReservationClient = Client<reservation.operations, reservation.problems>;

/** Returns a client for a hotel's front desk. Each call asks `token` for the staff token. */
export function reservationClient(settings: Settings & { tenantId: string; token: () => string }): ReservationClient {
  const common = () => (typeof settings.headers === "function" ? settings.headers() : settings.headers);
  const headers = () => ({ ...common(), "X-Tenant-Id": settings.tenantId, Authorization: `Bearer ${settings.token()}` });
  return clientOf(reservation.table, { ...settings, headers }) as ReservationClient;
}
