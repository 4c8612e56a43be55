// Opens the console of one OpenAPI document. Requests go to the host of this page, so that its cookies are sent.
"use strict"
const place = document.getElementById("api")
SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
  requestInterceptor: request => {
    const to = new URL(request.url, location.href)
    request.url = location.origin + to.pathname + to.search
    return request
  },
})
