package archive

import (
	// What is generated here stands on the functions framework, so its version is decided here, by being imported: no
	// package that is deployed names it.
	_ "github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
	_ "github.com/GoogleCloudPlatform/functions-framework-go/functions"
)
