// Package page holds what the sites of the hotels, the site of all hotels and the front desk share: texts and how a language writes
// numbers, money and dates, the style sheet, and the calls of a service as the visitor's browser.
//
// # Rules
//
//   - Texts are stored per language and country, because Dari and the Persian of Iran differ. A tag with another
//     country gets the first texts of its language.
//   - In languages of the solar calendar a date is three selectors. Links contain Gregorian dates, so that they are
//     valid in every language.
//   - A rejected form comes back from a cookie of ten minutes, limited to the pages of its booking, so that no URL
//     contains a name.
//   - English is asked for as the last resort of a browser that does not name it, because a hotel would otherwise
//     answer a stranger in its first language.
//   - The address of the visitor is not passed on: the services trust only the load balancer to name it. Many
//     visitors of a demo therefore share its limits.
package page
