DROP TABLE IF EXISTS bus.deliveries, bus.subscriptions, bus.messages, bus.pusher;
