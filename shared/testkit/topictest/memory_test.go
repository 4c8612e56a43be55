package topictest_test

import (
	"testing"

	"melmastoon.ghasi.io/shared/testkit/topictest"
)

func TestMemoryConforms(t *testing.T) {
	t.Parallel()
	var m topictest.Memory
	topictest.ConformPublisher(t, &m, m.Messages)
}
