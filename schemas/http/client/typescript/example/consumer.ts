// Consumes deliveries of the local cloud, and handles each event once although deliveries may repeat:
//   node dist/example/consumer.js http://127.0.0.1:8080 [maximum number of deliveries]
import type { CloudEvent } from "../src/index.js";

type Confirmed = CloudEvent<"melmastoon.reservation.confirmed.v1">;
const [, , baseUrl, deliveries = "Infinity"] = process.argv;
const stream = await fetch(`${baseUrl}/-/events?replay=1&type=melmastoon.reservation.confirmed.v1`);
if (!stream.ok || stream.body === null) throw new Error(`the stream is ${stream.status}: ${await stream.text()}`);

const handled = new Set<string>(); // a service stores the ids, in the transaction of the effect
let received = 0;
let rest = "";
for await (const part of stream.body.pipeThrough(new TextDecoderStream())) {
  const messages = (rest + part).split("\n\n");
  rest = messages.pop() ?? "";
  for (const message of messages) {
    const { id, data } = JSON.parse(message.slice(message.indexOf("data: ") + 6)) as Confirmed;
    if (!handled.has(id)) console.log(`confirmed: ${data.payload.reservationId}`);
    handled.add(id);
    if (++received >= Number(deliveries)) process.exit();
  }
}
