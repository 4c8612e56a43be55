// Package bigquery deletes the events of guests from a BigQuery dataset, except those that the law requires to keep.
package bigquery

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// class is the column with the retention class of a row's event, as in its envelope.
const class = "retentionClass"

// Tables returns the tables with a column in erase.Columns. It returns an error if there is no such table, because then the dataset is
// not that of the events, or if one of them has no column retentionClass, because then its rows may be regulated events.
func (d *Dataset) Tables(ctx context.Context) ([]erase.Table, error) {
	rows, err := d.query(ctx, "SELECT c.table_name, c.column_name FROM `"+d.Name()+"`.INFORMATION_SCHEMA.COLUMNS AS c "+
		"JOIN `"+d.Name()+"`.INFORMATION_SCHEMA.TABLES AS t USING (table_name) "+
		"WHERE c.column_name IN UNNEST(@columns) AND t.table_type = 'BASE TABLE' ORDER BY c.table_name, c.column_name",
		erase.IDs{"columns": append(slices.Clone(erase.Columns), class)})
	if err != nil {
		return nil, fmt.Errorf("bigquery: tables of %s: %w", d.Name(), err)
	}
	var tables []erase.Table
	classified := map[string]bool{}
	for _, row := range rows {
		if len(row) != 2 || !tablePattern.MatchString(row[0]) || row[1] != class && !slices.Contains(erase.Columns, row[1]) {
			return nil, fmt.Errorf("bigquery: %s has a table and column with the name %q", d.Name(), row)
		}
		switch {
		case row[1] == class:
			classified[row[0]] = true
		case len(tables) > 0 && tables[len(tables)-1].Name == row[0]:
			tables[len(tables)-1].Columns = append(tables[len(tables)-1].Columns, row[1])
		default:
			tables = append(tables, erase.Table{Name: row[0], Columns: row[1:]})
		}
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("bigquery: %s has no table with one of the columns %s", d.Name(), strings.Join(erase.Columns, ", "))
	}
	for _, t := range tables {
		if !classified[t.Name] {
			return nil, fmt.Errorf("bigquery: the table %s.%s has ids and no column %s: its rows may be events that the law requires to keep", d.Name(), t.Name, class)
		}
	}
	return tables, nil
}

// CountBy returns the number of rows of a table by the value of one column. Values without rows are absent.
func (d *Dataset) CountBy(ctx context.Context, table, column string, values []string) (map[string]int64, error) {
	rows, err := d.query(ctx, "SELECT "+column+", COUNT(*)"+d.from(table, erase.IDs{column: values})+" GROUP BY "+column, erase.IDs{column: values})
	if err != nil {
		return nil, fmt.Errorf("bigquery: count in %s.%s: %w", d.Name(), table, err)
	}
	counts := map[string]int64{}
	for _, row := range rows {
		if len(row) != 2 {
			return nil, errors.New("bigquery: count: not two columns")
		}
		if !slices.Contains(values, row[0]) {
			return nil, fmt.Errorf("bigquery: count in %s.%s: a row of another id", d.Name(), table)
		}
		if counts[row[0]], err = strconv.ParseInt(row[1], 10, 64); err != nil {
			return nil, fmt.Errorf("bigquery: count in %s.%s: %w", d.Name(), table, err)
		}
	}
	return counts, nil
}

// Count returns the number of rows of a table that contain one of the ids.
func (d *Dataset) Count(ctx context.Context, table string, ids erase.IDs) (n int64, err error) {
	rows, err := d.query(ctx, "SELECT COUNT(*)"+d.from(table, ids), ids)
	if err == nil && (len(rows) != 1 || len(rows[0]) != 1) {
		err = errors.New("not one number")
	}
	if err == nil {
		n, err = strconv.ParseInt(rows[0][0], 10, 64)
	}
	if err != nil {
		return 0, fmt.Errorf("bigquery: count in %s.%s: %w", d.Name(), table, err)
	}
	return n, nil
}

// Delete deletes the rows of a table that contain one of the ids.
func (d *Dataset) Delete(ctx context.Context, table string, ids erase.IDs) error {
	if _, err := d.query(ctx, "DELETE"+d.from(table, ids), ids); err != nil {
		return fmt.Errorf("bigquery: delete from %s.%s: %w", d.Name(), table, err)
	}
	return nil
}

// from returns the clauses FROM and WHERE of a statement about the rows that contain one of the ids. The parameter of a column has the name
// of the column. Rows without a retention class count as regulated.
func (d *Dataset) from(table string, ids erase.IDs) string {
	var conditions []string
	for _, column := range slices.Sorted(maps.Keys(ids)) {
		conditions = append(conditions, column+" IN UNNEST(@"+column+")")
	}
	return " FROM `" + d.Name() + "." + table + "` WHERE (" + strings.Join(conditions, " OR ") + ") AND " + class + " <> 'regulated'"
}

// Limits of one statement: its whole time, and the time for which one request waits for its end.
const (
	maxTime = 5 * time.Minute
	maxWait = 20 * time.Second
)

// query runs a statement as a query job, waits for its end, and returns its rows as text.
func (d *Dataset) query(ctx context.Context, statement string, ids erase.IDs) (rows [][]string, err error) {
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

// parameters returns an array of strings for each column.
func parameters(ids erase.IDs) (all []*bigquery.QueryParameter) {
	for _, column := range slices.Sorted(maps.Keys(ids)) {
		values := make([]*bigquery.QueryParameterValue, len(ids[column]))
		for i, name := range ids[column] {
			values[i] = &bigquery.QueryParameterValue{Value: name}
		}
		all = append(all, &bigquery.QueryParameter{
			Name:           column,
			ParameterType:  &bigquery.QueryParameterType{Type: "ARRAY", ArrayType: &bigquery.QueryParameterType{Type: "STRING"}},
			ParameterValue: &bigquery.QueryParameterValue{ArrayValues: values},
		})
	}
	return all
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
