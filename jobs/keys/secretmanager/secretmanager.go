// Package secretmanager stores versions of secrets in Google's Secret Manager.
package secretmanager

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"path"
	"slices"
	"strconv"
	"time"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/secretmanager/v1"

	"melmastoon.ghasi.io/jobs/keys"
)

// A Project holds the secrets of one project.
type Project struct {
	name     string
	versions *secretmanager.ProjectsSecretsVersionsService
	secrets  *secretmanager.ProjectsSecretsService
}

// Open connects to the secrets of a project.
func Open(ctx context.Context, project string, options ...option.ClientOption) (*Project, error) {
	if project == "" {
		return nil, errors.New("secretmanager: GOOGLE_CLOUD_PROJECT is not set")
	}
	service, err := secretmanager.NewService(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("secretmanager: %w", err)
	}
	return &Project{name: project, versions: service.Projects.Secrets.Versions, secrets: service.Projects.Secrets}, nil
}

func (p *Project) secret(name string) string { return "projects/" + p.name + "/secrets/" + name }

func (p *Project) version(name string, number int) string {
	return p.secret(name) + "/versions/" + strconv.Itoa(number)
}

// Versions implements [keys.Store].
func (p *Project) Versions(ctx context.Context, secret string) (all []keys.Version, err error) {
	err = p.versions.List(p.secret(secret)).Pages(ctx, func(page *secretmanager.ListSecretVersionsResponse) error {
		for _, v := range page.Versions {
			number, err := numberOf(v.Name)
			if err != nil {
				return err
			}
			at, err := time.Parse(time.RFC3339, v.CreateTime)
			if err != nil {
				return err
			}
			all = append(all, keys.Version{Number: number, CreatedAt: at, Readable: v.State == "ENABLED"})
		}
		return nil
	})
	if answer, ok := errors.AsType[*googleapi.Error](err); ok && answer.Code == http.StatusNotFound {
		return nil, keys.ErrNoSecret
	}
	if err != nil {
		return nil, fmt.Errorf("secretmanager: versions of %s: %w", secret, err)
	}
	slices.SortFunc(all, func(a, b keys.Version) int { return a.Number - b.Number })
	return all, nil
}

func numberOf(version string) (int, error) {
	number, err := strconv.Atoi(path.Base(version))
	if err != nil {
		return 0, fmt.Errorf("%q is no version", version)
	}
	return number, nil
}

// castagnoli is the table of the checksums that Secret Manager compares.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Read implements [keys.Store].
func (p *Project) Read(ctx context.Context, secret string, number int) ([]byte, error) {
	answer, err := p.versions.Access(p.version(secret, number)).Context(ctx).Do()
	if err == nil && answer.Payload == nil {
		err = errors.New("an answer without a payload")
	}
	if err != nil {
		return nil, fmt.Errorf("secretmanager: read version %d of %s: %w", number, secret, err)
	}
	value, err := base64.StdEncoding.DecodeString(answer.Payload.Data)
	if err != nil || answer.Payload.DataCrc32c != 0 && answer.Payload.DataCrc32c != int64(crc32.Checksum(value, castagnoli)) {
		return nil, fmt.Errorf("secretmanager: read version %d of %s: damaged on the way", number, secret)
	}
	return value, nil
}

// Add implements [keys.Store]. Secret Manager numbers versions and has no conditional addition, so a version with a later number than
// expected shows that another run was first. It is then disabled.
func (p *Project) Add(ctx context.Context, secret string, after int, value []byte) (int, error) {
	added, err := p.secrets.AddVersion(p.secret(secret), &secretmanager.AddSecretVersionRequest{Payload: &secretmanager.SecretPayload{
		Data: base64.StdEncoding.EncodeToString(value), DataCrc32c: int64(crc32.Checksum(value, castagnoli)),
	}}).Context(ctx).Do()
	if err != nil {
		return 0, fmt.Errorf("secretmanager: add a version to %s: %w", secret, err)
	}
	number, err := numberOf(added.Name)
	if err != nil {
		return 0, fmt.Errorf("secretmanager: add a version to %s: %w", secret, err)
	}
	if number == after+1 {
		return number, nil
	}
	if _, err := p.versions.Disable(p.version(secret, number), &secretmanager.DisableSecretVersionRequest{}).Context(context.WithoutCancel(ctx)).Do(); err != nil {
		return 0, errors.Join(keys.ErrConflict, fmt.Errorf("secretmanager: disable version %d of %s by hand: %w", number, secret, err))
	}
	return 0, keys.ErrConflict
}
