# dbplyr writes the statements, of verbs of dplyr.
suppressPackageStartupMessages({
  library(DBI)
  library(RPostgreSQL)
  library(dplyr, warn.conflicts = FALSE)
  library(dbplyr, warn.conflicts = FALSE)
  library(jsonlite)
})
of <- function(name) Sys.getenv(name)
connection <- dbConnect(PostgreSQL(), host = of("PGHOST"), port = of("PGPORT"), dbname = of("PGDATABASE"),
                        user = of("PGUSER"), password = of("PGPASSWORD"))
invisible(dbExecute(connection, paste("SET application_name TO", dbQuoteString(connection, of("PGAPPNAME")))))

# Each cell with the class that its column has.
rows_of <- function(found) {
  found <- as.data.frame(found)
  types <- vapply(found, function(column) class(column)[1], "")
  lapply(seq_len(nrow(found)), function(i) {
    lapply(seq_along(found), function(j) c(types[[j]], format(found[[j]][i], digits = 15, scientific = FALSE, trim = TRUE)))
  })
}

table_of <- function(name) tbl(connection, name)

questions <- list(
  tables = function() { # of all schemas
    listed <- dbListTables(connection)
    rows_of(data.frame(name = sort(listed[listed %in% c("regions", "customers", "orders")])))
  },
  columns = function() rows_of(data.frame(name = dbListFields(connection, "orders"))),
  choices = function() rows_of(table_of("orders") |> distinct(status) |> arrange(status) |> collect()),
  probe = function() rows_of(data.frame(name = colnames(table_of("orders")))),
  explain = function() {
    invisible(capture.output(table_of("orders") |> count(status) |> explain()))
    rows_of(data.frame(shown = TRUE))
  },
  count = function() rows_of(table_of("orders") |> tally() |> collect()),
  by_category = function() rows_of(table_of("orders") |> group_by(status) |>
    summarise(n = n(), revenue = sum(amount, na.rm = TRUE)) |> arrange(status) |> collect()),
  by_month = function() rows_of(table_of("orders") |> count(month = floor_date(ordered_at, "month")) |>
    arrange(month) |> collect()),
  average = function() rows_of(table_of("orders") |>
    summarise(mean = mean(amount, na.rm = TRUE), large = mean(quantity, na.rm = TRUE)) |> collect()),
  bins = function() rows_of(table_of("orders") |> count(bin = floor(amount / 100) * 100) |> arrange(bin) |> collect()),
  top = function() rows_of(table_of("orders") |>
    inner_join(table_of("customers"), by = c(customer_id = "id")) |>
    inner_join(table_of("regions"), by = c(region_id = "id"), suffix = c("", "_region")) |>
    group_by(name_region) |> summarise(revenue = sum(amount, na.rm = TRUE)) |>
    arrange(desc(revenue)) |> head(3) |> collect()),
  persons = function() rows_of(table_of("orders") |> filter(quantity > 2) |> summarise(n = n_distinct(customer_id)) |> collect()),
  parameters = function() rows_of(table_of("orders") |>
    filter(status %in% c("paid", "shipped"), between(amount, 100, 900), ordered_at >= "2025-03-01 00:00:00+00") |>
    summarise(n = n(), revenue = sum(amount, na.rm = TRUE)) |> collect()),
  cursor = function() rows_of(table_of("orders") |> group_by(status, quantity) |> summarise(n = n(), .groups = "drop") |>
    mutate(share = n / sum(n, na.rm = TRUE)) |> arrange(status, quantity) |> collect()),
  rows = function() rows_of(table_of("orders") |> head(10) |> collect())
)

input <- file("stdin", open = "r")
while (length(question <- readLines(input, n = 1)) > 0) {
  answer <- tryCatch({
    if (question == "version") {
      list(text = unbox(paste0("dbplyr ", packageVersion("dbplyr"), ", RPostgreSQL ", packageVersion("RPostgreSQL"),
                               ", R ", getRversion())))
    } else {
      list(rows = questions[[question]]())
    }
  }, error = function(error) list(error = unbox(paste(c(conditionMessage(error), if (!is.null(error$parent)) conditionMessage(error$parent)), collapse = "\n"))))
  cat(toJSON(answer), "\n", sep = "")
  flush(stdout())
}
