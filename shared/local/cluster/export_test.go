package cluster

// Port returns the port on 127.0.0.1.
func (c *Cluster) Port() int { return c.port }
