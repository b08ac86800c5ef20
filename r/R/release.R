# Releases: what kanonymise() gives.

new_release <- function(loaded, grouping, form, numeric, order, threads) {
  described <- .Call(C_grouping_describe, grouping)
  table <- .Call(C_table_describe, loaded$table)
  for (text in c(utils::head(table$warnings, table$privacy), utils::head(described$warnings, described$privacy))) {
    warning(warningCondition(text, class = "kanon_privacy_warning"))
  }
  # whoever misses a column should know why, unless a default role says it
  for (text in if (is.null(loaded$default_role)) grep("so withheld: ", table$warnings, fixed = TRUE, value = TRUE)) warning(text, call. = FALSE)
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

# What the object is made of; `$` gives the columns of the table first.
own <- function(x) unclass(x)

#' @export
print.kanon_release <- function(x, ...) {
  fields <- own(x)
  cat(sprintf("<kanon_release: %s records in %s groups, k = %s%s>\n", count(fields$records), count(fields$n_groups),
              count(fields$k),
              if (fields$suppressed > 0) sprintf(", %s suppressed", count(fields$suppressed)) else ""))
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
  fields <- own(x)
  kept <- fields$kept
  if (is.null(kept$frame)) {
    columns <- .Call(C_release, fields$handles$table, fields$handles$grouping, release_options(x))
    kept$frame <- as_frame(columns, fields$form)
  }
  frame <- kept$frame
  # data.table changes tables in place; what is kept here must stay.
  if (inherits(frame, "data.table")) data.table::copy(frame) else frame
}

#' A release as the table that it holds
#'
#' `$`, `[`, `[[`, `names()`, `dim()`, `dimnames()`, `head()`, `tail()`, `with()`, `subset()` and `as.list()` act on the
#' released table, as `as.data.frame()` gives it. `$` also gives what is known of the release, unless a column is called so: `records`, `n_groups`,
#' `suppressed`, `k`, `algorithm`, `columns`, `warnings` and `notes`.
#'
#' @param x A release of [kanonymise()].
#' @param name,i A column, or a field.
#' @param ... As for data frames.
#' @return What the data frame gives.
#' @name kanon_release
NULL

#' @rdname kanon_release
#' @export
`$.kanon_release` <- function(x, name) {
  fields <- own(x)
  if (name %in% c("handles", "kept", "form", "numeric", "shuffle", "shuffle_seed", "threads")) return(fields[[name]])
  table <- as.data.frame(x)
  if (name %in% names(table)) table[[name]] else fields[[name, exact = TRUE]]
}

#' @rdname kanon_release
#' @export
`[[.kanon_release` <- function(x, i, ...) as.data.frame(x)[[i, ...]]

#' @rdname kanon_release
#' @export
`[.kanon_release` <- function(x, ...) as.data.frame(x)[...]

#' @rdname kanon_release
#' @export
names.kanon_release <- function(x) names(as.data.frame(x))

#' @rdname kanon_release
#' @export
dim.kanon_release <- function(x) dim(as.data.frame(x))

#' @rdname kanon_release
#' @export
dimnames.kanon_release <- function(x) dimnames(as.data.frame(x))

#' @param data,expr As for data frames.
#' @rdname kanon_release
#' @export
with.kanon_release <- function(data, expr, ...) eval(substitute(expr), as.data.frame(data), parent.frame())

#' @param subset,select As for data frames.
#' @rdname kanon_release
#' @export
subset.kanon_release <- function(x, subset, select, ...) {
  call <- match.call()
  call[[1]] <- base::subset
  call$x <- as.data.frame(x)
  eval(call, parent.frame())
}

#' @rdname kanon_release
#' @export
length.kanon_release <- function(x) length(as.data.frame(x))

#' @rdname kanon_release
#' @export
as.list.kanon_release <- function(x, ...) as.list(as.data.frame(x), ...)

#' @importFrom utils head
#' @rdname kanon_release
#' @export
head.kanon_release <- function(x, ...) head(as.data.frame(x), ...)

#' @importFrom utils tail
#' @rdname kanon_release
#' @export
tail.kanon_release <- function(x, ...) tail(as.data.frame(x), ...)

#' @importFrom utils str
#' @export
str.kanon_release <- function(object, ...) {
  print(object)
  str(as.data.frame(object), ...)
}

# The number of a notation in the library, of which `known` are to be had.
notation <- function(word, known = notations) match(one_of(word, known, "numeric"), notations)

notations <- c("interval", "range", "mean", "columns")

release_options <- function(x) {
  fields <- own(x)
  list(numeric = notation(fields$numeric), shuffle = fields$shuffle,
       shuffle_seed = fields$shuffle_seed, threads = fields$threads, integer64 = integer64_names(fields$form))
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
  no_dots("release_stream", "into", ...)
  must_be_release(x)
  force(into)
  .Call(C_release, own(x)$handles$table, own(x)$handles$grouping, c(release_options(x), list(into = into)))
}

#' The group of each record
#'
#' @param x A release of [kanonymise()].
#' @return A vector with the number of the group of each record of the input, from 1; 0 is a suppressed record, which the
#'   released table lacks unless it is kept.
#' @export
groups <- function(x) {
  must_be_release(x)
  .Call(C_grouping_rows, own(x)$handles$grouping)
}

#' Measures of a release
#'
#' @param x A release of [kanonymise()].
#' @param ... Settings of measures, by name: `measures(rel, r = 0.7)`.
#' @return A data frame with the columns name, column (`NA`: the whole table), value and formula.
#' @export
measures <- function(x, ...) {
  must_be_release(x)
  fields <- own(x)
  kept <- fields$kept
  if (...length() == 0 && !is.null(kept$measures)) return(kept$measures)
  found <- as.data.frame(.Call(C_evaluate, fields$handles$table, fields$handles$grouping,
                               list(settings = settings_text(list(...)), threads = fields$threads)))
  if (...length() == 0) kept$measures <- found
  found
}

must_be_release <- function(x) if (!inherits(x, "kanon_release")) usage_error("that is not a release of kanonymise()")

#' @export
summary.kanon_release <- function(object, ...) {
  all <- measures(object)
  structure(class = "summary.kanon_release", list(
    release = object, table = all[is.na(all$column), c("name", "value")], columns = all[!is.na(all$column), ],
    warnings = own(object)$warnings, notes = own(object)$notes
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

#' What a release teaches
#'
#' Which column pays most, which columns say nothing, which requirement is tight, what changes of the schema would save, what to
#' try next. No sentence holds a value of the table.
#'
#' @param x A release of [kanonymise()].
#' @return Sentences, a character vector.
#' @examples
#' people <- data.frame(age = c(23, 25, 41, 44), sex = c("f", "m", "m", "f"))
#' advice(kanonymise(people, quasi = c("age", "sex"), k = 2))
#' @export
advice <- function(x) {
  must_be_release(x)
  .Call(C_advise, own(x)$handles$table, own(x)$handles$grouping)
}

#' What decides whether a release may be given away
#'
#' The verdict of the report and of the program, row by row, in the same words.
#'
#' @param x A release of [kanonymise()], or what [check_release()] found.
#' @return A data frame with the columns `row`, `heading`, `mark` (`"met"`, `"failed"`, `"look"` or `"not shown"`),
#'   `sentence`, and `asked`: whether it was required.
#' @examples
#' people <- data.frame(age = c(23, 25, 41, 44), disease = c("flu", "cold", "flu", "angina"))
#' verdict(kanonymise(people, quasi = "age", sensitive = "disease", k = 2))
#' @export
verdict <- function(x) {
  if (inherits(x, "kanon_check")) return(x$verdict)
  must_be_release(x)
  fields <- own(x)
  order <- list(shuffle = fields$shuffle, threads = fields$threads)
  as.data.frame(.Call(C_verdict, fields$handles$table, fields$handles$grouping, order))
}

#' Write a report
#'
#' @param x A release of [kanonymise()].
#' @param path Where it goes: a page for people if it ends in `.html`, else JSON.
#' @param external For readers of the release: describes no single group, no seed and no checksum of the input.
#' @param from_certificate The file of a certificate that [bound()] wrote for the table. It is verified, and the report then
#'   says how near the release is to the best; `NULL`: none.
#' @param ... Not used.
#' @return `path`, invisibly.
#' @export
report <- function(x, path, ...) UseMethod("report")

#' @rdname report
#' @export
report.kanon_release <- function(x, path, external = FALSE, from_certificate = NULL, ...) {
  no_dots("report", c("external", "from_certificate"), ...)
  what <- if (external) "report_external" else "report"
  .Call(C_publish, own(x)$handles$table, own(x)$handles$grouping, list(
    what = what, path = path, threads = own(x)$threads, certificate = from_certificate
  ))
  invisible(path)
}

#' Write a codebook
#'
#' How to read the release, for those who get it. It holds no value that the release does not show, but all of the taxonomies
#' that were given.
#'
#' @param x A release of [kanonymise()].
#' @param path Where it goes: a page if it ends in `.html`, CSVW if it ends in `-metadata.json`, else a Frictionless Table
#'   Schema (JSON).
#' @param numeric As in [write_release()].
#' @return `path`, invisibly.
#' @export
codebook <- function(x, path, numeric = c("interval", "range", "mean", "columns")) {
  must_be_release(x)
  .Call(C_publish, own(x)$handles$table, own(x)$handles$grouping, list(
    what = "codebook", path = path, numeric = notation(numeric), threads = own(x)$threads
  ))
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
  bytes <- .Call(C_publish, own(x)$handles$table, own(x)$handles$grouping, list(
    what = "release", path = path, numeric = notation(numeric), shuffle = order$shuffle,
    shuffle_seed = order$seed, threads = own(x)$threads
  ))
  if (is.null(path)) bytes else invisible(path)
}
