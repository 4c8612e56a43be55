// Opens the console of one OpenAPI document. Requests go to the host of this page, so that its cookies are sent.
"use strict"

// Swagger UI shows parameters of a path that are references as empty rows, so each operation gets them as its own.
function moveParameters(document) {
  for (const path of Object.values(document.paths ?? {})) {
    const shared = path.parameters ?? []
    delete path.parameters
    for (const method of ["get", "put", "post", "delete", "options", "head", "patch", "trace"]) {
      if (path[method]) path[method].parameters = [...(path[method].parameters ?? []), ...shared]
    }
  }
  return document
}

// The console makes a key for each request that the reader gives none: with the same key, the next request would get the same response.
const keyHeader = "Idempotency-Key"

function offerKey(document) {
  for (const parameter of Object.values(document.components?.parameters ?? {})) {
    if (parameter.name === keyHeader) parameter.required = false
  }
  return document
}

const place = document.getElementById("api")
SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [() => ({ statePlugins: { spec: { wrapActions: { updateJsonSpec: update => document => update(offerKey(moveParameters(document))) } } } })],
  requestInterceptor: request => {
    const to = new URL(request.url, location.href)
    if (!["GET", "HEAD"].includes((request.method ?? "GET").toUpperCase())) request.headers[keyHeader] ||= crypto.randomUUID()
    request.url = location.origin + to.pathname + to.search
    return request
  },
})
