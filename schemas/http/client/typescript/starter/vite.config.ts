import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// The browser calls only this server, as it calls only one host in production. So cookies and writes need no CORS.
const target = process.env["MELMASTOON_URL"] ?? "http://127.0.0.1:8080";
const proxy = { "/bff": { target, changeOrigin: false } };

export default defineConfig({
  resolve: { alias: { "@melmastoon/client": fileURLToPath(new URL("../src/index.ts", import.meta.url)) } }, // until the client is installed
  server: { port: 5173, proxy, fs: { allow: [".."] } },
  preview: { port: 5173, proxy },
});
