// Package bigquery deletes the telemetry of guests from a BigQuery dataset.
package bigquery

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/bigquery/v2"
	"google.golang.org/api/option"

	"melmastoon.ghasi.io/jobs/erase"
)

// A Dataset is one BigQuery dataset. It finds the rows of a guest by the columns in erase.Columns.
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

// Tables returns each table and column in erase.Columns. It returns an error if there is no such table, because then the dataset is not
// that of the telemetry.
func (d *Dataset) Tables(ctx context.Context) ([]erase.Table, error) {
	rows, err := d.query(ctx, "SELECT c.table_name, c.column_name FROM `"+d.Name()+"`.INFORMATION_SCHEMA.COLUMNS AS c "+
		"JOIN `"+d.Name()+"`.INFORMATION_SCHEMA.TABLES AS t USING (table_name) "+
		"WHERE c.column_name IN UNNEST(@ids) AND t.table_type = 'BASE TABLE' ORDER BY c.table_name, c.column_name", erase.Columns)
	if err != nil {
		return nil, fmt.Errorf("bigquery: tables of %s: %w", d.Name(), err)
	}
	var tables []erase.Table
	for _, row := range rows {
		if len(row) != 2 || !tablePattern.MatchString(row[0]) || !slices.Contains(erase.Columns, row[1]) {
			return nil, fmt.Errorf("bigquery: %s has a table and column with the name %q", d.Name(), row)
		}
		tables = append(tables, erase.Table{Name: row[0], Column: row[1]})
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("bigquery: %s has no table with one of the columns %s", d.Name(), strings.Join(erase.Columns, ", "))
	}
	return tables, nil
}

// Count returns the number of rows of a table by id. Ids without rows are absent.
func (d *Dataset) Count(ctx context.Context, table erase.Table, ids []string) (map[string]int64, error) {
	rows, err := d.query(ctx, "SELECT "+table.Column+", COUNT(*) FROM `"+d.Name()+"."+table.Name+"` WHERE "+table.Column+" IN UNNEST(@ids) GROUP BY "+table.Column, ids)
	if err != nil {
		return nil, fmt.Errorf("bigquery: count in %s.%s: %w", d.Name(), table.Name, err)
	}
	counts := map[string]int64{}
	for _, row := range rows {
		if len(row) != 2 {
			return nil, errors.New("bigquery: count: not two columns")
		}
		if !slices.Contains(ids, row[0]) {
			return nil, fmt.Errorf("bigquery: count in %s.%s: a row of another id", d.Name(), table.Name)
		}
		if counts[row[0]], err = strconv.ParseInt(row[1], 10, 64); err != nil {
			return nil, fmt.Errorf("bigquery: count in %s.%s: %w", d.Name(), table.Name, err)
		}
	}
	return counts, nil
}

// Delete deletes the rows of the ids from a table.
func (d *Dataset) Delete(ctx context.Context, table erase.Table, ids []string) error {
	_, err := d.query(ctx, "DELETE FROM `"+d.Name()+"."+table.Name+"` WHERE "+table.Column+" IN UNNEST(@ids)", ids)
	if err != nil {
		return fmt.Errorf("bigquery: delete from %s.%s: %w", d.Name(), table.Name, err)
	}
	return nil
}

// Limits of one statement: its whole time, and the time for which one request waits for its end.
const (
	maxTime = 5 * time.Minute
	maxWait = 20 * time.Second
)

// query runs a statement as a query job, waits for its end, and returns its rows as text.
func (d *Dataset) query(ctx context.Context, statement string, ids []string) (rows [][]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	standard := false
	answer, err := d.jobs.Query(d.project, &bigquery.QueryRequest{
		Query: statement, UseLegacySql: &standard, ParameterMode: "NAMED", QueryParameters: parameters(ids), TimeoutMs: maxWait.Milliseconds(),
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

// parameters returns the ids as the parameter @ids, an array of strings.
func parameters(ids []string) []*bigquery.QueryParameter {
	values := make([]*bigquery.QueryParameterValue, len(ids))
	for i, name := range ids {
		values[i] = &bigquery.QueryParameterValue{Value: name}
	}
	return []*bigquery.QueryParameter{{
		Name:           "ids",
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
