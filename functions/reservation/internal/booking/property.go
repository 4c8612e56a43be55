package booking

import (
	_ "time/tzdata" // deadlines need it; a base image may lack it
)
