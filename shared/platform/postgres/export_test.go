package postgres

// ShouldPing is shouldPing.
var ShouldPing = shouldPing

// IdleTime is idleTime.
const IdleTime = idleTime
