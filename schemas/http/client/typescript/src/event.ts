import type { Payloads } from "./generated/events.js";

/** The payload of each event, by its subject. */
export type EventPayloads = Payloads;

/** The subjects of the events, which are the types of the CloudEvents. */
export type Subject = keyof Payloads;

/** The members of an envelope that consumers use. */
export interface Envelope<S extends Subject = Subject> {
  /** Repeated deliveries have the same. Drop an event whose id was processed. */
  eventId: string;
  subject: S;
  version: number;
  occurredAt: string;
  publishedAt: string;
  producer: string;
  tenantId: string | null;
  sessionId: string | null;
  requestId: string;
  traceId: string;
  causationId: string | null;
  correlationId: string;
  /** `aggregateVersion` lets a consumer of several subjects ignore an older event after a newer one. Absent on events of visits. */
  metadata?: { orderingKey?: string; aggregateVersion?: number };
}

/** An event of this subject as a CloudEvent in structured mode. In binary mode `data` is the body, and the attributes are headers. */
export interface CloudEvent<S extends Subject = Subject> {
  id: string;
  type: S;
  source: string;
  time: string;
  data: { envelope: Envelope<S>; payload: EventPayloads[S] };
}
