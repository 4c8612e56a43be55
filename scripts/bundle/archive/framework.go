package archive

import (
	// The generated code needs the functions framework. This import puts its version into go.mod, because no deployed
	// package imports it.
	_ "github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
	_ "github.com/GoogleCloudPlatform/functions-framework-go/functions"
)
