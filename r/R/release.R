# Releases: what kanonymise() gives.

new_release <- function(loaded, grouping, form, numeric, order, threads) {
  described <- .Call(C_grouping_describe, grouping)
  table <- .Call(C_table_describe, loaded$table)
  for (text in c(utils::head(table$warnings, table$privacy), utils::head(described$warnings, described$privacy))) {
    warning(warningCondition(text, class = "kanon_privacy_warning"))
  }
  kept <- new.env(parent = emptyenv()) # what is computed once
  structure(class = "kanon_release", list(
    records = described$records, n_groups = described$groups, suppressed = described$suppressed, k = described$k,
    algorithm = described$algorithm,
    columns = data.frame(name = table$name, role = table$role, type = table$type),
    warnings = c(loaded$warnings, table$warnings, described$warnings), notes = described$notes,
    handles = list(schema = loaded$schema, table = loaded$table, grouping = grouping),
    form = form, numeric = numeric, shuffle = order$shuffle, shuffle_seed = order$seed, threads = threads, kept = kept
  ))
}

#' @export
print.kanon_release <- function(x, ...) {
  cat(sprintf("<kanon_release: %s records in %s groups, k = %s%s>\n", count(x$records), count(x$n_groups), count(x$k),
              if (x$suppressed > 0) sprintf(", %s suppressed", count(x$suppressed)) else ""))
  invisible(x)
}

count <- function(n) format(n, big.mark = ",", scientific = FALSE, trim = TRUE)

#' The released table
#'
#' @param x A release of [kanonymise()].
#' @param row.names,optional Not used.
#' @param ... Not used.
#' @return The table that may be published, as the kind of data frame that came in: columns that were texts are texts,
#'   factors are factors (without levels that no released record has). Suppressed records are not there unless they are kept: then what is suppressed is `NA`.
#' @export
as.data.frame.kanon_release <- function(x, row.names = NULL, optional = FALSE, ...) {
  if (is.null(x$kept$frame)) {
    columns <- .Call(C_release, x$handles$table, x$handles$grouping, release_options(x))
    x$kept$frame <- as_frame(columns, x$form)
  }
  frame <- x$kept$frame
  # data.table changes tables in place; what is kept here must stay.
  if (inherits(frame, "data.table")) data.table::copy(frame) else frame
}

release_options <- function(x) {
  list(numeric = match(x$numeric, c("columns", "text", "mean")) - 1L, shuffle = x$shuffle, shuffle_seed = x$shuffle_seed,
       threads = x$threads, integer64 = integer64_names(x$form))
}

#' The release as an Arrow stream
#'
#' For packages that read Arrow streams; it needs nanoarrow. The method of `nanoarrow::as_nanoarrow_array_stream()` is
#' there, too.
#'
#' @param x A release of [kanonymise()].
#' @param ... Not used.
#' @param into An empty stream that is filled; without it, one is made by nanoarrow.
#' @return The stream.
#' @export
release_stream <- function(x, ..., into = nanoarrow::nanoarrow_allocate_array_stream()) {
  must_be_release(x)
  force(into)
  .Call(C_release, x$handles$table, x$handles$grouping, c(release_options(x), list(into = into)))
}

#' The group of each record
#'
#' @param x A release of [kanonymise()].
#' @return A vector with the number of the group of each record of the input, from 1; 0 is a suppressed record, which the
#'   released table lacks unless it is kept.
#' @export
groups <- function(x) {
  must_be_release(x)
  .Call(C_grouping_rows, x$handles$grouping)
}

#' Measures of a release
#'
#' @param x A release of [kanonymise()].
#' @param ... Settings of measures, such as `r = 0.7`.
#' @return A data frame with the columns name, column (`NA`: the whole table), value and formula.
#' @export
measures <- function(x, ...) {
  must_be_release(x)
  if (...length() == 0 && !is.null(x$kept$measures)) return(x$kept$measures)
  found <- as.data.frame(.Call(C_evaluate, x$handles$table, x$handles$grouping,
                               list(settings = settings_text(list(...)), threads = x$threads)))
  if (...length() == 0) x$kept$measures <- found
  found
}

must_be_release <- function(x) if (!inherits(x, "kanon_release")) usage_error("that is not a release of kanonymise()")

#' @export
summary.kanon_release <- function(object, ...) {
  all <- measures(object)
  structure(class = "summary.kanon_release", list(
    release = object, table = all[is.na(all$column), c("name", "value")], columns = all[!is.na(all$column), ],
    warnings = object$warnings, notes = object$notes
  ))
}

#' @export
print.summary.kanon_release <- function(x, ...) {
  print(x$release)
  shown <- c("avg_loss", "information_loss", "highest_risk", "average_risk", "neighbour_bound")
  table <- x$table[x$table$name %in% shown, ]
  for (i in seq_len(nrow(table))) cat(sprintf("  %-20s %s\n", table$name[i], format(table$value[i], digits = 6)))
  for (warning in x$warnings) cat("  warning:", warning, "\n")
  for (note in x$notes) cat("  note:", note, "\n")
  invisible(x)
}

#' Write a report
#'
#' @param x A release of [kanonymise()].
#' @param path Where it goes: a page for people if it ends in `.html`, else JSON.
#' @param external For readers of the release: describes no single group, no seed and no checksum of the input.
#' @param ... Not used.
#' @return `path`, invisibly.
#' @export
report <- function(x, path, ...) UseMethod("report")

#' @rdname report
#' @export
report.kanon_release <- function(x, path, external = FALSE, ...) {
  what <- if (external) "report_external" else "report"
  .Call(C_publish, x$handles$table, x$handles$grouping, list(what = what, path = path, threads = x$threads))
  invisible(path)
}

#' Write the release as a CSV file
#'
#' The file is written as the program `kanon` writes it, byte for byte.
#'
#' @param x A release of [kanonymise()].
#' @param path Where it goes; `NULL`: the bytes are returned.
#' @param numeric `"interval"` (`[20..29]`), `"range"` (`[20,29]`), `"mean"` or `"columns"`.
#' @param shuffle,shuffle_seed As in [kanonymise()].
#' @return `path`, invisibly, or a raw vector.
#' @export
write_release <- function(x, path = NULL, numeric = c("interval", "range", "mean", "columns"), shuffle = FALSE,
                          shuffle_seed = NULL) {
  must_be_release(x)
  order <- release_order(shuffle, shuffle_seed)
  forms <- c("interval", "range", "mean", "columns")
  bytes <- .Call(C_publish, x$handles$table, x$handles$grouping, list(
    what = "release", path = path, numeric = match(one_of(numeric, forms, "numeric"), forms) - 1L, shuffle = order$shuffle,
    shuffle_seed = order$seed, threads = x$threads
  ))
  if (is.null(path)) bytes else invisible(path)
}
