package search

import "melmastoon.ghasi.io/shared/fault"

// ErrBudgetExceeded means that a request's time was over before its essential parts were available.
var ErrBudgetExceeded = fault.New(fault.Timeout, "BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED", "This took too long. Try again.")

// errNotConvertible is the pricing service's answer if it has no exchange rate for a currency.
var errNotConvertible = fault.New(fault.Unprocessable, "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED", "There are no prices in this currency.")
