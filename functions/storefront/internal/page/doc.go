// Package page holds what the sites of the hotels and the site of all hotels share: texts and how a language writes numbers,
// money and dates, the style sheet, and the calls of a service as the visitor's browser.
package page
