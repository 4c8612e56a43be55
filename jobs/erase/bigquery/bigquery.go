// Package bigquery deletes the telemetry of guest sessions from a BigQuery dataset.
package bigquery

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/bigquery/v2"
	"google.golang.org/api/option"

	"melmastoon.ghasi.io/shared/id"
)

// A Dataset is one BigQuery dataset. The column guestSessionId of its tables is the key of a session.
type Dataset struct {
	project, name string
	jobs          *bigquery.JobsService
}

// namePattern matches the name of a dataset with its project, and tablePattern that of a table. Names are part of statements.
var (
	namePattern  = regexp.MustCompile(`^[a-z][a-z0-9-]{4,28}[a-z0-9]\.[A-Za-z0-9_]+$`)
	tablePattern = regexp.MustCompile(`^[A-Za-z0-9_]+$`)
)

// Open connects to a dataset, named as project.dataset.
func Open(ctx context.Context, dataset string, options ...option.ClientOption) (*Dataset, error) {
	if !namePattern.MatchString(dataset) {
		return nil, fmt.Errorf("bigquery: %q is not a dataset: it must be project.dataset", dataset)
	}
	service, err := bigquery.NewService(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("bigquery: %w", err)
	}
	project, name, _ := strings.Cut(dataset, ".")
	return &Dataset{project: project, name: name, jobs: service.Jobs}, nil
}

// Name returns the name of the dataset with its project.
func (d *Dataset) Name() string { return d.project + "." + d.name }

// Tables returns the tables with the column guestSessionId. It is an error if there are none, because then the dataset is not
// that of the telemetry.
func (d *Dataset) Tables(ctx context.Context) ([]string, error) {
	rows, err := d.query(ctx, "SELECT c.table_name FROM `"+d.Name()+"`.INFORMATION_SCHEMA.COLUMNS AS c "+
		"JOIN `"+d.Name()+"`.INFORMATION_SCHEMA.TABLES AS t USING (table_name) "+
		"WHERE c.column_name = 'guestSessionId' AND t.table_type = 'BASE TABLE' ORDER BY c.table_name", nil)
	if err != nil {
		return nil, fmt.Errorf("bigquery: tables of %s: %w", d.Name(), err)
	}
	var tables []string
	for _, row := range rows {
		if len(row) != 1 || !tablePattern.MatchString(row[0]) {
			return nil, fmt.Errorf("bigquery: %s has a table with the name %q", d.Name(), row)
		}
		tables = append(tables, row[0])
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("bigquery: %s has no table with a column guestSessionId", d.Name())
	}
	return tables, nil
}

// Count returns the number of rows of each of the sessions that has rows in a table.
func (d *Dataset) Count(ctx context.Context, table string, sessions []id.GuestSession) (map[id.GuestSession]int64, error) {
	rows, err := d.query(ctx, "SELECT guestSessionId, COUNT(*) FROM `"+d.Name()+"."+table+"` WHERE guestSessionId IN UNNEST(@sessions) GROUP BY guestSessionId", sessions)
	if err != nil {
		return nil, fmt.Errorf("bigquery: count in %s.%s: %w", d.Name(), table, err)
	}
	counts := map[id.GuestSession]int64{}
	for _, row := range rows {
		if len(row) != 2 {
			return nil, errors.New("bigquery: count: not two columns")
		}
		session, err := id.Parse[id.GuestSession](row[0])
		if err != nil {
			return nil, fmt.Errorf("bigquery: count in %s.%s: %w", d.Name(), table, err)
		}
		if counts[session], err = strconv.ParseInt(row[1], 10, 64); err != nil {
			return nil, fmt.Errorf("bigquery: count in %s.%s: %w", d.Name(), table, err)
		}
	}
	return counts, nil
}

// Delete deletes the rows of the sessions from a table.
func (d *Dataset) Delete(ctx context.Context, table string, sessions []id.GuestSession) error {
	_, err := d.query(ctx, "DELETE FROM `"+d.Name()+"."+table+"` WHERE guestSessionId IN UNNEST(@sessions)", sessions)
	if err != nil {
		return fmt.Errorf("bigquery: delete from %s.%s: %w", d.Name(), table, err)
	}
	return nil
}

// Limits of one statement: its whole time, and the time for which one request waits for its end.
const (
	maxTime = 5 * time.Minute
	maxWait = 20 * time.Second
)

// query runs a statement as a query job, waits for its end, and returns its rows as text.
func (d *Dataset) query(ctx context.Context, statement string, sessions []id.GuestSession) (rows [][]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	standard := false
	answer, err := d.jobs.Query(d.project, &bigquery.QueryRequest{
		Query: statement, UseLegacySql: &standard, ParameterMode: "NAMED", QueryParameters: parameters(sessions), TimeoutMs: maxWait.Milliseconds(),
	}).Context(ctx).Do()
	if err != nil {
		return nil, err
	}
	if answer.JobReference == nil {
		return nil, errors.New("the answer names no job")
	}
	rows = append(rows, texts(answer.Rows)...)
	done, token := answer.JobComplete, answer.PageToken
	for !done || token != "" {
		call := d.jobs.GetQueryResults(d.project, answer.JobReference.JobId).Location(answer.JobReference.Location).TimeoutMs(maxWait.Milliseconds())
		if token != "" {
			call = call.PageToken(token)
		}
		results, err := call.Context(ctx).Do()
		if err != nil {
			return nil, err
		}
		rows = append(rows, texts(results.Rows)...)
		done, token = results.JobComplete, results.PageToken
	}
	return rows, nil
}

// parameters returns the sessions as the parameter @sessions, an array of strings.
func parameters(sessions []id.GuestSession) []*bigquery.QueryParameter {
	if sessions == nil {
		return nil
	}
	values := make([]*bigquery.QueryParameterValue, len(sessions))
	for i, s := range sessions {
		values[i] = &bigquery.QueryParameterValue{Value: s.String()}
	}
	return []*bigquery.QueryParameter{{
		Name:           "sessions",
		ParameterType:  &bigquery.QueryParameterType{Type: "ARRAY", ArrayType: &bigquery.QueryParameterType{Type: "STRING"}},
		ParameterValue: &bigquery.QueryParameterValue{ArrayValues: values},
	}}
}

func texts(rows []*bigquery.TableRow) (all [][]string) {
	for _, row := range rows {
		var columns []string
		for _, cell := range row.F {
			columns = append(columns, fmt.Sprint(cell.V))
		}
		all = append(all, columns)
	}
	return all
}
