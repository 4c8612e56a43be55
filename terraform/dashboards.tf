# One dashboard for each service, derived from the catalogue: what its alerts are about, at one glance.
locals {
  graphs = { for service in keys(local.services) : service => concat(
    [
      { title = "Calls by status", query = "sum by (response_code_class) (rate(run_googleapis_com:request_count{monitored_resource=\"cloud_run_revision\",service_name=~\"${service}-.*\"}[5m]))" },
      { title = "Failed calls, of all (objective ${1 - local.objective})", query = "sum(rate(${local.indicators["errors-${service}"].metric}{${local.indicators["errors-${service}"].calls},${local.indicators["errors-${service}"].failed}}[5m])) / sum(rate(${local.indicators["errors-${service}"].metric}{${local.indicators["errors-${service}"].calls}}[5m]))" },
      { title = "Problem codes", query = "sum by (code) (rate(${local.calls_summed}{monitored_resource=\"cloud_run_revision\",function=~\"${service}-.*\",code!=\"\"}[5m]))" },
      { title = "95th percentile of latency, in seconds", query = "histogram_quantile(0.95, sum by (le, function) (rate(${local.latency_summed}_bucket{monitored_resource=\"cloud_run_revision\",function=~\"${service}-.*\"}[5m])))" },
      { title = "Instances", query = "sum by (service_name) (run_googleapis_com:container_instance_count{monitored_resource=\"cloud_run_revision\",service_name=~\"${service}-.*\"})" },
    ],
    length([for f in local.consumers : f if f.service == service]) == 0 ? [] : [
      { title = "Dead letters", query = "max by (subscription_id) (pubsub_googleapis_com:subscription_num_undelivered_messages{monitored_resource=\"pubsub_subscription\",subscription_id=~\"${join("|", [for topic, d in local.dead_letters : replace(topic, ".", "\\\\.") if d.service == service])}\"})" },
      { title = "Oldest event that waits, in seconds", query = "max by (subscription_id) (pubsub_googleapis_com:subscription_oldest_unacked_message_age{monitored_resource=\"pubsub_subscription\",subscription_id=~\"${service}-.*\"})" },
    ],
    length([for f in local.functions : f if f.service == service && f.postgres]) == 0 ? [] : [
      { title = "Database connections, of ${var.database_max_connections}", query = "sum(cloudsql_googleapis_com:database_postgresql_num_backends{monitored_resource=\"cloudsql_database\"})" },
    ],
  ) }
}

resource "google_monitoring_dashboard" "service" {
  for_each = local.graphs

  dashboard_json = jsonencode({
    displayName = "melmastoon ${each.key}"
    mosaicLayout = {
      columns = 12
      tiles = [for i, g in each.value : {
        xPos = i % 2 * 6, yPos = floor(i / 2) * 4, width = 6, height = 4
        widget = {
          title   = g.title
          xyChart = { dataSets = [{ plotType = "LINE", timeSeriesQuery = { prometheusQuery = g.query } }] }
        }
      }]
    }
  })

  depends_on = [google_project_service.api]
}
