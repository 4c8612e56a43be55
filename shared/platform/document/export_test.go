package document

// Seal lets tests put any content into a record.
var Seal = seal

// Encode is encode.
var Encode = encode
