package firestore_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"reflect"
	"regexp"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/firestore"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/emulatortest"
)

// another returns a store like that of another process on the project: both share only the stored documents.
func another(t testing.TB, address, project string) *firestore.Store {
	e := env.Of(map[string]string{"FIRESTORE_EMULATOR_HOST": address, "GOOGLE_CLOUD_PROJECT": project})
	t.Cleanup(func() { check.Must(t, e.Close(context.Background())) })
	return firestore.Open(e)
}

func TestFirestoreConforms(t *testing.T) {
	t.Parallel()
	documenttest.Conform(t, func(t testing.TB) documenttest.Setup {
		address, project := emulatortest.Firestore(t), emulatortest.Name()
		nobody := check.Got(subprocess.FreeAddress()).Must(t)
		return documenttest.Setup{
			Open:        func() document.Store { return another(t, address, project) },
			Unreachable: func() document.Store { return another(t, nobody, project) },
			Silent:      func() document.Store { return another(t, documenttest.Listener(t), project) },
		}
	})
}

// Operators rely on the paths and field names of documents, for time to live and index exemptions.
func TestFirestore_documentPath(t *testing.T) {
	t.Parallel()
	address, project := emulatortest.Firestore(t), emulatortest.Name()
	s := another(t, address, project)
	now := time.Date(2031, 3, 21, 12, 0, 0, 0, time.UTC)
	_, err := s.Create(t.Context(), now, document.Name{Collection: "sessions", ID: "1:a"},
		document.Record{Value: []byte("v"), Number: -3, Version: 7, ExpiresAt: now.Add(time.Hour)})
	check.Must(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		"http://"+address+"/v1/projects/"+project+"/databases/(default)/documents/hot/sessions/documents", nil)
	check.Must(t, err)
	req.Header.Set("Authorization", "Bearer owner")
	res := check.Got(http.DefaultClient.Do(req)).Must(t)
	defer res.Body.Close()
	var list struct {
		Documents []struct {
			Name   string
			Fields map[string]map[string]any
		}
	}
	check.Must(t, json.NewDecoder(res.Body).Decode(&list))
	if len(list.Documents) != 1 {
		t.Fatalf("found %+v, want one document", list)
	}
	want := map[string]map[string]any{
		"value": {"bytesValue": "dg=="}, "number": {"integerValue": "-3"}, "version": {"integerValue": "7"},
		"expiresAt": {"timestampValue": "2031-03-21T13:00:00Z"},
	}
	if d := list.Documents[0]; !reflect.DeepEqual(d.Fields, want) || !regexp.MustCompile(`^[0-9a-f]{4}\.1:a$`).MatchString(path.Base(d.Name)) {
		t.Errorf("found %+v, want the fields %v under a key that is spread", d, want)
	}
}
